#include "coppice/chain/forest_objective.h"

#include <algorithm>

#include "chain/sentence_paths.h"
#include "coppice/chain/edge_objective.h"
#include "coppice/chain/forest.h"

namespace coppice::chain {

ForestObjective::ForestObjective(const learn::Objective& objective)
    : function_([objective](const Forest& forest, const EdgeMap<double>& scores,
                            const learn::Target& target) {
        return learn::evaluate(objective, forest, scores, target);
      }) {}

double ForestObjective::evaluate(const Example& example, PairDerivatives& pairs,
                                 Workspace& /*workspace*/) const {
  if (!example.edges.empty()) {
    const std::vector<float> scores(example.edges.begin(), example.edges.end());
    EdgeObjectiveWorkspace workspace;
    return ForestEdgeObjective(function_).evaluate({example.edge_shape, scores, example.gold},
                                                   example.edges, workspace);
  }
  const LabelLattice all = example.lattice == nullptr
                               ? full_lattice(example.scores, example.length(), example.transitions)
                               : LabelLattice();
  Example one = example;
  if (one.lattice == nullptr) one.lattice = &all;
  const ChainForest chain = chain_forest(*one.lattice, one.lattice_scores());
  learn::Target target;
  for (const EdgeId edge : chain.forest.edges()) {
    const EdgeParts& edge_parts = chain.parts[edge];
    const bool is_right =
        edge_parts.label == kNoLabel || example.gold.allows(edge_parts.token, edge_parts.label);
    target.gold.push_back(is_right ? 1 : 0);
    target.losses.push_back(is_right ? 0 : 1);
  }
  const EdgeGradient result = function_(chain.forest, chain.scores, target);
  clear_derivatives(one);
  for (const EdgeId edge : chain.forest.edges()) {
    const EdgeParts& edge_parts = chain.parts[edge];
    if (edge_parts.label == kNoLabel) continue;
    add_derivative(one, edge_parts.token, edge_parts.lattice_edge,
                   static_cast<float>(result.gradient[edge]), pairs);
  }
  return result.value;
}

}  // namespace coppice::chain

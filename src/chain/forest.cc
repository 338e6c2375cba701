#include "coppice/chain/forest.h"

#include <utility>

#include "chain/forbidden.h"
#include "chain/forest_builder.h"

namespace coppice::chain {

ChainForest chain_forest(const LabelLattice& lattice, const LatticeScores& scores) {
  ForestBuilder builder;
  ChainForest chain;
  const auto add_edge = [&](NodeId head, std::span<const NodeId> tails, EdgeLabels labels,
                            double score) {
    if (score == kLogZero) return;
    builder.add_edge(head, tails);
    chain.scores.push_back(score);
    chain.labels.push_back(labels);
  };
  const auto node_of = [](std::size_t node) { return static_cast<NodeId>(node - 1); };
  const std::size_t length = lattice.length();
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t v = lattice.node_begin[t]; v < lattice.node_begin[t + 1]; ++v) {
      const NodeId head = builder.add_node();
      for (std::uint32_t e = lattice.edge_begin[v]; e < lattice.edge_begin[v + 1]; ++e) {
        const NodeId tail = t == 0 ? head : node_of(lattice.tail[e]);
        const LabelKey history = lattice.history[lattice.tail[e]];
        add_edge(head, std::span(&tail, t == 0 ? 0 : 1),
                 {static_cast<std::uint32_t>(t), lattice.label[e],
                  history == 0 ? kNoLabel : last_label(history), e},
                 scores.of(lattice, t, e));
      }
    }
  }
  const NodeId root = builder.add_node();
  if (length == 0) add_edge(root, {}, {}, 0);
  for (std::size_t v = length == 0 ? 1 : lattice.node_begin[length - 1]; v < lattice.num_nodes();
       ++v) {
    const NodeId last = node_of(v);
    add_edge(root, std::span(&last, 1), {}, 0);
  }
  chain.forest = std::move(builder).build(root);
  return chain;
}

ChainForest chain_forest(const float* scores, std::size_t length, const Transitions& transitions) {
  const std::size_t pairs = transitions.none() ? 0 : transitions.labels() * transitions.stride();
  return chain_forest(full_lattice(scores, length, transitions),
                      {scores, transitions.stride(), {transitions.scores(), pairs}});
}

std::vector<std::uint16_t> ChainForest::sequence(std::span<const EdgeId> edges) const {
  std::vector<std::uint16_t> reversed;
  for (const EdgeId edge : edges) {
    if (labels[edge].label != kNoLabel) reversed.push_back(labels[edge].label);
  }
  return {reversed.rbegin(), reversed.rend()};
}

}  // namespace coppice::chain

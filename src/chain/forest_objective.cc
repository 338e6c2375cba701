#include "coppice/chain/forest_objective.h"

#include <algorithm>

#include "coppice/chain/forest.h"

namespace coppice::chain {

double ForestObjective::evaluate(const Example& example, PairDerivatives& pairs,
                                 Workspace& /*workspace*/) const {
  const ChainForest chain = chain_forest(example.scores, example.length(), example.transitions);
  EdgeMap<unsigned char> right;
  EdgeMap<double> losses;
  for (const EdgeId edge : chain.forest.edges()) {
    const EdgeParts& parts = chain.parts[edge];
    const bool is_right = parts.label == kNoLabel || example.gold.allows(parts.token, parts.label);
    right.push_back(is_right ? 1 : 0);
    losses.push_back(is_right ? 0 : 1);
  }
  const EdgeGradient result = function_({chain.forest, chain.scores, right, losses});
  const std::size_t stride = example.transitions.stride();
  std::fill_n(example.scores, example.length() * stride, 0.0f);
  for (const EdgeId edge : chain.forest.edges()) {
    const EdgeParts& parts = chain.parts[edge];
    if (parts.label == kNoLabel) continue;
    const auto derivative = static_cast<float>(result.gradient[edge]);
    example.scores[parts.token * stride + parts.label] += derivative;
    if (parts.previous != kNoLabel && !pairs.none()) {
      pairs.add(parts.previous, parts.label, derivative);
    }
  }
  return result.value;
}

}  // namespace coppice::chain

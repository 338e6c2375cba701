#include "coppice/chain/likelihood.h"

#include <limits>

namespace coppice::chain {

namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

double complete_likelihood(const Example& example, PairDerivatives& pairs, Workspace& workspace) {
  const Transitions& transitions = example.transitions;
  const std::size_t stride = transitions.stride(), length = example.length();
  const auto gold = [&](std::size_t t) { return example.gold.at(t)[0]; };
  double score = 0;
  for (std::size_t t = 0; t < length; ++t) {
    score += example.scores[t * stride + gold(t)];
    if (t == 0 || transitions.none()) continue;
    score += transitions.score(gold(t - 1), gold(t));
    pairs.add(gold(t - 1), gold(t), -1);
  }
  const double log_z = marginals(example.scores, length, transitions, workspace, pairs.by_weight());
  for (std::size_t t = 0; t < length; ++t) example.scores[t * stride + gold(t)] -= 1;
  return log_z - score;
}

// Forward and backward twice; the second time over what the annotation allows.
double partial_likelihood(const Example& example, PairDerivatives& pairs, Workspace& workspace) {
  const Transitions& transitions = example.transitions;
  const std::size_t stride = transitions.stride(), length = example.length();
  AlignedVector<float> allowed(example.scores, example.scores + length * stride);
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t y = 0; y < transitions.labels(); ++y) {
      if (!example.gold.allows(t, y)) allowed[t * stride + y] = kForbidden;
    }
  }
  PairDerivatives allowed_pairs;
  allowed_pairs.reset(transitions);
  const double gold_z =
      marginals(allowed.data(), length, transitions, workspace, allowed_pairs.by_weight());
  const double log_z = marginals(example.scores, length, transitions, workspace, pairs.by_weight());
  for (std::size_t k = 0; k < allowed.size(); ++k) example.scores[k] -= allowed[k];
  allowed_pairs.finish(transitions);
  pairs.add(allowed_pairs, -1);
  return log_z - gold_z;
}

}  // namespace

double Likelihood::evaluate(const Example& example, PairDerivatives& pairs,
                            Workspace& workspace) const {
  return example.gold.complete ? complete_likelihood(example, pairs, workspace)
                               : partial_likelihood(example, pairs, workspace);
}

}  // namespace coppice::chain

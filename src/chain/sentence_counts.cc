#include "chain/sentence_counts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace coppice::chain {

namespace {

// Of a pair of counts at a token: less than floats resolve in a sum of 1 (1.2e-7).
constexpr double kLeastStateProbability = 1e-7;

}  // namespace

SentenceCounts::SentenceCounts(float* scores, const Transitions& transitions,
                               const CountRules& rules, const GoldItems& gold, Workspace& workspace)
    : scores_(scores),
      transitions_(transitions),
      rules_(rules),
      gold_(gold),
      workspace_(workspace.counts) {
  const std::size_t length = gold.labels.size();
  auto& posteriors = workspace_.posteriors;
  posteriors.assign(scores, scores + length * transitions.stride());
  const double log_z = marginals(posteriors.data(), length, transitions, workspace, nullptr);
  if (!std::isfinite(log_z)) return;
  possible_ = count_forward({scores, posteriors.data(), gold, transitions, kLeastStateProbability},
                            rules, workspace_, result_);
}

learn::SplitStatistics SentenceCounts::statistics() const noexcept {
  return {.nodes = gold_.labels.size(),
          .splits = result_.cells,
          .largest_splits = result_.largest,
          .largest_cut = result_.cut};
}

bool SentenceCounts::write(std::span<const double> by_count, PairDerivatives& pairs) {
  const CountInput input{scores_, workspace_.posteriors.data(), gold_, transitions_, 0};
  auto& derivatives = workspace_.derivatives;
  derivatives.resize(workspace_.posteriors.size());
  if (!count_backward(input, rules_, result_, by_count, workspace_, derivatives.data(),
                      pairs.by_weight())) {
    return false;
  }
  std::copy(derivatives.begin(), derivatives.end(), scores_);
  return true;
}

GoalValues goal_margin(std::span<const CountProbability> table, std::span<const double> losses) {
  GoalValues goal;
  double largest = -std::numeric_limits<double>::infinity(), total = 0;
  for (const double loss : losses) largest = std::max(largest, loss);
  for (std::size_t k = 0; k < losses.size(); ++k) {
    goal.derivatives.push_back(std::exp(losses[k] - largest));
    total += table[k].probability * goal.derivatives[k];
  }
  for (double& derivative : goal.derivatives) derivative /= total;
  goal.value = largest + std::log(total);
  return goal;
}

GoalValues goal_risk(std::span<const CountProbability> table, std::span<const double> losses) {
  GoalValues goal;
  double total = 0;
  for (std::size_t k = 0; k < losses.size(); ++k) {
    goal.value += table[k].probability * losses[k];
    total += table[k].probability;
  }
  goal.value /= total;
  for (const double loss : losses) goal.derivatives.push_back((loss - goal.value) / total);
  return goal;
}

}  // namespace coppice::chain

// One sentence on its way through an objective whose loss its counts (n, d) decide: their
// distribution by the dense kernel, and derivatives back to scores.
#pragma once

#include <span>
#include <vector>

#include "chain/count_kernel.h"
#include "chain/pair_derivatives.h"
#include "coppice/forest/count_distribution.h"
#include "coppice/learn/engine.h"

namespace coppice::chain {

class SentenceCounts {
 public:
  // `rules`, `gold` and the workspace must outlive it; it is the workspace's until it goes.
  SentenceCounts(float* scores, const Transitions& transitions, const CountRules& rules,
                 const GoldItems& gold, Workspace& workspace);

  // False where every path is forbidden, or floats do not suffice.
  bool possible() const noexcept { return possible_; }
  double log_partition() const noexcept { return result_.log_partition; }
  // P(n, d), ascending.
  const std::vector<CountProbability>& table() const noexcept { return result_.goal; }
  learn::SplitStatistics statistics() const noexcept;

  // Replaces the sentence's scores by the derivatives of what has the derivative `by_count` by each
  // entry of the table. False where floats do not suffice; the scores are then as before.
  bool write(std::span<const double> by_count, PairDerivatives& pairs);

 private:
  float* scores_;
  const Transitions& transitions_;
  const CountRules& rules_;
  const GoldItems& gold_;
  CountWorkspace& workspace_;
  CountResult result_;
  bool possible_ = false;
};

// A function of the table, and its derivatives by the log weights of the counts divided by P.
struct GoalValues {
  double value = 0;
  std::vector<double> derivatives{};
};
// ln E[e^l].
GoalValues goal_margin(std::span<const CountProbability> table, std::span<const double> losses);
// E[l].
GoalValues goal_risk(std::span<const CountProbability> table, std::span<const double> losses);

}  // namespace coppice::chain

// The loss of a training objective on a forest with parts:
//
//     hamming                     mistakes of the edges
//     dec-precision, -recall, -f1  false_positive (d+ - n+) + false_negative max(c+ - n+, 0)
//     precision, recall, f1        1 minus the measure of the example's counts, exact
//
// all multiplied by tau (learn/measure.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "coppice/learn/measure.h"
#include "coppice/learn/structure.h"
#include "coppice/learn/training_objective.h"

namespace coppice::learn {

class PartLoss {
 public:
  // Throws InvalidArgument for costs of types that the structure does not have, and for a matrix of
  // label costs, which needs a structure with labels at tokens.
  PartLoss(const TrainingObjective& objective, std::span<const std::string> item_types);

  bool is_measure() const noexcept { return objective_.is_measure(); }
  // tau l of each edge. Throws InvalidArgument where the target lacks the tables that it takes.
  EdgeMap<double> of_edges(const PartTarget& target) const;
  // tau l of an example's counts. Requires is_measure().
  double of_counts(Counts counts, std::uint32_t num_gold) const;

 private:
  TrainingObjective objective_;
  ErrorCosts costs_{};               // of items without a type
  std::vector<ErrorCosts> by_type_;  // empty: all types cost the same
};

}  // namespace coppice::learn

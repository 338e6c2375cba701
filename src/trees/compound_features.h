// Compound features with the examples that have them, and their weights, fitted together.
//
// Minimised is  L(h) + lambda sum over f of cost_f |Theta_f|,  h(i) = sum of Theta_f over f in i,
// by coordinate descent with the steps of leaf_fit.h, so the objective never rises.
//
// Cost of a step: one pass over the examples of the feature, and an exponential for each when the
// weight moves. Memory: 4 bytes for each example of each feature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "coppice/base/threads.h"
#include "trees/conjunction.h"
#include "trees/leaf_fit.h"

namespace coppice::trees {

struct HeldFeature {
  Conjunction name;
  Ensemble path;                    // one tree, whose value is 1 for examples with the feature
  std::vector<std::uint32_t> rows;  // those examples
  double cost = 1;
  float weight = 0;
};

class CompoundFeatures {
 public:
  // `margins` shows `scores`, which belong to the caller and follow the weights.
  CompoundFeatures(const BinaryMargins& margins, std::vector<float>& scores)
      : margins_(margins), scores_(scores), wrong_(scores.size()) {}

  bool has(const Conjunction& name) const { return names_.contains(name); }
  // With weight 0. Requires a name that is not there.
  void add(HeldFeature feature);

  // Fits weights until a pass over all of them takes no more than `least` off the objective.
  void fit(double lambda, double least, const Threads& threads);

  // Drops the features whose weight is 0, and sums up the scores anew: without rounding errors.
  void settle(const Threads& threads);

  const std::vector<HeldFeature>& features() const noexcept { return features_; }
  std::size_t num_weights() const noexcept;  // that are not 0
  double penalty() const noexcept;           // sum of cost_f |Theta_f|

 private:
  enum class Pass { kAll, kWeighted };
  double pass(Pass which, double lambda, const Threads& threads);
  void weigh(const Threads& threads);

  BinaryMargins margins_;
  std::vector<float>& scores_;
  std::vector<float> wrong_;  // 1 / (1 + exp(margin)), by example
  std::vector<HeldFeature> features_;
  std::set<Conjunction> names_;
};

}  // namespace coppice::trees

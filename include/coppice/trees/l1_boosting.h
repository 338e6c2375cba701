// l1-regularised boosting of confidence-rated trees, for two classes.
//
// Examples have y = +1 or -1 and an importance b > 0; h(i) is the sum of the values of the leaves
// that i falls into. Minimised is
//
//     sum over i of  b(i) ln(1 + exp(-y(i) h(i)))  +  lambda sum over f of |Theta_f|
//
// where a compound feature f is a path from a root to a leaf: a conjunction of questions and
// negated questions. Equal conjunctions of several trees are one compound feature. With the weight
// w(i) = b(i) / (1 + exp(y(i) h(i))), the derivative of the loss by Theta_f is
// -(sum over i in f of y(i) w(i)), and the gain of f is max(0, |derivative| - lambda). A leaf is
// split by the question with the largest sum of gains of its two sides, and only if that exceeds
// its own gain. Then the value of every leaf is set by line search (leaf_fit.h).
//
// lambda begins where no feature has gain, and is multiplied by `lambda_factor` when a tree lowers
// the objective no more (by less than `tolerance` of it). So one run walks the whole path of
// lambdas, and the model at each of them is a prefix of the trees.
// Turian, Wellington and Melamed (2006); splits from a sample: Turian and Melamed (2006b).
//
// Cost of a tree: that of grow.h, and a few exponentials for each example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "coppice/trees/examples.h"
#include "coppice/trees/grow.h"

namespace coppice::trees {

struct L1Options {
  GrowOptions grow{};
  double lambda_factor = 0.7;
  double min_lambda = 1;      // the end of the path, in units of importance
  std::size_t max_trees = 0;  // 0: no limit
  double tolerance = 1e-4;
  double sample = 1;  // the share of examples that splits are chosen on
  // So many points of the path that had new trees, and no better development loss, end it; 0: none.
  unsigned patience = 3;
  std::uint64_t seed = 1;  // of samples
};

// The model at one lambda.
struct PathPoint {
  double lambda = 0;
  std::size_t trees = 0;     // the first so many
  std::size_t features = 0;  // compound features with a weight
  double objective = 0;
  double loss = 0;                           // of the training data, per unit of importance
  std::optional<double> development_loss{};  // of the development data
};

class L1Booster {
 public:
  // What the arguments show must outlive this. `positive` is the class with y = +1. Throws
  // InvalidArgument when options are out of range.
  L1Booster(const Schema& schema, const ExampleView& train, const ExampleView& development,
            std::uint16_t positive, const L1Options& options);
  ~L1Booster();
  L1Booster(L1Booster&&) noexcept;
  L1Booster& operator=(L1Booster&&) noexcept;

  // One tree more, or a lower lambda; false when the path is at its end.
  bool step(const Threads& threads);

  double lambda() const noexcept;
  double objective() const noexcept;
  const Ensemble& trees() const noexcept;
  // Grows when lambda is lowered; at the end it has the last lambda too.
  const std::vector<PathPoint>& path() const noexcept;
  // The point with the lowest development loss, or the last one without development data.
  std::size_t best_point() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace coppice::trees

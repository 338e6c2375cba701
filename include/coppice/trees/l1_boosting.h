// l1-regularised boosting of confidence-rated trees, for two classes.
//
// Examples have y = +1 or -1 and an importance b > 0; h(i) is the sum of the values of the leaves
// that i falls into. Minimised is
//
//     sum over i of  b(i) ln(1 + exp(-y(i) h(i)))  +  lambda sum over f of cost_f |Theta_f|
//
// where a compound feature f is a path from a root to a leaf: a conjunction of questions and
// negated questions. Equal conjunctions of several trees are one compound feature. With the weight
// w(i) = b(i) / (1 + exp(y(i) h(i))), the derivative of the loss by Theta_f is
// -(sum over i in f of y(i) w(i)), and the gain of f is max(0, |derivative| - lambda cost_f). A
// leaf is split by the question with the largest sum of gains of its two sides, and only if that
// exceeds its own gain.
//
// cost_f = 1 + question_cost (questions of f - 1). With a cost of 0 there is always some rare
// question that keeps a single example with the other answer out of a leaf, which raises the gain
// and means nothing; with k, what is kept out must have a derivative above k lambda.
//
// What a round does:
//
//     Fit::kTree   grows one tree and sets the values of its leaves by line search (leaf_fit.h);
//                  earlier values stay. Turian, Wellington and Melamed (2006); splits from a
//                  sample: Turian and Melamed (2006b).
//     Fit::kAll    grows a tree from every question with a gain, and fits the weights of all
//                  compound features together: those that have become superfluous go back to 0.
//                  Far lower objective, fewer features; keeps the examples by feature in memory.
//
// lambda begins where no feature has gain, and is multiplied by `lambda_factor` when a round lowers
// the objective no more (by less than `tolerance` of it). So one run walks the whole path of
// lambdas. The model at each of them is a prefix of the trees (kTree), or a weight for some of them
// (kAll, where every compound feature is a tree that is a single path).
//
// Cost of a round: kTree that of grow.h and a few exponentials for each example; kAll some dozens
// of passes over the examples of the features with a weight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "coppice/trees/examples.h"
#include "coppice/trees/grow.h"

namespace coppice::trees {

enum class Fit { kTree, kAll };

struct L1Options {
  GrowOptions grow{.max_depth = 3};
  Fit fit = Fit::kAll;
  double question_cost = 2;
  double lambda_factor = 0.7;
  double min_lambda = 1;      // the end of the path, in units of importance
  std::size_t max_trees = 0;  // kAll: compound features; 0: no limit
  double tolerance = 1e-4;
  double sample = 1;  // the share of examples that splits are chosen on; kTree only
  // So many points of the path that had another model, and no better development loss, end it; 0:
  // none.
  unsigned patience = 3;
  // The best point is the first whose development loss exceeds the lowest by at most this share.
  double within = 0;
  std::uint64_t seed = 1;  // of samples
};

struct TreeWeight {
  std::uint32_t tree = 0;
  float weight = 0;  // which its values are multiplied by
};

// The model at one lambda.
struct PathPoint {
  double lambda = 0;
  std::size_t trees = 0;     // in use
  std::size_t features = 0;  // compound features with a weight
  double objective = 0;
  double loss = 0;                           // of the training data, per unit of importance
  std::optional<double> development_loss{};  // of the development data
  // Of the trees in use, ascending; without it, they are the first `trees`.
  std::optional<std::vector<TreeWeight>> weights{};
};

// The trees in use at a point, their values times their weights. Requires trees without sets and
// surrogates, among them those of the point.
Ensemble trees_at(const PathPoint& point, const EnsembleView& trees);

class L1Booster {
 public:
  // What the arguments show must outlive this. `positive` is the class with y = +1. Throws
  // InvalidArgument when options are out of range, and when Fit::kAll meets a sample or a
  // categorical feature.
  L1Booster(const Schema& schema, const ExampleView& train, const ExampleView& development,
            std::uint16_t positive, const L1Options& options);
  ~L1Booster();
  L1Booster(L1Booster&&) noexcept;
  L1Booster& operator=(L1Booster&&) noexcept;

  // A learner of another class of the same examples that has made no step. Shares what is only
  // read.
  L1Booster for_class(std::uint16_t positive) const;

  // One round, or a lower lambda; false when the path is at its end.
  bool step(const Threads& threads);

  double lambda() const noexcept;
  double objective() const noexcept;
  const Ensemble& trees() const noexcept;
  // Grows when lambda is lowered; at the end it has the last lambda too.
  const std::vector<PathPoint>& path() const noexcept;
  // The first point with the lowest development loss, or nearly (`within`); the last one without
  // development data.
  std::size_t best_point() const noexcept;

 private:
  struct State;
  explicit L1Booster(std::unique_ptr<State> state) noexcept;

  std::unique_ptr<State> state_;
};

}  // namespace coppice::trees

// Gradient tree boosting of a structure's potential (TreeCRF, for chains): the score of a cell is a
// sum of regression trees over the cell's inputs.
//
//     F_v(row, state) = sum over rounds of  shrinkage * tree_v(row, state)
//
// One round takes the derivative of the objective by every F_v(row, state) and fits for each output
// v one tree to the negative of it, grown best-first to `max_leaves` leaves. A leaf's value is the
// mean of its targets, which fits the trees to the gradient by squares, or with `newton` the sum of
// its targets over that of |d| max(1 - |d|, 0.1), d the derivatives: for a likelihood about its
// curvature p (1 - p), of a cell by itself. Since trees of all outputs and rows step together, the
// objective bends more than these add up to, and steps by them would overshoot: curvatures are
// multiplied by how many times as much it bent along the round before, if more than once. A value
// is kept within [-4, 4].
//
// The first `pseudo_rounds` rounds follow the pseudo-likelihood where the structure has one, which
// pulls far-off scores in faster; then the objective.
//
// Dietterich, Hao and Ashenfelter (2004), "Gradient Tree Boosting for Training Conditional Random
// Fields", JMLR 9. Influence trimming: Friedman, Hastie and Tibshirani (2000). Cost of a round: an
// evaluation of the objective, and a tree for each output; memory 12 bytes per cell, and 4 per bin
// of the rows. Threads: examples, outputs and the work within a tree are shared out; the result is
// the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "coppice/base/threads.h"
#include "coppice/learn/boostable.h"
#include "coppice/learn/checkpoint.h"
#include "coppice/trees/tree.h"

namespace coppice::learn {

struct BoostingOptions {
  std::size_t max_leaves = 16;
  double shrinkage = 1;
  bool newton = false;
  double ridge = 1;  // added to the curvature of a leaf, with `newton`
  std::uint64_t pseudo_rounds = 3;
  double row_fraction = 1;      // of the rows, drawn again for each tree
  double feature_fraction = 1;  // of the features, drawn again for each tree
  double trim = 0;              // leave out rows that together have this share of all |d|
  std::uint64_t max_surrogates = 0;
  // Grown on draws of their own and averaged: less depends on what was drawn.
  std::size_t trees_per_round = 1;
  // Rounds in each stage but the last of an objective that changes (risk).
  std::size_t stage_rounds = 15;
  std::uint64_t seed = 1;
};

class Booster {
 public:
  // The corpus must outlive this. Throws InvalidArgument when options are out of range or there is
  // no row.
  Booster(Boostable& corpus, const BoostingOptions& options);
  ~Booster();
  Booster(Booster&&) noexcept;
  Booster& operator=(Booster&&) noexcept;

  // One round: trees for each output. Returns the value of the objective before it. Throws Error
  // (E310) naming the example where that is not finite.
  double round(const Threads& threads);

  // Takes over the trees of an earlier booster with the same corpus, options and start scores, in
  // place of growing them: it then goes on to the same trees, bit for bit. Before the first round.
  // Throws InvalidArgument unless they are whole rounds that fit the schema.
  void replay(const trees::EnsembleView& trees, const Threads& threads);

  std::size_t num_rounds() const noexcept;
  // All trees, round by round, those of the first output first.
  const trees::Ensemble& trees() const noexcept;
  // The trees of the first `rounds` rounds.
  trees::EnsembleView trees(std::size_t rounds) const noexcept;

  // The trees so far; load() replays them, before the first round, and throws ModelError (E430)
  // where they do not fit.
  void save(CheckpointWriter& out) const;
  void load(CheckpointReader& in, const Threads& threads);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace coppice::learn

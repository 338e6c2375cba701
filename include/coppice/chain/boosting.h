// Gradient tree boosting of a chain (TreeCRF): the scores of label pairs at tokens are sums of
// regression trees over the token's inputs and the label before.
//
//     F_v(u, w_t) = sum over rounds of  shrinkage * tree_v(w_t, u)
//
// One round takes the derivative of the objective by every F_v(u, w_t), for all tokens t, labels u
// before and labels v, and fits for each v one tree to the negative of it, grown best-first to
// `max_leaves` leaves. The label before is the state of an example (trees/grow.h), so the features
// of a token are read once for all labels before it. A leaf's value is the mean of its targets,
// which fits the trees to the gradient by squares, or with `newton` the sum of its targets over
// that of |d| max(1 - |d|, 0.1), d the derivatives: for a likelihood about its curvature p (1 - p),
// of a pair by itself. Since trees of all labels and tokens step together, the objective bends more
// than these add up to, and steps by them would overshoot: curvatures are multiplied by how many
// times as much it bent along the round before, if more than once. A value is kept within [-4, 4].
//
// In a chain of order 2 or more, and in one that is pruned, sentences are lattices (TreeCorpus):
// trees see the last `label_depth` labels before a token (chain/label_histories.h), a factor each,
// and score the edges of the lattices; what a lattice lacks does not count.
//
// The first `pseudo_rounds` rounds follow the pseudo-likelihood, which pulls far-off scores in
// faster; then the objective given.
//
// Dietterich, Hao and Ashenfelter (2004). Influence trimming: Friedman, Hastie and Tibshirani
// (2000). Cost of a round: forward-backward over the corpus, and a tree for each label; memory 12
// bytes for each token, history that trees tell apart, and label, and 4 for each bin of the rows.
// Threads: sentences, labels and the work within a tree are shared out; the result is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "coppice/base/threads.h"
#include "coppice/chain/dataset.h"
#include "coppice/chain/edge_objective.h"
#include "coppice/chain/label_histories.h"
#include "coppice/chain/label_lattice.h"
#include "coppice/trees/grow.h"

namespace coppice::chain {

struct BoostingOptions {
  std::size_t max_leaves = 16;
  double shrinkage = 1;
  bool newton = false;
  double ridge = 1;  // added to the curvature of a leaf, with `newton`
  unsigned pseudo_rounds = 3;
  double row_fraction = 1;      // of the tokens, drawn anew for each tree
  double feature_fraction = 1;  // of the features, drawn anew for each tree
  double trim = 0;              // leave out tokens that together have this share of all |d|
  unsigned max_surrogates = 0;
  // Grown on draws of their own and averaged: less depends on what was drawn.
  std::size_t trees_per_round = 1;
  // Rounds in each stage but the last of an objective that changes (risk).
  std::size_t stage_rounds = 15;
  unsigned label_depth = kMaxOrder;  // labels before a token that trees see; the order at the most
  std::uint64_t seed = 1;
};

// Sentences as trees see them: rows of inputs, and where sentences begin.
struct TreeCorpus {
  trees::BinMatrix rows;
  std::span<const std::uint32_t> sentence_begin;
  // By sentence, of edges without parts: what is scored in place of all label pairs. Empty for
  // chains of order 0 and 1 that are not pruned.
  std::span<const LabelLattice> lattices{};

  std::size_t num_sentences() const noexcept { return sentence_begin.size() - 1; }
};

class ChainBooster {
 public:
  // What the arguments show must outlive this, except for the objective. Throws InvalidArgument
  // when options are out of range, there is no token, or the order and lattices do not go
  // together.
  ChainBooster(const trees::Schema& schema, const TreeCorpus& corpus, const Dataset& gold,
               const Constraints& constraints, unsigned order, const BoostingOptions& options,
               std::unique_ptr<EdgeObjective> objective = std::make_unique<EdgeLikelihood>());
  ~ChainBooster();
  ChainBooster(ChainBooster&&) noexcept;
  ChainBooster& operator=(ChainBooster&&) noexcept;

  // Other sentences whose scores are kept up to date; returns their number for scores().
  std::size_t follow(const TreeCorpus& corpus);

  // The scores that a sentence starts with, constraints only, for another potential to add its own:
  // trees are then fitted to what that leaves. Before the first round; InvalidArgument after it.
  // Scores are in the layout of shape(), or by edge of the sentence's lattice.
  std::span<float> start_scores(std::size_t sentence);
  std::span<float> start_scores(std::size_t followed, std::size_t sentence);

  // One round: trees for each label. Returns the value of the objective before it. Throws Error
  // (E310) naming the sentence where that is not finite.
  double round(const Threads& threads);

  // Takes over the trees of an earlier booster with the same arguments and start scores, in place
  // of growing them: it then goes on to the same trees, bit for bit. Before the first round. Throws
  // InvalidArgument unless they are whole rounds that fit the schema.
  void replay(const trees::EnsembleView& trees, const Threads& threads);

  std::size_t num_rounds() const noexcept;
  const EdgeShape& shape() const noexcept;  // not looked at where there are lattices
  const LabelHistories& histories() const noexcept;
  // All trees, round by round, those of the first label first; the output of a tree is its label.
  const trees::Ensemble& trees() const noexcept;
  // The scores of a sentence of the training data.
  std::span<const float> scores(std::size_t sentence) const noexcept;
  // And of a sentence of the corpus that follow() gave this number.
  std::span<const float> scores(std::size_t followed, std::size_t sentence) const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Scores of a sentence whose constraints are -inf and everything else 0.
void constrained_scores(const EdgeShape& shape, const Constraints& constraints, std::size_t length,
                        std::vector<float>& scores);

}  // namespace coppice::chain

// A chain whose label pairs are scored by trees, as boosting sees it (learn/boostable.h).
//
//     F_v(u, w_t) = sum over rounds of  shrinkage * tree_v(w_t, u)
//
// A row is a token's inputs, an output a label, and a state what trees see of the labels before the
// token (chain/label_histories.h): the features of a token are read once for all labels before it.
// In a chain of order 2 or more, and in one that is pruned, sentences are lattices: trees see the
// last `label_depth` labels before a token, a factor each, and score the edges of the lattices;
// what a lattice lacks does not count.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "chain/dataset.h"
#include "chain/edge_kernel.h"
#include "chain/label_histories.h"
#include "chain/label_lattice.h"
#include "chain/loss.h"
#include "coppice/base/threads.h"
#include "coppice/learn/boostable.h"

namespace coppice::chain {

class BoostedScores;  // of src/chain/boosted_scores.h

// Sentences as trees see them: rows of inputs, and where sentences begin.
struct TreeCorpus {
  trees::BinMatrix rows;
  std::span<const std::uint32_t> sentence_begin;
  // By sentence, of edges without parts: what is scored in place of all label pairs. Empty for
  // chains of order 0 and 1 that are not pruned.
  std::span<const LabelLattice> lattices{};

  std::size_t num_sentences() const noexcept { return sentence_begin.size() - 1; }
};

struct BoostedChainOptions {
  unsigned order = 1;
  unsigned label_depth = kMaxOrder;  // labels before a token that trees see; the order at the most
};

class BoostedChain final : public learn::Boostable {
 public:
  // What the arguments show must outlive this, except for objective and loss. Throws
  // InvalidArgument when there is no token, or the order and lattices do not go together.
  BoostedChain(const trees::Schema& schema, const TreeCorpus& corpus, const Dataset& gold,
               const Constraints& constraints, const BoostedChainOptions& options,
               const learn::TrainingObjective& objective, LossTables loss);
  ~BoostedChain() override;

  // Other sentences whose scores are kept up to date; returns their number for scores(). Before the
  // first round.
  std::size_t follow(const TreeCorpus& corpus);

  // The scores that a sentence starts with, constraints only, for another potential to add its own:
  // trees are then fitted to what that leaves. Before the first round. Scores are in the layout of
  // shape(), or by edge of the sentence's lattice.
  std::span<float> start_scores(std::size_t sentence);
  std::span<float> start_scores(std::size_t followed, std::size_t sentence);

  const EdgeShape& shape() const noexcept { return shape_; }  // not read where there are lattices
  const LabelHistories& histories() const noexcept { return histories_; }
  // The scores of a sentence of the training data.
  std::span<const float> scores(std::size_t sentence) const noexcept;
  // How many sentences the first corpus has that is followed; 0 without one.
  std::size_t num_followed() const noexcept;
  // And of a sentence of the corpus that follow() gave this number.
  std::span<const float> scores(std::size_t followed, std::size_t sentence) const noexcept;

  const trees::Schema& schema() const noexcept override { return schema_; }
  trees::BinMatrix rows() const noexcept override;
  std::size_t num_outputs() const noexcept override { return shape_.labels; }
  trees::States states() const override { return histories_.states(); }
  std::size_t num_examples() const noexcept override { return data_.num_sentences(); }
  double differentiate(learn::RoundGoal goal, std::span<float> descents,
                       const Threads& threads) override;
  void forget_impossible(std::size_t label, std::span<std::int32_t> curvature) const override;
  void add(const trees::Predictor& predictor, const Threads& threads, const Said& said) override;
  learn::StagedObjective& objective() noexcept override { return objective_; }
  bool has_pseudo_likelihood() const noexcept override { return true; }

 private:
  struct Worker;

  // Calls use(engine) with the engine of a sentence, whose scores are copied to worker.derivatives.
  template <class Use>
  double with_engine(std::size_t sentence, Worker& worker, const Use& use);
  double evaluate(learn::RoundGoal goal, std::size_t sentence, Worker& worker,
                  std::span<float> descents);
  // Derivatives as targets of trees: by edges of the sentence's lattice, of which several may be
  // one cell, or by pairs.
  void descend_edges(std::span<const float> derivatives, std::size_t sentence,
                     std::span<float> descents) const;
  void descend_pairs(std::span<const float> derivatives, std::size_t sentence,
                     std::span<float> descents) const;
  std::size_t place(std::size_t label, std::size_t token) const noexcept {
    return (label * data_.num_tokens() + token) * histories_.size();
  }
  template <class Visit>
  void for_sentences(const Threads& threads, const Visit& visit) const;
  void find_impossible_states();
  void forget_unlisted(std::size_t label, std::span<std::int32_t> curvature) const;

  const trees::Schema& schema_;
  const Dataset& data_;
  const Constraints& constraints_;
  learn::StagedObjective objective_;
  LossTables loss_;
  EdgeShape shape_;
  LabelHistories histories_;
  std::unique_ptr<BoostedScores> train_;
  std::vector<BoostedScores> followed_;
  std::array<std::vector<std::vector<std::size_t>>, 4> impossible_states_;  // [place][label]
};

// Scores of a sentence whose constraints are -inf and everything else 0.
void constrained_scores(const EdgeShape& shape, const Constraints& constraints, std::size_t length,
                        std::vector<float>& scores);

}  // namespace coppice::chain

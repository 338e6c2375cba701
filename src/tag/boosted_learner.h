// The training of a tagger's trees: rounds of chain/boosting.h, with the sentences of a Dataset.
//
// Beside a linear tagger, trees are fitted to what its scores leave: these are where boosting
// starts from.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "chain/boosted_lattices.h"
#include "coppice/chain/boosting.h"
#include "coppice/chain/corpus_objective.h"
#include "coppice/learn/checkpoint.h"
#include "coppice/score/tree_inputs.h"
#include "coppice/tag/encode.h"
#include "coppice/tag/tagger_training.h"

namespace coppice::tag {

// Training data, with the keys and groups of its attributes (DatasetBuilder::Result).
struct BoostingData {
  chain::Dataset data;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> groups;
  std::vector<std::uint64_t> pair_keys;  // of Dataset::pair_design
};

class BoostedLearner {
 public:
  // Lays the data out as rows of bins, without its design matrix from then on. `linear`, if not
  // null, is looked at here and in follow() only; where the chain is pruned, it is what prunes.
  BoostedLearner(BoostingData encoded, chain::Constraints constraints,
                 const chain::ChainOptions& chain, const TreeTrainingOptions& options,
                 std::unique_ptr<chain::EdgeObjective> objective, const Tagger* linear = nullptr);
  BoostedLearner(const BoostedLearner&) = delete;  // the booster looks at the other members
  BoostedLearner& operator=(const BoostedLearner&) = delete;

  // Keeps up the scores of these sentences too. Call it once, before the first round, with the
  // linear tagger of the constructor.
  void follow(std::span<const text::Sentence> sentences, const text::Extractor& extractor,
              FeatureCells columns, const Tagger* linear = nullptr);
  // Counts on from what a linear part has done.
  void count_from(const chain::TrainingProgress& before);

  // For going on later; load() comes after follow() and count_from(), before the first round.
  void save(learn::CheckpointWriter& out) const;
  void load(learn::CheckpointReader& in, const Threads& threads);

  // One round; false when there have been all.
  bool iterate(const Threads& threads);
  const chain::TrainingProgress& progress() const noexcept { return progress_; }
  std::uint64_t num_rounds() const noexcept { return booster_.num_rounds(); }
  std::uint64_t rounds_left() const noexcept { return options_.rounds - num_rounds(); }

  // The labels of a sentence that is followed, by the trees so far.
  void labels(std::size_t sentence, Decoding decoding, std::vector<std::uint16_t>& labels) const;
  // The share of training tokens, of those with one label, that get it.
  double training_accuracy(Decoding decoding, const Threads& threads) const;

  const chain::Constraints& constraints() const noexcept { return constraints_; }
  const TreeInputs& inputs() const noexcept { return inputs_; }
  // The trees of the first `rounds` rounds.
  trees::EnsembleView trees(std::uint64_t rounds) const noexcept;

 private:
  // None where the chain needs none.
  chain::BoostedLattices lay_out(const Tagger* linear, std::span<const std::uint64_t> keys) const;
  void add_linear(const Tagger& linear, const BoostingData& encoded);
  void add_linear_pairs(const chain::FrozenPairs& pairs, std::span<const std::uint64_t> keys);
  void follow_lattices(std::span<const text::Sentence> sentences, FeatureCells columns,
                       const Tagger* linear);
  void start_from_linear(std::size_t followed, std::span<const text::Sentence> sentences,
                         FeatureCells columns, const Tagger& linear);
  // `lattice` is null where the chain has none.
  void decode(std::span<const float> scores, const chain::LabelLattice* lattice, Decoding decoding,
              std::vector<std::uint16_t>& labels) const;

  chain::Dataset data_;
  chain::Constraints constraints_;
  chain::ChainOptions chain_;
  TreeTrainingOptions options_;
  TreeInputs inputs_;
  trees::ExampleTable train_, followed_;
  std::vector<std::uint32_t> followed_begin_{0};
  chain::BoostedLattices train_lattices_, followed_lattices_;  // empty where the chain has none
  chain::ChainBooster booster_;
  chain::TrainingProgress progress_;
};

}  // namespace coppice::tag

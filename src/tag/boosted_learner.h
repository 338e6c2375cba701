// The trees of a tagger in training: rows of inputs, and the chain that boosting follows
// (chain/boosted_chain.h).
//
// Beside a linear potential, trees are fitted to what its scores leave: these are where boosting
// starts from. Where the chain is pruned, the linear potential is what prunes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "chain/boosted_chain.h"
#include "chain/boosted_lattices.h"
#include "chain/corpus_objective.h"
#include "coppice/learn/booster.h"
#include "coppice/score/tree_inputs.h"
#include "coppice/tag/tagger_training.h"
#include "tag/development_set.h"

namespace coppice::tag {

// What trees learn from. All must outlive the learner.
struct BoostingSource {
  const chain::Dataset& gold;  // its design matrix is not read
  const chain::Constraints& constraints;
  const chain::ChainOptions& chain;
  const DevelopmentSet& development;
  // The linear potential beside the trees and its weights, or null; read by start() only.
  const chain::CorpusObjective* linear = nullptr;
  std::span<const float> weights{};
};

class BoostedLearner {
 public:
  // Encodes the tokens of the design matrix as rows of bins.
  BoostedLearner(const DesignMatrix& design, std::span<const std::uint64_t> keys,
                 std::span<const std::uint32_t> groups, const TreeTrainingOptions& options);
  BoostedLearner(const BoostedLearner&) = delete;  // the booster looks at the other members
  BoostedLearner& operator=(const BoostedLearner&) = delete;

  const TreeInputs& inputs() const noexcept { return inputs_; }
  // Lays out the scores of training and development sentences.
  learn::Booster& start(const BoostingSource& source, const learn::TrainingObjective& objective,
                        chain::LossTables loss);

  // After start(). The trees of the first `rounds` rounds.
  trees::EnsembleView trees(std::size_t rounds) const noexcept { return booster_->trees(rounds); }
  // The labels of the development sentences by the trees so far.
  DevelopmentSet::Labels development_labels(Decoding decoding) const;
  // The share of training tokens, of those with one label, that get it.
  double training_accuracy(Decoding decoding, const Threads& threads) const;

 private:
  // The chain's lattices, of training and development sentences; none where it needs none.
  void lay_out(const BoostingSource& source);
  void add_linear(const BoostingSource& source);
  // `lattice` is null where the chain has none.
  void decode(std::span<const float> scores, const chain::LabelLattice* lattice, Decoding decoding,
              std::vector<std::uint16_t>& labels) const;

  TreeTrainingOptions options_;
  TreeInputs inputs_;
  trees::ExampleTable train_;
  const chain::Dataset* data_ = nullptr;
  chain::BoostedLattices train_lattices_, development_lattices_;
  std::optional<chain::BoostedChain> chain_;
  std::optional<learn::Booster> booster_;
};

}  // namespace coppice::tag

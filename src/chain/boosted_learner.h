// The training of a tagger's trees: rounds of chain/boosting.h, with the sentences of a Dataset.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "coppice/chain/boosting.h"
#include "coppice/chain/encode.h"
#include "coppice/chain/tagger_training.h"
#include "coppice/score/tree_inputs.h"

namespace coppice::chain {

class BoostedLearner {
 public:
  // Lays the data out as rows of bins, without its design matrix from then on.
  BoostedLearner(DatasetBuilder::Result encoded, Constraints constraints, unsigned order,
                 const TreeTrainingOptions& options);
  BoostedLearner(const BoostedLearner&) = delete;  // the booster looks at the other members
  BoostedLearner& operator=(const BoostedLearner&) = delete;

  // Keeps up the scores of these sentences too. Call it once, before the first round.
  void follow(std::span<const text::Sentence> sentences, const text::Extractor& extractor,
              FeatureCells columns);

  // One round; false when there have been all.
  bool iterate(const Threads& threads);
  const TrainingProgress& progress() const noexcept { return progress_; }

  // The best labels of a sentence that is followed, by the trees so far.
  void best_labels(std::size_t sentence, std::vector<std::uint16_t>& labels) const;

  const Constraints& constraints() const noexcept { return constraints_; }
  const TreeInputs& inputs() const noexcept { return inputs_; }
  // The trees of the first `rounds` rounds.
  trees::EnsembleView trees(std::uint64_t rounds) const noexcept;
  std::size_t num_leaves() const noexcept;

 private:
  Dataset data_;
  Constraints constraints_;
  TreeTrainingOptions options_;
  TreeInputs inputs_;
  trees::ExampleTable train_, followed_;
  std::vector<std::uint32_t> followed_begin_{0};
  ChainBooster booster_;
  TrainingProgress progress_;
};

}  // namespace coppice::chain

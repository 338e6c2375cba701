// A structure's examples under boosted trees, as a Boostable: one ensemble per output, which reads
// the features of a part's row (learn/booster.h).
//
// Rows and parts of the whole corpus are held: 4 bytes per feature of a row that trees may ask for,
// 12 per part, and the booster's cells, outputs x rows. So keep outputs few, or forests small, for
// trees. Forests and gold are laid out again in every round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/learn/boostable.h"
#include "coppice/learn/part_loss.h"
#include "coppice/learn/structure.h"
#include "coppice/score/tree_inputs.h"
#include "coppice/trees/examples.h"
#include "coppice/trees/predictor.h"

namespace coppice::learn {

// What trees may ask of the rows of a structure's examples: every feature that `min_count` rows
// have. Lays every example out once.
TreeInputs find_tree_inputs(const Structure& structure, const TreeInputOptions& options,
                            std::size_t min_count = 1);

// The parts of a set of examples, and a score for each: what trees add to.
class PartScores {
 public:
  // Lays every example out once. Scores are 0.
  PartScores(const Structure& structure, const TreeInputs& inputs);

  std::size_t num_examples() const noexcept { return part_begin_.size() - 1; }
  trees::BinMatrix rows() const noexcept { return rows_.view().rows; }
  std::span<float> scores(std::size_t example) noexcept {
    return std::span(scores_).subspan(part_begin_[example],
                                      part_begin_[example + 1] - part_begin_[example]);
  }
  std::span<const float> scores(std::size_t example) const noexcept {
    return std::span(scores_).subspan(part_begin_[example],
                                      part_begin_[example + 1] - part_begin_[example]);
  }
  // Of the example's parts; rows are those of the whole set.
  std::span<const PartCell> cells(std::size_t example) const noexcept {
    return std::span(cells_).subspan(part_begin_[example],
                                     part_begin_[example + 1] - part_begin_[example]);
  }
  void add(const trees::Predictor& predictor, const Threads& threads,
           const Boostable::Said& said = {});

 private:
  trees::ExampleTable rows_;
  std::vector<std::uint32_t> row_begin_{0};  // by example
  std::vector<std::size_t> part_begin_{0};
  std::vector<PartCell> cells_;
  std::vector<float> scores_;
};

class BoostedParts final : public Boostable {
 public:
  // All must outlive this. `scores` are those that boosting starts from: a linear potential's, or
  // 0. Throws InvalidArgument as StagedObjective and PartLoss do.
  BoostedParts(const Structure& structure, const TreeInputs& inputs, PartScores& scores,
               const TrainingObjective& objective);

  // Other examples, of development data say, that trees add to too. They must outlive this.
  void follow(PartScores& scores) { followed_.push_back(&scores); }

  const trees::Schema& schema() const noexcept override { return inputs_.schema(); }
  trees::BinMatrix rows() const noexcept override { return scores_.rows(); }
  std::size_t num_outputs() const noexcept override { return structure_.num_outputs(); }
  trees::States states() const override { return {}; }
  std::size_t num_examples() const noexcept override { return structure_.num_examples(); }
  double differentiate(RoundGoal goal, std::span<float> descents, const Threads& threads) override;
  void forget_impossible(std::size_t output, std::span<std::int32_t> curvature) const override;
  void add(const trees::Predictor& predictor, const Threads& threads, const Said& said) override;
  StagedObjective& objective() noexcept override { return objective_; }

 private:
  void look_ahead(const Threads& threads);

  const Structure& structure_;
  const TreeInputs& inputs_;
  PartScores& scores_;
  StagedObjective objective_;
  PartLoss loss_;
  std::vector<PartScores*> followed_;
};

}  // namespace coppice::learn

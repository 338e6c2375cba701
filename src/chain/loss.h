// The loss of answering a label sequence, and its tables as the engines of chains want them.
//
//     costs of labels      sum over tokens of matrix[gold][answer]; Hamming loss where all are 1
//     costs of errors      false_positive * (d - n) + false_negative * (gold - n), by type of item
//     a measure            1 - P, 1 - R or 1 - F of the sentence's (n, d)
//
// with items and counts as in chain/items.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/aligned.h"
#include "chain/items.h"
#include "coppice/forest/split.h"
#include "coppice/learn/measure.h"
#include "coppice/learn/training_objective.h"
#include "coppice/text/spans.h"

namespace coppice::chain {

struct CountRules;   // of src/chain/count_kernel.h
struct SpanFactors;  // of src/chain/span_kernel.h

struct ChainLoss {
  enum class Kind : unsigned char { kLabelCosts, kErrorCosts, kMeasure };
  Kind kind = Kind::kLabelCosts;
  std::vector<float> matrix{};              // of label costs: [gold * labels + answer]
  std::vector<learn::ErrorCosts> errors{};  // by label: of an item with that label's type
  learn::Measure measure{};

  // Cost 1 for every wrong label.
  static ChainLoss hamming(std::size_t labels);
};

// The loss that the objective names. Throws InvalidArgument for combinations that make no sense and
// for labels that do not exist.
ChainLoss chain_loss(const learn::TrainingObjective& objective, std::span<const std::string> labels,
                     text::Scheme scheme);

// Costs of labels as rows to be added to rows of scores: softmax-margin is then a likelihood. Where
// a token may have several labels, an answer costs the least of what it costs against these.
class CostRows {
 public:
  // `matrix` is [gold * labels + answer]. Throws InvalidArgument unless it has labels squared
  // entries, finite, not negative, and 0 where the answer is right.
  CostRows(std::size_t labels, const std::vector<float>& matrix, double scale);

  // To the scores of a token's labels, of which `gold` are right.
  void add(std::span<const std::uint16_t> gold, float* scores) const;

 private:
  std::size_t labels_, stride_;
  AlignedVector<float> rows_;  // scaled costs by gold label, rows as those of scores
};

// What is the same for all sentences of a training. Where the objective has no loss, only the rules
// and the scale are there.
class LossTables {
 public:
  // Throws as chain_loss() does.
  LossTables(const learn::TrainingObjective& objective, std::span<const std::string> labels,
             text::Scheme scheme);
  // Any loss, for the objective that `objective` is. Throws InvalidArgument when tables do not fit
  // the labels.
  LossTables(const learn::TrainingObjective& objective, ItemRules rules, ChainLoss loss);
  ~LossTables();
  LossTables(LossTables&&) noexcept;
  LossTables& operator=(LossTables&&) noexcept;

  const ItemRules& rules() const noexcept { return rules_; }
  const ChainLoss& loss() const noexcept { return loss_; }
  double scale() const noexcept { return scale_; }  // tau

  // Softmax-margin with costs of labels; null otherwise.
  const CostRows* cost_rows() const noexcept { return cost_rows_.get(); }
  // Softmax-margin with costs of spans, for the dense kernel; null otherwise.
  const SpanFactors* span_factors() const noexcept { return span_factors_.get(); }
  // Losses that the counts decide, for the dense kernel; null otherwise.
  const CountRules* count_rules() const noexcept { return count_rules_.get(); }

  // tau times the loss of an answer with these counts. Requires count_rules().
  double of_counts(Counts counts, std::uint32_t gold) const;

 private:
  void prepare(const learn::TrainingObjective& objective);

  ItemRules rules_;
  ChainLoss loss_;
  double scale_ = 1;
  std::unique_ptr<const CostRows> cost_rows_;
  std::unique_ptr<const SpanFactors> span_factors_;
  std::unique_ptr<const CountRules> count_rules_;
};

}  // namespace coppice::chain

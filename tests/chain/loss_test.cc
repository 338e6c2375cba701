#include "chain/loss.h"

#include <gtest/gtest.h>

#include "coppice/base/error.h"
#include "score/linear.h"

namespace coppice::chain {
namespace {

using learn::LossName;
using learn::TrainingObjective;
using enum learn::ObjectiveKind;

const std::vector<std::string> kFiveLabels{"O", "B-X", "I-X", "B-Y", "I-Y"};
const std::vector<std::string> kRawLabels{"N", "V"};

LossTables tables(const TrainingObjective& objective) {
  return LossTables(objective, kFiveLabels, text::Scheme::kIob2);
}

TEST(CostRows, RefusesCostsOfRightLabels) {
  EXPECT_THROW(CostRows(2, {1, 1, 1, 0}, 1), InvalidArgument);
  EXPECT_THROW(CostRows(2, {0, -1, 1, 0}, 1), InvalidArgument);
  EXPECT_THROW(CostRows(2, {0, 1, 1}, 1), InvalidArgument);
}

TEST(CostRows, TakesTheLeastCostWhereSeveralLabelsAreRight) {
  const CostRows rows(3, {0, 1, 2, 4, 0, 8, 3, 5, 0}, 0.5);
  std::vector<float> scores(row_stride(3), 1.0f);
  const std::vector<std::uint16_t> none{}, one{1}, two{0, 2};
  rows.add(none, scores.data());
  EXPECT_EQ(std::vector<float>(scores.begin(), scores.begin() + 3), (std::vector<float>{1, 1, 1}));
  rows.add(one, scores.data());
  EXPECT_EQ(std::vector<float>(scores.begin(), scores.begin() + 3), (std::vector<float>{3, 1, 5}));
  rows.add(two, scores.data());
  EXPECT_EQ(std::vector<float>(scores.begin(), scores.begin() + 3),
            (std::vector<float>{3, 1.5, 5}));
}

TEST(LossTables, RefuseWhatDoesNotFitTogether) {
  EXPECT_EQ(tables({}).scale(), 1);
  const auto refuses = [](const TrainingObjective& objective) {
    EXPECT_THROW(tables(objective), InvalidArgument);
  };
  refuses({.goal = kRisk, .loss = LossName::kF, .costs = learn::parse_costs("fn=2")});
  refuses({.goal = kRisk, .loss = LossName::kDecF1, .of_corpus = true});
  refuses({.goal = kRisk, .loss = LossName::kCostMatrix});
  refuses({.goal = kRisk, .loss = LossName::kCostMatrix, .matrix = {{"O", "B-Z", 1}}});
  refuses({.goal = kAnnealedRisk, .loss = LossName::kF, .of_corpus = true});
  refuses({.goal = kSoftmaxMargin,
           .loss = LossName::kDecF1,
           .costs = learn::parse_costs("Planet:fn=2")});
  refuses({.goal = kRisk, .loss_scale = -1});
}

TEST(LossTables, RefuseTablesOfOtherLabels) {
  const ItemRules rules(kFiveLabels, text::Scheme::kIob2);
  EXPECT_THROW(LossTables({.goal = kRisk}, rules, ChainLoss::hamming(4)), InvalidArgument);
  const ChainLoss errors{.kind = ChainLoss::Kind::kErrorCosts,
                         .errors = std::vector<learn::ErrorCosts>(4)};
  EXPECT_THROW(LossTables({.goal = kSoftmaxMargin}, rules, errors), InvalidArgument);
}

// Softmax-margin is a likelihood of rows with costs added, or of spans; raw labels have none.
TEST(LossTables, HaveWhatTheDenseKernelsNeed) {
  EXPECT_EQ(tables({}).cost_rows(), nullptr);
  EXPECT_EQ(tables({}).count_rules(), nullptr);
  EXPECT_NE(tables({.goal = kSoftmaxMargin}).cost_rows(), nullptr);
  const LossTables spans = tables({.goal = kSoftmaxMargin, .loss = LossName::kDecF1});
  EXPECT_NE(spans.span_factors(), nullptr);
  EXPECT_EQ(spans.cost_rows(), nullptr);
  const TrainingObjective margin{.goal = kSoftmaxMargin, .loss = LossName::kDecF1};
  const LossTables raw(margin, kRawLabels, text::Scheme::kRaw);
  EXPECT_EQ(raw.span_factors(), nullptr);
  EXPECT_NE(raw.cost_rows(), nullptr);
  EXPECT_NE(tables({.goal = kRisk, .loss = LossName::kF}).count_rules(), nullptr);
  EXPECT_EQ(tables({.goal = kAnnealedRisk, .loss = LossName::kF}).count_rules(), nullptr);
  EXPECT_EQ(tables({.goal = kRisk}).count_rules(), nullptr);
}

}  // namespace
}  // namespace coppice::chain

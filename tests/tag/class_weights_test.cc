#include "coppice/tag/class_weights.h"

#include <gtest/gtest.h>

#include "chain/dataset.h"
#include "coppice/base/error.h"

namespace coppice::tag {
namespace {

const std::vector<std::string> kThreeLabels{"O", "B-X", ","};

// Sentences  O O B-X  and  , O  and one token that is O or B-X, then one of which nothing is known.
chain::Dataset data() {
  chain::Dataset data;
  data.num_labels = 3;
  data.gold = {0, 0, 1, 2, 0, 0, 1};
  data.gold_begin = {0, 1, 2, 3, 4, 5, 7, 7};
  data.sentence_begin = {0, 3, 5, 7};
  return data;
}

TEST(ClassWeights, AreOneWhenNobodySaysOtherwise) {
  chain::Dataset sentences = data();
  ClassWeights().apply(kThreeLabels, sentences);
  EXPECT_TRUE(sentences.weight.empty());
}

TEST(ClassWeights, WeighASentenceByTheMeanOfItsLabels) {
  chain::Dataset sentences = data();
  sentences.weight = {1, 2, 1};
  ClassWeights::parse("*=9,B-*=4,O=1,,=0.5").apply(kThreeLabels, sentences);
  EXPECT_FLOAT_EQ(sentences.weight[0], (1 + 1 + 4) / 3.0f);
  EXPECT_FLOAT_EQ(sentences.weight[1], 2 * (0.5f + 1) / 2);
  EXPECT_FLOAT_EQ(sentences.weight[2], ((1 + 4) / 2.0f + 1) / 2);
}

TEST(ClassWeights, BalancedAreOneOnAverageOverTheTokens) {
  const chain::Dataset sentences = data();
  const auto weights = ClassWeights::parse("balanced").of(kThreeLabels, sentences);
  double sum = 0;
  for (const std::uint16_t label : sentences.gold) sum += weights[label];
  EXPECT_DOUBLE_EQ(sum, static_cast<double>(sentences.gold.size()));
  EXPECT_DOUBLE_EQ(weights[1], 7.0 / (3 * 2));
  EXPECT_DOUBLE_EQ(weights[2], 7.0 / 3);
}

TEST(ClassWeights, RefuseWhatTheyCannotMean) {
  for (const char* text : {"", "O", "O=", "O=x", "O=-1", "O=inf", "O=nan", "O=1;B=2", "=1"}) {
    EXPECT_THROW(ClassWeights::parse(text), InvalidArgument) << text;
  }
  EXPECT_THROW(ClassWeights::parse("B-Z=1").of(kThreeLabels, data()), InvalidArgument);
  chain::Dataset sentences = data();
  sentences.gold_begin.back() = 7;
  sentences.sentence_begin = {0, 3, 5};
  sentences.gold_begin.resize(6);
  sentences.gold.resize(5);
  EXPECT_THROW(ClassWeights::parse("*=0").apply(kThreeLabels, sentences), InvalidArgument);
}

}  // namespace
}  // namespace coppice::tag

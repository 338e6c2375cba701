// Calibration measures by hand; the temperature that was put in is found again.
#include "coppice/eval/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/eval/confusion.h"
#include "coppice/eval/signature.h"

namespace coppice::eval {
namespace {

TEST(Reliability, FillsBinsWithTheirUpperEnds) {
  const std::vector<Prediction> predictions{{0, false}, {0.5, true}, {0.6, false}, {1, true}};
  const auto bins = reliability(predictions, 2);
  ASSERT_EQ(bins.size(), 2U);
  EXPECT_EQ(bins[0].count, 2U);
  EXPECT_DOUBLE_EQ(bins[0].mean_confidence, 0.25);
  EXPECT_DOUBLE_EQ(bins[0].accuracy, 0.5);
  EXPECT_EQ(bins[1].count, 2U);
  EXPECT_DOUBLE_EQ(expected_calibration_error(bins), (2 * 0.25 + 2 * 0.3) / 4);
  EXPECT_DOUBLE_EQ(brier_score(predictions), (0.25 + 0.36) / 4);
}

TEST(Reliability, RefusesAConfidenceThatIsNone) {
  const std::vector<Prediction> predictions{{1.5, true}};
  try {
    reliability(predictions);
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "reliability: confidence 1.5 is not in [0, 1]");
  }
}

TEST(Measures, AreZeroOverNothing) {
  EXPECT_EQ(expected_calibration_error(reliability({})), 0);
  EXPECT_EQ(brier_score({}), 0);
  EXPECT_EQ(negative_log_likelihood({}), 0);
  EXPECT_EQ(softmax_loss({}, 1), 0);
}

TEST(NegativeLogLikelihood, AveragesAndKnowsZero) {
  EXPECT_NEAR(negative_log_likelihood(std::vector<double>{0.5, 0.25}), 1.5 * std::log(2), 1e-12);
  EXPECT_EQ(negative_log_likelihood(std::vector<double>{0}), INFINITY);
}

TEST(FitTemperature, FindsTheTemperatureThatWasPutIn) {
  Random random(1);
  std::vector<Classification> data;
  for (int i = 0; i < 20'000; ++i) {  // drawn from softmax(z), but scored as 2.5 z
    std::vector<double> z{2 * random.uniform(), 2 * random.uniform(), 2 * random.uniform()};
    double normaliser = 0;
    for (double score : z) normaliser += std::exp(score);
    double left = random.uniform() * normaliser;
    std::size_t gold = 0;
    while (gold < 2 && (left -= std::exp(z[gold])) > 0) ++gold;
    for (double& score : z) score *= 2.5;
    data.push_back({z, gold});
  }
  int evaluations = 0;
  const double found = fit_temperature([&](double temperature) {
    ++evaluations;
    return softmax_loss(data, temperature);
  });
  EXPECT_NEAR(found, 2.5, 0.15);
  EXPECT_LE(evaluations, 45);
  for (double other : {found * 0.99, found * 1.01})
    EXPECT_LE(softmax_loss(data, found), softmax_loss(data, other));
}

TEST(Confusion, ListsTheMostFrequentMistakes) {
  Confusion confusion;
  confusion.add("NN", "NN", 100);
  confusion.add("NN", "VB", 2);
  confusion.add("VB", "NN", 5);
  confusion.add("JJ", "NN");
  confusion.add("JJ", "NN");
  EXPECT_EQ(confusion.count("JJ", "NN"), 2U);
  EXPECT_EQ(confusion.count("NN", "JJ"), 0U);
  EXPECT_EQ(confusion.labels(), (std::vector<std::string>{"JJ", "NN", "VB"}));
  EXPECT_EQ(confusion.top(2), (std::vector<Confusion::Cell>{{"VB", "NN", 5}, {"JJ", "NN", 2}}));
  EXPECT_TRUE(Confusion().top(5).empty());
}

TEST(Signature, JoinsItsFields) {
  Signature signature;
  signature.add("task", "tag").add("match", "conlleval").add("note", "a:b");
  EXPECT_EQ(signature.text(), "task:tag|match:conlleval|note:a:b");
}

TEST(Signature, RefusesWhatCouldNotBeReadBack) {
  try {
    Signature().add("data", "a|b");
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "signature: \"a|b\" is no value for data");
  }
  EXPECT_THROW(Signature().add("a:b", "c"), InvalidArgument);
}

}  // namespace
}  // namespace coppice::eval

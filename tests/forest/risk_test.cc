// Risk and annealed risk against enumeration and central differences.
#include "coppice/forest/risk.h"

#include <gtest/gtest.h>

#include "coppice/base/error.h"
#include "coppice/forest/entropy.h"
#include "coppice/forest/loglinear.h"
#include "support/distribution.h"
#include "support/shapes.h"

namespace coppice {
namespace {

EdgeMap<double> scaled(EdgeMap<double> scores, double scale) {
  for (double& score : scores.values()) score *= scale;
  return scores;
}

double annealed_risk(const testing::Example& example, const EdgeMap<double>& scores,
                     const AnnealedRiskOptions& options) {
  const auto sharpened = scaled(scores, options.scale);
  return risk(example.forest, sharpened, example.values) -
         options.temperature * entropy(example.forest, sharpened);
}

TEST(Risk, AgreesWithEnumerationOnRandomForests) {
  testing::for_each_example([](const testing::Example& example) {
    const double expected = example.listed.expected(
        [&](const testing::EdgeList& d) { return testing::total(d, example.values); });
    const auto found = risk_gradient(example.forest, example.scores, example.values);
    ASSERT_NEAR(risk(example.forest, example.scores, example.values), expected, 1e-9);
    ASSERT_NEAR(found.value, expected, 1e-9);
    testing::expect_central_differences(example.scores, found.gradient,
                                        [&](const EdgeMap<double>& scores) {
                                          return risk(example.forest, scores, example.values);
                                        });
  });
}

TEST(AnnealedRisk, HasTheGradientOfCentralDifferences) {
  for (const AnnealedRiskOptions options :
       {AnnealedRiskOptions{}, AnnealedRiskOptions{2.0, 1.0}, AnnealedRiskOptions{0.7, 1.5}}) {
    testing::for_each_example([&](const testing::Example& example) {
      const auto found =
          annealed_risk_gradient(example.forest, example.scores, example.values, options);
      ASSERT_NEAR(found.value, annealed_risk(example, example.scores, options), 1e-9);
      testing::expect_central_differences(
          example.scores, found.gradient,
          [&](const EdgeMap<double>& scores) { return annealed_risk(example, scores, options); });
    });
  }
}

TEST(AnnealedRisk, HasADerivativeByTheScale) {
  constexpr double kSmallStep = 1e-5;
  const AnnealedRiskOptions options{.temperature = 0.3, .scale = 1.2};
  testing::for_each_example([&](const testing::Example& example) {
    const auto found =
        annealed_risk_gradient(example.forest, example.scores, example.values, options);
    // found.gradient is by the unscaled scores: sum g s / scale is the derivative by the scale.
    const double derivative = scale_derivative(example.scores, found.gradient, options.scale);
    const double above = annealed_risk(example, example.scores, {0.3, 1.2 + kSmallStep});
    const double below = annealed_risk(example, example.scores, {0.3, 1.2 - kSmallStep});
    ASSERT_NEAR(derivative, (above - below) / (2 * kSmallStep), 1e-5);
  });
}

TEST(Risk, OfANodeUsedTwiceCountsItsLossTwice) {
  const Forest forest = testing::node_used_twice();
  EdgeMap<double> losses(3, 0.0);
  losses[EdgeId{0}] = 1;
  const auto found = risk_gradient(forest, EdgeMap<double>(3, 0.0), losses);
  EXPECT_NEAR(found.value, 1, 1e-12);
  EXPECT_NEAR(found.gradient[EdgeId{0}], 0.5, 1e-12);  // the variance of two fair coins
  EXPECT_NEAR(found.gradient[EdgeId{2}], 0, 1e-12);
}

TEST(Risk, SaysWhichLossIsNotFinite) {
  const EdgeMap<double> scores(1, 0.0);
  try {
    risk(testing::one_leaf(), scores, EdgeMap<double>(1, std::nan("")));
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "loss of edge 0 is nan; expected a finite number");
  }
  EXPECT_THROW(annealed_risk_gradient(testing::one_leaf(), scores, scores, {.scale = -1}),
               InvalidArgument);
  EXPECT_THROW(
      risk_gradient(testing::no_derivation(), EdgeMap<double>(2, 0.0), EdgeMap<double>(2, 0.0)),
      InvalidArgument);
}

TEST(Risk, SurvivesScoresOfTenThousandOnAHundredThousandEdges) {
  const Forest forest = testing::long_chain(50'001, 2);
  EdgeMap<double> scores(forest.num_edges(), 0.0), losses = scores;
  for (std::uint32_t e = 1; e < forest.num_edges(); e += 2) {
    scores[EdgeId{e}] = scores[EdgeId{e + 1}] = e % 4 == 1 ? 1e4 : -1e4;
    losses[EdgeId{e}] = 1;
  }
  const auto found = risk_gradient(forest, scores, losses);
  EXPECT_NEAR(found.value, 25'000, 1e-6);
  for (std::uint32_t e = 1; e < forest.num_edges(); e += 2) {
    ASSERT_NEAR(found.gradient[EdgeId{e}], 0.25, 1e-7);
  }
}

}  // namespace
}  // namespace coppice

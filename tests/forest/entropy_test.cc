// Entropies and divergences against enumeration; their gradients against central differences.
#include "coppice/forest/entropy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coppice/base/error.h"
#include "support/distribution.h"
#include "support/extremes.h"
#include "support/shapes.h"

namespace coppice {
namespace {

// -sum of p ln q, where q's scores are on the same forest.
double cross_entropy_by_enumeration(const testing::Example& example, const EdgeMap<double>& q) {
  const double log_z = testing::distribution(example.forest, q).log_partition;
  return example.listed.expected(
      [&](const testing::EdgeList& d) { return log_z - testing::total(d, q); });
}

TEST(Entropy, AgreesWithEnumerationOnRandomForests) {
  testing::for_each_example([](const testing::Example& example) {
    const double expected = cross_entropy_by_enumeration(example, example.scores);
    const auto found = entropy_gradient(example.forest, example.scores);
    ASSERT_NEAR(entropy(example.forest, example.scores), expected, 1e-9);
    ASSERT_NEAR(found.value, expected, 1e-9);
    ASSERT_GE(found.value, 0);
    testing::expect_central_differences(
        example.scores, found.gradient,
        [&](const EdgeMap<double>& scores) { return entropy(example.forest, scores); });
  });
}

TEST(CrossEntropy, AndDivergenceAgreeWithEnumeration) {
  testing::for_each_example([](const testing::Example& example) {
    const auto &p = example.scores, &q = example.values;
    const double expected = cross_entropy_by_enumeration(example, q);
    const double own = cross_entropy_by_enumeration(example, p);
    ASSERT_NEAR(cross_entropy(example.forest, p, q), expected, 1e-9);
    ASSERT_NEAR(kl_divergence(example.forest, p, q), expected - own, 1e-9);
    ASSERT_NEAR(kl_divergence(example.forest, p, p), 0, 1e-10);
  });
}

template <class Value, class Gradient>
void expect_both_gradients(const testing::Example& example, Value value, Gradient gradient) {
  const Forest& forest = example.forest;
  const auto &p = example.scores, &q = example.values;
  const auto by_p = gradient(forest, p, q, Weighting::kP);
  const auto by_q = gradient(forest, p, q, Weighting::kQ);
  ASSERT_NEAR(by_p.value, value(forest, p, q), 1e-10);
  ASSERT_NEAR(by_q.value, value(forest, p, q), 1e-10);
  testing::expect_central_differences(
      p, by_p.gradient, [&](const EdgeMap<double>& moved) { return value(forest, moved, q); });
  testing::expect_central_differences(
      q, by_q.gradient, [&](const EdgeMap<double>& moved) { return value(forest, p, moved); });
}

TEST(CrossEntropy, HasTheGradientsOfCentralDifferences) {
  testing::for_each_example([](const testing::Example& example) {
    expect_both_gradients(example, cross_entropy, cross_entropy_gradient);
  });
}

TEST(Divergence, HasTheGradientsOfCentralDifferences) {
  testing::for_each_example([](const testing::Example& example) {
    expect_both_gradients(example, kl_divergence, kl_divergence_gradient);
  });
}

TEST(CrossEntropy, IsInfiniteWhereTheSecondWeightingForbidsWhatTheFirstUses) {
  const Forest forest = testing::node_used_twice();
  EdgeMap<double> p(3, 0.0), q(3, 0.0);
  q[EdgeId{0}] = -kInfinity;
  EXPECT_EQ(cross_entropy(forest, p, q), kInfinity);
  EXPECT_EQ(kl_divergence(forest, p, q), kInfinity);
  for (const Weighting by : {Weighting::kP, Weighting::kQ}) {
    EXPECT_THROW(kl_divergence_gradient(forest, p, q, by), InvalidArgument);
  }
  // The other way round is finite: what p forbids costs nothing.
  EXPECT_NEAR(kl_divergence(forest, q, p), std::log(4), 1e-12);
  EXPECT_EQ(kl_divergence_gradient(forest, q, p, Weighting::kP).gradient[EdgeId{0}], 0.0);
}

TEST(CrossEntropy, IsFiniteWhereProbabilitiesLeaveADoublesRange) {
  const Forest forest = testing::node_used_twice();
  EdgeMap<double> p(3, 0.0), q(3, 0.0);
  q[EdgeId{0}] = -1e4;
  EXPECT_NEAR(cross_entropy(forest, p, q), 1e4, 1e-8);
}

TEST(Entropy, OfOneDerivationIsZero) {
  EXPECT_EQ(entropy(testing::one_leaf(), EdgeMap<double>(1, 5.0)), 0.0);
}

TEST(Entropy, CountsEachUseOfANode) {
  EXPECT_NEAR(entropy(testing::node_used_twice(), EdgeMap<double>(3, 1.0)), std::log(4), 1e-12);
}

TEST(Entropy, NeedsADerivation) {
  EXPECT_THROW(entropy(testing::no_derivation(), EdgeMap<double>(2, 0.0)), InvalidArgument);
  EXPECT_THROW(entropy_gradient(Forest(), EdgeMap<double>()), InvalidArgument);
}

TEST(Entropy, SurvivesScoresOfTenThousandOnAHundredThousandEdges) {
  const Forest forest = testing::long_chain(50'001, 2);
  Random random(6);
  EdgeMap<double> scores(forest.num_edges(), 0.0), flat = scores;
  for (std::uint32_t e = 1; e < forest.num_edges(); e += 2) {
    scores[EdgeId{e}] = scores[EdgeId{e + 1}] = 2e4 * random.uniform() - 1e4;
  }
  const auto found = entropy_gradient(forest, scores);
  EXPECT_NEAR(found.value, 50'000 * std::log(2), 1e-6);
  for (double derivative : found.gradient.values()) ASSERT_NEAR(derivative, 0, 1e-8);
  EXPECT_NEAR(kl_divergence(forest, scores, flat), 0, 1e-6);
}

}  // namespace
}  // namespace coppice

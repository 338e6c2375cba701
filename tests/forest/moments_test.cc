// Means, variances and covariances against enumeration.
#include "coppice/forest/moments.h"

#include <gtest/gtest.h>

#include "coppice/base/error.h"
#include "support/distribution.h"
#include "support/shapes.h"

namespace coppice {
namespace {

using testing::EdgeList;

auto total_of(const EdgeMap<double>& values) {
  return [&values](const EdgeList& d) { return testing::total(d, values); };
}

TEST(Moments, AgreeWithEnumerationOnRandomForests) {
  testing::for_each_example([](const testing::Example& example) {
    const auto r = total_of(example.values), s = total_of(example.other_values);
    const auto& listed = example.listed;
    ASSERT_NEAR(expectation(example.forest, example.scores, example.values), listed.expected(r),
                1e-9);
    const Moments found = moments(example.forest, example.scores, example.values);
    ASSERT_NEAR(found.mean, listed.expected(r), 1e-9);
    ASSERT_NEAR(found.variance, listed.covariance(r, r), 1e-8);
    ASSERT_GE(found.variance, 0);
    ASSERT_NEAR(covariance(example.forest, example.scores, example.values, example.other_values),
                listed.covariance(r, s), 1e-8);
  });
}

TEST(Moments, OfDenseVectorsAgreeWithThoseOfTheirComponents) {
  testing::for_each_example([](const testing::Example& example) {
    std::vector<double> interleaved;
    for (EdgeId edge : example.forest.edges()) {
      interleaved.push_back(example.values[edge]);
      interleaved.push_back(example.other_values[edge]);
    }
    const EdgeVectors vectors(2, interleaved);
    const EdgeMap<double>* components[] = {&example.values, &example.other_values};
    const auto mean = expectation(example.forest, example.scores, vectors);
    const SquareMatrix matrix = covariance(example.forest, example.scores, vectors);
    ASSERT_EQ(matrix.size, 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto r = total_of(*components[i]);
      ASSERT_NEAR(mean[i], example.listed.expected(r), 1e-9);
      for (std::size_t j = 0; j < 2; ++j) {
        ASSERT_NEAR(matrix(i, j), example.listed.covariance(r, total_of(*components[j])), 1e-8);
      }
    }
  });
}

TEST(Moments, OfSparseFeaturesAgreeWithEnumeration) {
  testing::for_each_example([](const testing::Example& example) {
    EdgeFeatures features;
    std::vector<EdgeMap<double>> columns(3, EdgeMap<double>(example.forest.num_edges(), 0.0));
    for (EdgeId edge : example.forest.edges()) {
      const auto other = static_cast<FeatureId>(index(edge) % 3);  // may be feature 1 again
      features.add_edge({{FeatureId{1}, example.values[edge]}, {other, 0.5}, {FeatureId{2}, 0.0}});
      columns[1][edge] += example.values[edge];
      columns[index(other)][edge] += 0.5;
    }
    const auto mean = expectation(example.forest, example.scores, features);
    const SquareMatrix matrix = covariance(example.forest, example.scores, features);
    ASSERT_EQ(mean.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_NEAR(mean[i], example.listed.expected(total_of(columns[i])), 1e-9);
      for (std::size_t j = 0; j < 3; ++j) {
        ASSERT_NEAR(matrix(i, j),
                    example.listed.covariance(total_of(columns[i]), total_of(columns[j])), 1e-8);
      }
    }
  });
}

TEST(ExpectationGradient, IsTheCovarianceWithEachEdgesUses) {
  testing::for_each_example([](const testing::Example& example) {
    const auto found = expectation_gradient(example.forest, example.scores, example.values);
    ASSERT_NEAR(found.value, example.listed.expected(total_of(example.values)), 1e-9);
    for (EdgeId edge : example.forest.edges()) {
      const double expected = example.listed.covariance(
          total_of(example.values), [&](const EdgeList& d) { return testing::count(d, edge); });
      ASSERT_NEAR(found.gradient[edge], expected, 1e-8);
    }
    testing::expect_central_differences(
        example.scores, found.gradient, [&](const EdgeMap<double>& scores) {
          return expectation(example.forest, scores, example.values);
        });
  });
}

// A chain of fair choices between 0 and a huge number: its variance is a sum of small ones.
TEST(Moments, LoseNothingToALargeMean) {
  const Forest forest = testing::long_chain(1001, 2);
  EdgeMap<double> values(forest.num_edges(), 1e9);
  for (std::uint32_t e = 1; e < forest.num_edges(); e += 2) values[EdgeId{e}] += 1;
  const auto found = moments(forest, EdgeMap<double>(forest.num_edges(), -9e3), values);
  EXPECT_NEAR(found.variance, 250, 1);
}

TEST(Moments, RefuseWhatIsNotFinite) {
  EdgeMap<double> values(1, std::numeric_limits<double>::infinity());
  try {
    expectation(testing::one_leaf(), EdgeMap<double>(1, 0.0), values);
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "value of edge 0 is inf; expected a finite number");
  }
  EXPECT_THROW(expectation(testing::one_leaf(), EdgeMap<double>(1, 0.0), EdgeMap<double>()),
               InvalidArgument);
}

TEST(Moments, NeedADerivation) {
  const Forest barren = testing::no_derivation();
  const EdgeMap<double> zeros(2, 0.0);
  EXPECT_THROW(moments(barren, zeros, zeros), InvalidArgument);
  EXPECT_THROW(expectation(barren, zeros, zeros), InvalidArgument);
  EXPECT_THROW(expectation_gradient(Forest(), EdgeMap<double>(), EdgeMap<double>()),
               InvalidArgument);
}

TEST(EdgeFeatures, RefusesRowsThatDoNotFit) {
  EdgeFeatures features;
  const FeatureId ids[] = {FeatureId{3}};
  EXPECT_THROW(features.add_edge(ids, {}), InvalidArgument);
  EXPECT_THROW(features.add_edge({{FeatureId{0}, std::nan("")}}), InvalidArgument);
  EXPECT_EQ(features.size(), 0u);
  EXPECT_EQ(features.num_features(), 0u);
  EXPECT_THROW(EdgeVectors(2, {1, 2, 3}), InvalidArgument);
  EXPECT_THROW(weighted_sum(features, EdgeMap<double>(1, 0.0)), InvalidArgument);
}

}  // namespace
}  // namespace coppice

// Samples come with the probabilities that enumeration gives.
#include "coppice/forest/sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "coppice/base/error.h"
#include "coppice/forest/inside.h"
#include "coppice/semiring/log.h"
#include "support/enumerate.h"
#include "support/extremes.h"
#include "support/long_forests.h"
#include "support/random_forest.h"
#include "support/seeds.h"

namespace coppice {
namespace {

// Pearson's statistic less its degrees of freedom, in standard deviations of it. Derivations that
// are expected fewer than five times share one cell.
double chi_square_excess(const Forest& forest, const EdgeMap<double>& scores, int draws,
                         std::uint64_t seed) {
  const auto chart = inside<LogSemiring>(forest, scores);
  std::map<std::vector<EdgeId>, double> count;
  Random random(seed);
  for (int i = 0; i < draws; ++i) {
    ++count[sample_derivation(forest, scores, chart, random)->edges];
  }
  double statistic = 0, rare_expected = 0, rare_count = 0, cells = 0;
  const auto add_cell = [&](double observed, double expected) {
    statistic += (observed - expected) * (observed - expected) / expected;
    ++cells;
  };
  for (const auto& edges : testing::derivations(forest, forest.root())) {
    const double log_p = weight_of<LogSemiring>(edges, scores) - chart[forest.root()];
    const double expected = draws * std::exp(log_p);
    if (expected >= 5) {
      add_cell(count[edges], expected);
    } else {
      rare_expected += expected;
      rare_count += count[edges];
    }
  }
  if (rare_expected >= 5) add_cell(rare_count, rare_expected);
  if (cells < 2) return 0;
  return (statistic - (cells - 1)) / std::sqrt(2 * (cells - 1));
}

TEST(SampleDerivation, DrawsFromTheDistributionOfTheForest) {
  double sum = 0;
  std::uint64_t forests = 0;
  for (std::uint64_t seed = 0; seed < testing::seeds(150); ++seed) {
    const Forest forest = testing::random_forest(seed);
    const EdgeMap<double> scores = testing::random_scores(forest, seed);
    if (testing::derivations(forest, forest.root()).empty()) continue;
    const double excess = chi_square_excess(forest, scores, 1000, seed);
    EXPECT_LT(excess, 6) << "seed " << seed;
    sum += excess;
    ++forests;
  }
  ASSERT_GT(forests, testing::seeds(150) / 3);
  EXPECT_LT(std::abs(sum / std::sqrt(static_cast<double>(forests))), 3.5);
}

TEST(SampleDerivation, GivesTheSameDrawsForTheSameSeed) {
  const Forest forest = testing::bracketing_forest(10);
  const EdgeMap<double> scores = testing::random_scores(forest, 1);
  const auto chart = inside<LogSemiring>(forest, scores);
  Random first(7), second(7);
  for (int i = 0; i < 20; ++i) {
    const auto sample = sample_derivation(forest, scores, chart, first);
    EXPECT_EQ(sample, sample_derivation(forest, scores, chart, second));
    EXPECT_TRUE(is_derivation(forest, sample->edges));
    EXPECT_EQ(sample->score, weight_of<LogSemiring>(sample->edges, scores));
  }
}

TEST(SampleDerivation, NeverTakesAnEdgeOfProbabilityZero) {
  const Forest forest = testing::chain_forest(2, 3);
  const EdgeMap<double> scores(std::vector<double>{0.0, 0.0, kNever, 1e4});
  const auto chart = inside<LogSemiring>(forest, scores);
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    EXPECT_NE(sample_derivation(forest, scores, chart, random)->edges[1], EdgeId{2});
  }
}

TEST(SampleDerivation, IsNothingWhereNothingDerives) {
  Random random(1);
  EXPECT_FALSE(sample_derivation(Forest(), {}, {}, random));
  const Forest forest = testing::chain_forest(2, 0);
  const EdgeMap<double> scores(1, 0.0);
  EXPECT_FALSE(sample_derivation(forest, scores, inside<LogSemiring>(forest, scores), random));
}

TEST(SampleDerivation, DoesNotRecurse) {
  const Forest forest = testing::chain_forest(1'000'000, 2);
  const EdgeMap<double> scores(forest.num_edges(), -1.0);
  const auto chart = inside<LogSemiring>(forest, scores);
  Random random(1);
  EXPECT_EQ(sample_derivation(forest, scores, chart, random)->edges.size(), 1'000'000u);
}

TEST(SampleDerivation, RefusesTablesOfTheWrongSize) {
  Random random(1);
  try {
    sample_derivation(Forest(), {}, NodeMap<double>(3, 0.0), random);
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "sample: 3 inside weights for a forest of 0 nodes");
  }
}

}  // namespace
}  // namespace coppice

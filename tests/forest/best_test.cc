// best_derivation agrees with the best of all derivations, spelt out.
#include "coppice/forest/best.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "coppice/semiring/boolean.h"
#include "support/enumerate.h"
#include "support/long_forests.h"
#include "support/random_forest.h"
#include "support/seeds.h"

namespace coppice {
namespace {

template <class S>
void expect_best_of_all(const Forest& forest, const EdgeMap<double>& weights) {
  const auto best = best_derivation<S>(forest, weights);
  double expected = S::zero();
  for (const auto& edges : testing::derivations(forest, forest.root())) {
    expected = S::plus(expected, weight_of<S>(edges, weights));
  }
  ASSERT_EQ(best.has_value(), expected != S::zero());
  if (!best) return;
  ASSERT_TRUE(is_derivation(forest, best->edges));
  ASSERT_DOUBLE_EQ(best->score, expected);
  ASSERT_DOUBLE_EQ(weight_of<S>(best->edges, weights), expected);
}

TEST(BestDerivation, AgreesWithEnumerationOnRandomForests) {
  for (std::uint64_t seed = 0; seed < testing::seeds(300); ++seed) {
    SCOPED_TRACE(seed);
    const Forest forest = testing::random_forest(seed);
    EdgeMap<double> scores = testing::random_scores(forest, seed);
    expect_best_of_all<MaxPlusSemiring>(forest, scores);
    expect_best_of_all<TropicalSemiring>(forest, scores);
    for (double& score : scores.values()) score = std::max(score, 0.0);  // zero() for Viterbi
    expect_best_of_all<ViterbiSemiring>(forest, scores);
  }
}

TEST(BestDerivation, TakesTheFirstOfEqualEdges) {
  const Forest forest = testing::chain_forest(1, 3);
  EXPECT_EQ(best_derivation(forest, EdgeMap<double>(std::vector<double>{1, 2, 2}))->edges.front(),
            EdgeId{1});
  const auto any = best_derivation<BooleanSemiring>(
      forest, EdgeMap<unsigned char>(std::vector<unsigned char>{0, 1, 1}));
  EXPECT_EQ(any->edges.front(), EdgeId{1});
}

TEST(BestDerivation, IsNothingWhereNothingDerives) {
  EXPECT_FALSE(best_derivation(Forest(), EdgeMap<double>()));
  EXPECT_FALSE(best_derivation(testing::chain_forest(2, 0), EdgeMap<double>(1, 0.0)));
  const double never = MaxPlusSemiring::zero();
  EXPECT_FALSE(best_derivation(testing::chain_forest(2, 1),
                               EdgeMap<double>(std::vector<double>{never, 0.0})));
}

TEST(BestDerivation, DoesNotRecurse) {
  const Forest forest = testing::chain_forest(1'000'000, 1);
  EXPECT_EQ(best_derivation(forest, EdgeMap<double>(forest.num_edges(), 1.0))->score, 1e6);
}

TEST(BestEdges, NamesBothSizesWhenTheyDiffer) {
  try {
    best_edges<MaxPlusSemiring>(Forest(), EdgeMap<double>(2, 0.0));
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "best_edges: 2 weights for a forest of 0 edges");
  }
}

}  // namespace
}  // namespace coppice

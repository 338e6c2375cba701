// inside agrees with the sum over all derivations, spelt out.
#include "coppice/forest/inside.h"

#include <gtest/gtest.h>

#include "coppice/semiring/log.h"
#include "support/enumerate.h"
#include "support/random_forest.h"
#include "support/seeds.h"

namespace coppice {
namespace {

template <class S>
typename S::Value by_enumeration(const Forest& forest, const EdgeMap<typename S::Value>& weights,
                                 NodeId node) {
  auto total = S::zero();
  for (const testing::EdgeList& derivation : testing::derivations(forest, node)) {
    auto product = S::one();
    for (EdgeId edge : derivation) product = S::times(product, weights[edge]);
    total = S::plus(total, product);
  }
  return total;
}

TEST(Inside, AgreesWithEnumerationOnRandomForests) {
  for (std::uint64_t seed = 0; seed < testing::seeds(200); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Forest forest = testing::random_forest(seed);
    const EdgeMap<double> scores = testing::random_scores(forest, seed);
    const auto chart = inside<LogSemiring>(forest, scores);
    for (NodeId node : forest.nodes()) {
      const double expected = by_enumeration<LogSemiring>(forest, scores, node);
      if (expected == LogSemiring::zero()) {
        ASSERT_EQ(chart[node], expected);
      } else {
        ASSERT_NEAR(chart[node], expected, 1e-9);
      }
    }
  }
}

TEST(Inside, NamesBothSizesWhenTheyDiffer) {
  try {
    inside<LogSemiring>(Forest(), EdgeMap<double>(2, 0.0));
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "inside: 2 weights for a forest of 0 edges");
  }
}

}  // namespace
}  // namespace coppice

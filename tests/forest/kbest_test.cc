// The lazy k-best list agrees with all derivations, sorted.
#include "coppice/forest/kbest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "coppice/base/error.h"
#include "coppice/semiring/top_k.h"
#include "support/enumerate.h"
#include "support/extremes.h"
#include "support/long_forests.h"
#include "support/random_forest.h"
#include "support/seeds.h"

namespace coppice {
namespace {

// Scores in halves, so that ties are common; some edges at -inf.
EdgeMap<double> scores_with_ties(const Forest& forest, std::uint64_t seed) {
  Random random(seed, 2);
  EdgeMap<double> scores(forest.num_edges(), 0.0);
  for (double& score : scores.values()) {
    score = random.below(12) == 0 ? kNever : static_cast<double>(random.below(6)) / 2;
  }
  return scores;
}

std::vector<double> sorted_scores(const Forest& forest, const EdgeMap<double>& scores) {
  std::vector<double> all;
  for (const auto& edges : testing::derivations(forest, forest.root())) {
    const double score = weight_of<MaxPlusSemiring>(edges, scores);
    if (score != kNever) all.push_back(score);
  }
  std::sort(all.rbegin(), all.rend());
  return all;
}

void expect_whole_list(const Forest& forest, const EdgeMap<double>& scores) {
  const std::vector<double> expected = sorted_scores(forest, scores);
  const std::vector<Derivation> found = k_best(forest, scores, expected.size() + 10);
  ASSERT_EQ(found.size(), expected.size());
  std::set<std::vector<EdgeId>> distinct;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].score, expected[i]);
    ASSERT_EQ(weight_of<MaxPlusSemiring>(found[i].edges, scores), expected[i]);
    ASSERT_TRUE(is_derivation(forest, found[i].edges));
    ASSERT_TRUE(distinct.insert(found[i].edges).second) << "the same derivation twice";
  }
}

TEST(KBest, ListsEveryDerivationOnceAndInOrder) {
  for (std::uint64_t seed = 0; seed < testing::seeds(400); ++seed) {
    SCOPED_TRACE(seed);
    const Forest forest = testing::random_forest(seed, {.nodes = 5});
    expect_whole_list(forest, testing::random_scores(forest, seed));
    expect_whole_list(forest, scores_with_ties(forest, seed));
  }
}

TEST(KBest, ListsEdgesOfThreeAndFourTails) {
  for (std::uint64_t seed = 0; seed < testing::seeds(200); ++seed) {
    SCOPED_TRACE(seed);
    const Forest forest =
        testing::random_forest(seed, {.nodes = 4, .max_edges_per_node = 2, .max_tails = 4});
    expect_whole_list(forest, scores_with_ties(forest, seed));
  }
}

TEST(KBest, CountsATailUsedTwiceTwice) {
  ForestBuilder builder;
  const NodeId leaf = builder.add_node(), top = builder.add_node();
  builder.add_edge(leaf, {});
  builder.add_edge(leaf, {});
  builder.add_edge(top, {leaf, leaf});
  const Forest forest = std::move(builder).build();
  const auto found = k_best(forest, EdgeMap<double>(std::vector<double>{2, 1, 0}), 10);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[1].score, 3);
  EXPECT_EQ(found[2].score, 3);
  EXPECT_NE(found[1].edges, found[2].edges);
}

TEST(KBest, AgreesWithTheTopKSemiring) {
  using S = TopK<7>;
  const Forest forest = testing::bracketing_forest(8);
  const EdgeMap<double> scores = testing::random_scores(forest, 5);
  EdgeMap<S::Value> weights(forest.num_edges(), S::zero());
  for (EdgeId edge : forest.edges()) weights[edge][0] = scores[edge];
  const auto expected = inside<S>(forest, weights)[forest.root()];
  const auto found = k_best(forest, scores, 7);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(found[i].score, expected[i]);
}

TEST(KBest, GivesTheSameListHoweverItIsAsked) {
  const Forest forest = testing::bracketing_forest(7);  // 132 derivations
  EdgeMap<double> scores = testing::random_scores(forest, 11);
  for (double& score : scores.values()) score = std::round(score / 2);  // many ties
  const auto list = k_best(forest, scores, 1000);
  ASSERT_EQ(list.size(), 132u);
  KBest lazy(forest, scores);
  for (std::size_t k : {50u, 3u, 0u, 49u, 51u, 7u}) EXPECT_EQ(lazy(k), list[k]) << k;
  EXPECT_EQ(lazy(list.size()), std::nullopt);
  EXPECT_EQ(lazy.next(), list[0]);
  EXPECT_EQ(lazy.next(), list[1]);
}

TEST(KBest, StartsWithTheBestDerivation) {
  for (std::uint64_t seed = 0; seed < testing::seeds(100); ++seed) {
    const Forest forest = testing::random_forest(seed);
    const EdgeMap<double> scores = scores_with_ties(forest, seed);
    EXPECT_EQ(KBest(forest, scores).next(), best_derivation(forest, scores)) << seed;
  }
}

TEST(KBest, IsEmptyWhereNothingDerives) {
  EXPECT_TRUE(k_best(Forest(), EdgeMap<double>(), 3).empty());
  EXPECT_TRUE(k_best(testing::chain_forest(2, 0), EdgeMap<double>(1, 0.0), 3).empty());
  EXPECT_TRUE(k_best(testing::chain_forest(1, 1), EdgeMap<double>(1, kNever), 3).empty());
}

TEST(KBest, DoesNotRecurse) {
  const Forest forest = testing::chain_forest(1'000'000, 3);
  EdgeMap<double> scores(forest.num_edges(), 0.0);
  scores[EdgeId{0}] = 1;
  scores[EdgeId{2}] = 5;
  KBest lazy(forest, scores);
  EXPECT_EQ(lazy.next()->score, 5);
  EXPECT_EQ(lazy.next()->score, 1);
  EXPECT_EQ(lazy.next()->score, 0);
  EXPECT_FALSE(lazy.next());
}

TEST(KBest, FindsAHundredThousand) {
  const Forest forest = testing::bracketing_forest(30);
  EdgeMap<double> scores(forest.num_edges(), 0.0);
  Random random(3);
  for (double& score : scores.values()) score = random.uniform();
  KBest lazy(forest, scores);
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 100'000; ++k) {
    const auto derivation = lazy.next();
    ASSERT_TRUE(derivation);
    ASSERT_LE(derivation->score, last);
    last = derivation->score;
  }
}

TEST(KBest, RefusesAScoreThatIsNoNumber) {
  const Forest forest = testing::chain_forest(1, 2);
  try {
    KBest(forest,
          EdgeMap<double>(std::vector<double>{0.0, std::numeric_limits<double>::infinity()}));
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "kbest: the score of edge 1 is inf");
  }
  EXPECT_THROW(KBest(forest, EdgeMap<double>(std::vector<double>{std::nan(""), 0.0})),
               InvalidArgument);
  EXPECT_THROW(KBest(forest, EdgeMap<double>(1, 0.0)), InvalidArgument);
}

}  // namespace
}  // namespace coppice

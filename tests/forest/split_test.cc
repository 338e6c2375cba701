// The split forest has the same derivations, each under its own counts; oracles agree with search
// through all derivations.
#include "coppice/forest/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/forest/derivation.h"
#include "coppice/forest/inside.h"
#include "coppice/forest/oracle.h"
#include "coppice/semiring/counting.h"
#include "support/enumerate.h"
#include "support/long_forests.h"
#include "support/random_forest.h"
#include "support/seeds.h"

namespace coppice {
namespace {

using testing::EdgeList;
using Counted = std::pair<EdgeList, Counts>;

EdgeMap<Counts> random_counts(const Forest& forest, std::uint64_t seed) {
  Random random(seed, 4);
  EdgeMap<Counts> counts(forest.num_edges(), {});
  for (Counts& edge : counts.values()) {
    edge.d = static_cast<std::uint32_t>(random.below(3));
    edge.n = static_cast<std::uint32_t>(random.below(edge.d + 1));
  }
  return counts;
}

Counts counts_of(const EdgeList& edges, const EdgeMap<Counts>& counts) {
  Counts sum;
  for (EdgeId edge : edges) sum = sum + counts[edge];
  return sum;
}

std::vector<Counted> expected_derivations(const Forest& forest, const EdgeMap<Counts>& counts) {
  std::vector<Counted> all;
  for (const EdgeList& edges : testing::derivations(forest, forest.root())) {
    all.emplace_back(edges, counts_of(edges, counts));
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<Counted> found_derivations(const SplitForest& split) {
  std::vector<Counted> all;
  if (split.forest.empty()) return all;
  const EdgeId first = split.forest.incoming(split.forest.root())[0];
  for (const EdgeList& edges : testing::derivations(split.forest, split.forest.root())) {
    all.emplace_back(unsplit(split, edges), split.goal_counts[index(edges[0]) - index(first)]);
  }
  std::sort(all.begin(), all.end());
  return all;
}

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(SplitByCounts, KeepsEveryDerivationUnderItsCounts) {
  for (std::uint64_t seed = 0; seed < testing::seeds(300); ++seed) {
    SCOPED_TRACE(seed);
    const Forest forest = testing::random_forest(seed, {.nodes = 5});
    const EdgeMap<Counts> counts = random_counts(forest, seed);
    ASSERT_EQ(found_derivations(split_by_counts(forest, counts)),
              expected_derivations(forest, counts));
  }
}

TEST(SplitByCounts, GathersLongTailsWithoutLosingTheirOrder) {
  using Count = SaturatingCountingSemiring;
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 0; seed < testing::seeds(400); ++seed) {
    SCOPED_TRACE(seed);
    const Forest forest =
        testing::random_forest(seed, {.nodes = 4, .max_edges_per_node = 2, .max_tails = 5});
    const EdgeMap<Count::Value> ones(forest.num_edges(), 1);
    const Count::Value size = inside<Count>(forest, ones)[forest.root()];
    if (size == 0 || size > 1000) continue;  // too many to enumerate
    const EdgeMap<Counts> counts = random_counts(forest, seed);
    ASSERT_EQ(found_derivations(split_by_counts(forest, counts)),
              expected_derivations(forest, counts));
    ++compared;
  }
  EXPECT_GT(compared, testing::seeds(400) / 4);
}

TEST(SplitByCounts, NeedsFewEdgesForLongTails) {
  ForestBuilder builder;
  const NodeId leaf = builder.add_node(), top = builder.add_node();
  builder.add_edge(leaf, {});
  builder.add_edge(leaf, {});
  builder.add_edge(top, std::vector<NodeId>(60, leaf));
  const Forest forest = std::move(builder).build();
  const SplitForest split =
      split_by_counts(forest, EdgeMap<Counts>(std::vector<Counts>{{0, 1}, {1, 1}, {0, 0}}));
  EXPECT_LT(split.forest.num_edges(), 5000u);
  EXPECT_EQ(split.goal_counts.size(), 61u);
  const EdgeMap<BigCount> ones(split.forest.num_edges(), BigCount(1));
  EXPECT_EQ(inside<CountingSemiring>(split.forest, ones)[split.forest.root()],
            BigCount(std::uint64_t{1} << 60));
}

TEST(SplitByCounts, MeasuresItsSplits) {
  const Forest forest = testing::chain_forest(3, 2);
  const SplitForest split =
      split_by_counts(forest, EdgeMap<Counts>(std::vector<Counts>{{0, 1}, {1, 1}, {0, 0}, {0, 0}}));
  EXPECT_EQ(split.average_splits, 2);
  EXPECT_EQ(split.largest_splits, 2u);
  EXPECT_EQ(split.goal_counts, (std::vector<Counts>{{0, 1}, {1, 1}}));
  EXPECT_EQ(split.forest.num_nodes(), 7u);
}

TEST(SplitByCounts, MakesAForestWithoutDerivationsEmpty) {
  EXPECT_TRUE(split_by_counts(Forest(), {}).forest.empty());
  const Forest forest = testing::chain_forest(3, 0);
  EXPECT_TRUE(split_by_counts(forest, EdgeMap<Counts>(2, {})).forest.empty());
}

TEST(SplitByCounts, SaysWhenItGrowsTooLarge) {
  const Forest forest = testing::chain_forest(3, 2);
  const EdgeMap<Counts> counts(std::vector<Counts>{{0, 1}, {1, 1}, {0, 0}, {0, 0}});
  EXPECT_EQ(message_of([&] { split_by_counts(forest, counts, {.max_nodes = 3}); }),
            "split_by_counts: more than 3 nodes; prune the forest first, or raise max_nodes");
  EXPECT_EQ(message_of([&] { split_by_counts(forest, counts, {.max_edges = 3}); }),
            "split_by_counts: more than 3 edges; prune the forest first, or raise max_edges");
  EXPECT_EQ(message_of([&] { split_by_counts(forest, {}); }),
            "split_by_counts: 0 counts for a forest of 4 edges");
  EXPECT_EQ(message_of([] {
              Counts{0xffffffff, 0} + Counts{1, 0};
            }),
            "counts: a sum of more than 32 bits");
}

TEST(FMeasure, IsOneWhereThereIsNothingToFind) {
  EXPECT_EQ(f_measure({0, 0}, 0), 1);
  EXPECT_EQ(f_measure({0, 3}, 0), 0);
  EXPECT_EQ(f_measure({3, 4}, 6), 0.6);
  EXPECT_DOUBLE_EQ(f_measure({3, 4}, 6, 2), 5 * 3 / 28.0);
}

TEST(Oracle, AgreesWithEnumeration) {
  for (std::uint64_t seed = 0; seed < testing::seeds(300); ++seed) {
    SCOPED_TRACE(seed);
    const Forest forest = testing::random_forest(seed);
    EdgeMap<double> scores = testing::random_scores(forest, seed);
    if (seed % 3 == 0 && forest.num_edges() > 3) scores[EdgeId{2}] = MaxPlusSemiring::zero();
    const EdgeMap<Counts> counts = random_counts(forest, seed);
    const auto f1 = [](Counts sum) { return f_measure(sum, 5); };
    std::pair<double, double> expected(-1, MaxPlusSemiring::zero());
    for (const EdgeList& edges : testing::derivations(forest, forest.root())) {
      const double score = weight_of<MaxPlusSemiring>(edges, scores);
      if (score == MaxPlusSemiring::zero()) continue;
      expected = std::max(expected, std::pair(f1(counts_of(edges, counts)), score));
    }
    const auto found = oracle(forest, scores, counts, f1);
    ASSERT_EQ(found.has_value(), expected.first >= 0);
    if (!found) continue;
    ASSERT_TRUE(is_derivation(forest, found->derivation.edges));
    ASSERT_EQ(counts_of(found->derivation.edges, counts), found->counts);
    ASSERT_EQ(weight_of<MaxPlusSemiring>(found->derivation.edges, scores), expected.second);
    ASSERT_EQ(std::pair(found->value, found->derivation.score), expected);
  }
}

TEST(Oracle, RefusesAValueThatIsNoNumber) {
  const Forest forest = testing::chain_forest(1, 1);
  const auto nan = [](Counts) { return std::numeric_limits<double>::quiet_NaN(); };
  EXPECT_EQ(message_of([&] {
              oracle(forest, EdgeMap<double>(1, 0.0), EdgeMap<Counts>(1, {1, 2}), nan);
            }),
            "oracle: the value of counts (1, 2) is not a number");
}

}  // namespace
}  // namespace coppice

// Pruning keeps exactly the derivations that consist of kept edges, and the best one.
#include "coppice/forest/prune.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "coppice/base/error.h"
#include "coppice/forest/best.h"
#include "coppice/forest/inside.h"
#include "coppice/semiring/log.h"
#include "support/enumerate.h"
#include "support/extremes.h"
#include "support/long_forests.h"
#include "support/random_forest.h"
#include "support/seeds.h"

namespace coppice {
namespace {

using testing::EdgeList;

std::vector<EdgeList> all_derivations(const Forest& forest) {
  if (forest.empty()) return {};
  return testing::derivations(forest, forest.root());
}

std::vector<EdgeList> old_derivations(const PrunedForest& pruned) {
  std::vector<EdgeList> all = all_derivations(pruned.forest);
  for (EdgeList& edges : all) {
    for (EdgeId& edge : edges) edge = pruned.edge_of[edge];
  }
  return all;
}

std::vector<EdgeList> derivations_of(const Forest& forest, const EdgeMap<unsigned char>& kept) {
  std::vector<EdgeList> all = all_derivations(forest);
  std::erase_if(all, [&](const EdgeList& edges) {
    return !std::all_of(edges.begin(), edges.end(), [&](EdgeId edge) { return kept[edge] != 0; });
  });
  return all;
}

void expect_only_useful_parts(const PrunedForest& pruned) {
  std::set<EdgeId> used;
  for (const EdgeList& edges : all_derivations(pruned.forest)) {
    used.insert(edges.begin(), edges.end());
  }
  ASSERT_EQ(used.size(), pruned.forest.num_edges());
  for (NodeId node : pruned.forest.nodes()) ASSERT_FALSE(pruned.forest.incoming(node).empty());
}

// Edge probabilities by enumeration, counting an edge once a derivation.
EdgeMap<double> enumerated_marginals(const Forest& forest, const EdgeMap<double>& scores) {
  EdgeMap<double> marginals(forest.num_edges(), 0.0);
  const double total = inside<LogSemiring>(forest, scores)[forest.root()];
  for (const EdgeList& edges : all_derivations(forest)) {
    const double p = std::exp(weight_of<LogSemiring>(edges, scores) - total);
    for (EdgeId edge : std::set<EdgeId>(edges.begin(), edges.end())) marginals[edge] += p;
  }
  return marginals;
}

TEST(KeepEdges, KeepsTheDerivationsOfTheKeptEdges) {
  for (std::uint64_t seed = 0; seed < testing::seeds(300); ++seed) {
    SCOPED_TRACE(seed);
    const Forest forest = testing::random_forest(seed);
    Random random(seed, 3);
    EdgeMap<unsigned char> kept(forest.num_edges(), 0);
    for (unsigned char& flag : kept.values()) flag = random.below(4) != 0;
    const PrunedForest pruned = keep_edges(forest, kept);
    ASSERT_EQ(old_derivations(pruned), derivations_of(forest, kept));
    expect_only_useful_parts(pruned);
    for (EdgeId edge : pruned.forest.edges()) {
      ASSERT_EQ(pruned.node_of[pruned.forest.head(edge)], forest.head(pruned.edge_of[edge]));
    }
  }
}

TEST(MaxMarginals, AreTheBestScoresThroughEachEdge) {
  for (std::uint64_t seed = 0; seed < testing::seeds(300); ++seed) {
    SCOPED_TRACE(seed);
    const Forest forest = testing::random_forest(seed);
    EdgeMap<double> scores = testing::random_scores(forest, seed);
    if (forest.num_edges() > 3) scores[EdgeId{1}] = kNever;
    EdgeMap<double> expected(forest.num_edges(), kNever);
    for (const EdgeList& edges : all_derivations(forest)) {
      const double score = weight_of<MaxPlusSemiring>(edges, scores);
      for (EdgeId edge : edges) expected[edge] = std::max(expected[edge], score);
    }
    ASSERT_EQ(max_marginals(forest, scores), expected);
  }
}

TEST(PruneByMaxMarginal, KeepsTheBestDerivationAndWhatComesNearIt) {
  for (std::uint64_t seed = 0; seed < testing::seeds(200); ++seed) {
    SCOPED_TRACE(seed);
    const Forest forest = testing::random_forest(seed);
    const EdgeMap<double> scores = testing::random_scores(forest, seed);
    const auto best = best_derivation(forest, scores);
    const auto through = max_marginals(forest, scores);
    for (double beam : {0.0, 1.0, 3.0, std::numeric_limits<double>::infinity()}) {
      const PrunedForest pruned = prune_by_max_marginal(forest, scores, beam);
      expect_only_useful_parts(pruned);
      const std::vector<EdgeList> left = old_derivations(pruned);
      ASSERT_EQ(best.has_value(), !left.empty());
      for (EdgeId edge : pruned.edge_of.values()) ASSERT_GE(through[edge], best->score - beam);
      for (const EdgeList& edges : all_derivations(forest)) {
        if (weight_of<MaxPlusSemiring>(edges, scores) < best->score - beam) continue;
        ASSERT_NE(std::find(left.begin(), left.end(), edges), left.end());
      }
    }
  }
}

TEST(PruneByMarginal, KeepsTheBestDerivationAndLikelyEdges) {
  for (std::uint64_t seed = 0; seed < testing::seeds(200); ++seed) {
    SCOPED_TRACE(seed);
    const Forest forest = testing::random_forest(seed);
    const EdgeMap<double> scores = testing::random_scores(forest, seed);
    const auto best = best_derivation(forest, scores);
    const auto marginals = enumerated_marginals(forest, scores);
    for (double threshold : {0.0, 0.1, 1.0}) {
      const PrunedForest pruned = prune_by_marginal(forest, scores, marginals, threshold);
      const std::vector<EdgeList> left = old_derivations(pruned);
      ASSERT_EQ(best.has_value(), !left.empty());
      if (!best) continue;
      ASSERT_NE(std::find(left.begin(), left.end(), best->edges), left.end());
      for (EdgeId edge : pruned.edge_of.values()) {
        const bool in_best =
            std::find(best->edges.begin(), best->edges.end(), edge) != best->edges.end();
        ASSERT_TRUE(in_best || marginals[edge] >= threshold);
      }
      if (threshold == 0) {
        ASSERT_EQ(left, all_derivations(forest));
      }
    }
  }
}

TEST(Prune, MakesAForestWithoutDerivationsEmpty) {
  const Forest forest = testing::chain_forest(3, 0);
  EXPECT_TRUE(prune_by_max_marginal(forest, EdgeMap<double>(2, 0.0), 1).forest.empty());
  EXPECT_TRUE(prune_by_max_marginal(Forest(), {}, 1).forest.empty());
}

TEST(Prune, SaysWhatIsWrongWithALimit) {
  const auto message = [](auto action) -> std::string {
    try {
      action();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing thrown";
  };
  EXPECT_EQ(message([] { prune_by_max_marginal({}, {}, -1); }),
            "prune: a beam of -1; expected 0 or more");
  EXPECT_EQ(message([] { prune_by_marginal({}, {}, {}, 1.5); }),
            "prune: a threshold of 1.5; expected a probability");
  EXPECT_EQ(message([] { prune_by_marginal({}, {}, EdgeMap<double>(1, 0.0), 0.5); }),
            "prune: 1 marginals for a forest of 0 edges");
}

}  // namespace
}  // namespace coppice

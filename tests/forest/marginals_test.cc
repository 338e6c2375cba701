// ln Z and marginals against enumeration, on the shapes of note, and over a wide range.
#include "coppice/forest/marginals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "coppice/base/error.h"
#include "coppice/forest/conditionals.h"
#include "support/distribution.h"
#include "support/extremes.h"
#include "support/shapes.h"

namespace coppice {
namespace {

using testing::EdgeList;

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return (error.code().empty() ? "" : error.code() + " ") + error.what();
  }
  return "no error";
}

TEST(Marginals, AgreeWithEnumerationOnRandomForests) {
  testing::for_each_example([](const testing::Example& example) {
    const auto& [forest, scores] = std::tie(example.forest, example.scores);
    ASSERT_NEAR(log_partition(forest, scores), example.listed.log_partition, 1e-10);
    const EdgeMap<double> edges = edge_marginals(forest, scores);
    NodeMap<double> heads(forest.num_nodes(), 0.0);
    for (NodeId node : forest.nodes()) {
      for (EdgeId edge : forest.incoming(node)) {
        const double uses =
            example.listed.expected([&](const EdgeList& d) { return testing::count(d, edge); });
        ASSERT_NEAR(edges[edge], uses, 1e-10);
        heads[node] += uses;
      }
    }
    const NodeMap<double> nodes = node_marginals(forest, scores);
    for (NodeId node : forest.nodes()) {
      ASSERT_NEAR(nodes[node], heads[node], 1e-10);
    }
    ASSERT_EQ(nodes[forest.root()], 1.0);
  });
}

TEST(Marginals, AreTheGradientOfTheLogPartition) {
  testing::for_each_example([](const testing::Example& example) {
    const auto found = log_partition_gradient(example.forest, example.scores);
    ASSERT_EQ(found.value, log_partition(example.forest, example.scores));
    testing::expect_central_differences(
        example.scores, found.gradient,
        [&](const EdgeMap<double>& scores) { return log_partition(example.forest, scores); });
  });
}

TEST(Conditionals, SumToOneAtEveryNodeThatIsUsed) {
  testing::for_each_example([](const testing::Example& example) {
    const auto conditionals = edge_conditionals(example.forest, example.scores).probability;
    const auto uses = expected_uses(example.forest, conditionals);
    for (NodeId node : example.forest.nodes()) {
      double sum = 0;
      for (EdgeId edge : example.forest.incoming(node)) sum += conditionals[edge];
      if (uses[node] > 0) {
        ASSERT_NEAR(sum, 1, 1e-12);
      }
    }
  });
}

TEST(Conditionals, ScaleMultipliesTheScores) {
  testing::for_each_example([](const testing::Example& example) {
    EdgeMap<double> halved = example.scores;
    for (double& score : halved.values()) score /= 2;
    ASSERT_EQ(edge_conditionals(example.forest, halved).probability,
              edge_conditionals(example.forest, example.scores, 0.5).probability);
  });
}

TEST(Marginals, CountANodeUsedTwiceTwice) {
  const Forest forest = testing::node_used_twice();
  const EdgeMap<double> scores(3, 0.0);
  EXPECT_NEAR(log_partition(forest, scores), std::log(4), 1e-12);
  EXPECT_EQ(node_marginals(forest, scores)[NodeId{0}], 2.0);
  EXPECT_EQ(edge_marginals(forest, scores)[EdgeId{0}], 1.0);
}

TEST(Marginals, OfOneLeafAreOne) {
  const Forest forest = testing::one_leaf();
  const auto found = log_partition_gradient(forest, EdgeMap<double>(1, -1e4));
  EXPECT_NEAR(found.value, -1e4, 1e-10);
  EXPECT_EQ(found.gradient[EdgeId{0}], 1.0);
}

TEST(Marginals, NeedADerivation) {
  const std::string expected = "E301 the forest has no derivation of positive weight";
  const Forest barren = testing::no_derivation(), empty;
  EXPECT_EQ(log_partition(barren, EdgeMap<double>(2, 0.0)), -kInfinity);
  EXPECT_EQ(log_partition(empty, EdgeMap<double>()), -kInfinity);
  EXPECT_EQ(error_of([&] { edge_marginals(barren, EdgeMap<double>(2, 0.0)); }), expected);
  EXPECT_EQ(error_of([&] { node_marginals(empty, EdgeMap<double>()); }), expected);
  EXPECT_EQ(error_of([&] { edge_marginals(testing::one_leaf(), EdgeMap<double>(1, -kInfinity)); }),
            expected);
}

TEST(Marginals, NameTheEdgeOfABadScore) {
  const Forest forest = testing::node_used_twice();
  EdgeMap<double> scores(3, 0.0);
  scores[EdgeId{1}] = std::nan("");
  EXPECT_EQ(error_of([&] { log_partition(forest, scores); }),
            "score of edge 1 is nan; expected at most 2^50, or -infinity");
  scores[EdgeId{1}] = kInfinity;
  EXPECT_EQ(error_of([&] { log_partition(forest, scores); }),
            "score of edge 1 is inf; expected at most 2^50, or -infinity");
  EXPECT_EQ(error_of([&] { log_partition(forest, EdgeMap<double>(2, 0.0)); }),
            "2 scores for a forest of 3 edges");
  EXPECT_EQ(error_of([&] { edge_conditionals(forest, EdgeMap<double>(3, 0.0), 0); }),
            "scale 0 of the scores; expected a positive number");
}

TEST(Marginals, IgnoreWhatTheRootDoesNotReach) {
  ForestBuilder builder;
  const NodeId leaf = builder.add_node();
  builder.add_edge(leaf, {});
  const NodeId above = builder.add_node();
  builder.add_edge(above, {leaf});
  const Forest forest = std::move(builder).build(leaf);
  const auto found = edge_marginals(forest, EdgeMap<double>(2, 3.0));
  EXPECT_EQ(found[EdgeId{0}], 1.0);
  EXPECT_EQ(found[EdgeId{1}], 0.0);
}

TEST(Marginals, SurviveAMillionNodesInARow) {
  const Forest forest = testing::long_chain(1'000'000, 1);
  EXPECT_NEAR(log_partition(forest, EdgeMap<double>(forest.num_edges(), -1.5)), -1.5e6, 1e-3);
  EXPECT_EQ(edge_marginals(forest, EdgeMap<double>(forest.num_edges(), -1.5))[EdgeId{0}], 1.0);
}

// Every step of the chain chooses on its own, so everything has a closed form.
TEST(Marginals, SurviveScoresOfTenThousandOnAHundredThousandEdges) {
  const Forest forest = testing::long_chain(50'001, 2);
  Random random(5);
  EdgeMap<double> scores(forest.num_edges(), 0.0);
  double expected = 0;
  for (std::uint32_t e = 1; e < forest.num_edges(); e += 2) {
    const double base = 2e4 * random.uniform() - 1e4;
    scores[EdgeId{e}] = base;
    scores[EdgeId{e + 1}] = base + std::log(3.0);
    expected += base + std::log(4.0);
  }
  const auto found = log_partition_gradient(forest, scores);
  EXPECT_NEAR(found.value, expected, 1e-6);
  for (std::uint32_t e = 1; e < forest.num_edges(); e += 2) {
    ASSERT_NEAR(found.gradient[EdgeId{e}], 0.25, 1e-9);
    ASSERT_NEAR(found.gradient[EdgeId{e + 1}], 0.75, 1e-9);
  }
}

}  // namespace
}  // namespace coppice

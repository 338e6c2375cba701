// closure agrees with inside where there is no cycle, and with patient iteration where there is.
#include "coppice/forest/closure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coppice/semiring/boolean.h"
#include "coppice/semiring/counting.h"
#include "coppice/semiring/log.h"
#include "coppice/semiring/selective.h"
#include "coppice/semiring/top_k.h"
#include "support/random_forest.h"
#include "support/seeds.h"

namespace coppice {
namespace {

// The slow reference: derivations of depth 0, 1, 2, ... are added round by round.
template <class S, class W>
NodeMap<typename S::Value> iterate(const Hypergraph& graph, const W& weights, int rounds) {
  NodeMap<typename S::Value> chart(graph.num_nodes(), S::zero());
  for (int round = 0; round < rounds; ++round) {
    NodeMap<typename S::Value> next(graph.num_nodes(), S::zero());
    for (EdgeId edge : graph.edges()) {
      auto product = weights[edge];
      for (NodeId tail : graph.tails(edge)) product = S::times(product, chart[tail]);
      next[graph.head(edge)] = S::plus(next[graph.head(edge)], product);
    }
    chart = std::move(next);
  }
  return chart;
}

// Layers of four nodes. An edge has at most one tail in its own layer and any from the layers
// below, so that cycles do not branch; nodes are numbered from the top, against the order.
Hypergraph random_cyclic_graph(std::uint64_t seed) {
  constexpr std::uint32_t kLayers = 3, kWidth = 4, kNodes = kLayers * kWidth;
  Random random(seed);
  Hypergraph graph;
  for (std::uint32_t i = 0; i < kNodes; ++i) graph.add_node();
  graph.set_root(NodeId{0});
  const auto pick = [&](std::uint32_t begin, std::uint32_t end) {
    return static_cast<NodeId>(begin + random.below(end - begin));
  };
  for (std::uint32_t i = 0; i < 2 * kNodes; ++i) {
    const NodeId head = pick(0, kNodes);
    const auto layer_begin = static_cast<std::uint32_t>(index(head) / kWidth * kWidth);
    const std::uint32_t below = layer_begin + kWidth;
    std::vector<NodeId> tails;
    if (below < kNodes && random.below(2) == 0) tails.push_back(pick(below, kNodes));
    if (random.below(3) > 0) tails.push_back(pick(layer_begin, below));
    if (below < kNodes && random.below(3) == 0) tails.push_back(pick(below, kNodes));
    graph.add_edge(head, tails);
  }
  return graph;
}

// In eighths, from -6 to -3: small enough for every cycle to converge, fast.
EdgeMap<double> low_scores(const Hypergraph& graph, std::uint64_t seed) {
  Random random(seed, 1);
  EdgeMap<double> scores(graph.num_edges(), 0.0);
  for (double& score : scores.values()) {
    score = -3 - static_cast<double>(random.below(24)) / 8;
    if (random.below(15) == 0) score = LogSemiring::zero();
  }
  return scores;
}

Hypergraph ring(std::uint32_t nodes) {
  Hypergraph graph;
  for (std::uint32_t i = 0; i < nodes; ++i) graph.add_node();
  graph.add_edge(NodeId{0}, {});
  for (std::uint32_t i = 0; i < nodes; ++i) {
    graph.add_edge(static_cast<NodeId>((i + 1) % nodes), {static_cast<NodeId>(i)});
  }
  return graph;
}

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const InvalidArgument& error) {
    return error.code() + ' ' + error.what();
  }
  return "nothing thrown";
}

TEST(Closure, IsInsideWhereThereIsNoCycle) {
  for (std::uint64_t seed = 0; seed < testing::seeds(100); ++seed) {
    SCOPED_TRACE(seed);
    const Forest forest = testing::random_forest(seed, {.nodes = 12});
    const EdgeMap<double> scores = testing::random_scores(forest, seed);
    Hypergraph graph;
    for (NodeId node : forest.nodes()) {
      graph.add_node();
      for (EdgeId edge : forest.incoming(node)) graph.add_edge(node, forest.tails(edge));
    }
    const auto closed = closure<LogSemiring>(graph, scores);
    const auto expected = inside<LogSemiring>(forest, scores);
    for (NodeId node : forest.nodes()) {
      if (expected[node] == LogSemiring::zero()) {
        ASSERT_EQ(closed[node], expected[node]);
      } else {
        ASSERT_NEAR(closed[node], expected[node], 1e-12 * (1 + std::abs(expected[node])));
      }
    }
    const EdgeMap<BigCount> ones(graph.num_edges(), BigCount(1));
    ASSERT_EQ(closure<CountingSemiring>(graph, ones), inside<CountingSemiring>(forest, ones));
  }
}

TEST(Closure, AgreesWithIterationOnRandomCyclicGraphs) {
  for (std::uint64_t seed = 0; seed < testing::seeds(200); ++seed) {
    SCOPED_TRACE(seed);
    const Hypergraph graph = random_cyclic_graph(seed);
    const EdgeMap<double> scores = low_scores(graph, seed);
    const auto expected = iterate<LogSemiring>(graph, scores, 150);
    const auto found = closure<LogSemiring>(graph, scores);
    for (NodeId node : graph.nodes()) {
      if (expected[node] == LogSemiring::zero()) {
        ASSERT_EQ(found[node], expected[node]);
      } else {
        ASSERT_NEAR(found[node], expected[node], 1e-9);
      }
    }
    ASSERT_EQ(closure<MaxPlusSemiring>(graph, scores), iterate<MaxPlusSemiring>(graph, scores, 60));
  }
}

TEST(Closure, FindsTheBestScoresThroughCycles) {
  using S = TopK<4>;
  for (std::uint64_t seed = 0; seed < testing::seeds(100); ++seed) {
    const Hypergraph graph = random_cyclic_graph(seed);
    const EdgeMap<double> scores = low_scores(graph, seed);
    EdgeMap<S::Value> weights(graph.num_edges(), S::zero());
    for (EdgeId edge : graph.edges()) weights[edge][0] = scores[edge];
    ASSERT_EQ(closure<S>(graph, weights), iterate<S>(graph, weights, 80)) << seed;
  }
}

TEST(Closure, SaysWhichNodesDerive) {
  for (std::uint64_t seed = 0; seed < testing::seeds(100); ++seed) {
    const Hypergraph graph = random_cyclic_graph(seed);
    const EdgeMap<unsigned char> present(graph.num_edges(), 1);
    ASSERT_EQ(closure<BooleanSemiring>(graph, present),
              iterate<BooleanSemiring>(graph, present, 30));
  }
}

TEST(Closure, SumsAGeometricSeries) {
  const Hypergraph graph = ring(1);
  const EdgeMap<double> scores(std::vector<double>{0.0, std::log(0.5)});
  EXPECT_NEAR(total_weight<LogSemiring>(graph, scores), std::log(2.0), 1e-12);
  EXPECT_EQ(total_weight<LogSemiring>(Hypergraph(), EdgeMap<double>()), LogSemiring::zero());
}

TEST(Closure, GoesRoundARingOfAMillionNodes) {
  const Hypergraph graph = ring(1'000'000);
  const EdgeMap<double> costs(graph.num_edges(), 1.0);
  const auto chart = closure<TropicalSemiring>(graph, costs);
  EXPECT_EQ(chart[NodeId{0}], 1);
  EXPECT_EQ(chart[graph.root()], 1'000'000);
}

TEST(Closure, NamesTheNodesOfABranchingCycle) {
  Hypergraph graph;
  const NodeId a = graph.add_node(), b = graph.add_node(), c = graph.add_node();
  graph.add_edge(a, {});
  graph.add_edge(b, {a});
  graph.add_edge(b, {c, b});
  graph.add_edge(c, {b});
  const EdgeMap<double> scores(4, -1.0);
  EXPECT_EQ(
      message_of([&] { closure<LogSemiring>(graph, scores); }),
      "E227 closure: a branching cycle through nodes 1, 2; edge 2 into node 1 has two tails or "
      "more on it");
}

TEST(Closure, IgnoresCyclesThatNothingDerives) {
  Hypergraph graph;
  const NodeId a = graph.add_node(), b = graph.add_node(), c = graph.add_node();
  graph.add_edge(a, {a, a});  // no leaf below
  graph.add_edge(b, {b});     // of weight zero
  graph.add_edge(b, {});
  graph.add_edge(c, {b});
  const double never = LogSemiring::zero();
  const EdgeMap<double> scores(std::vector<double>{5.0, never, -1.0, -1.0});
  const auto chart = closure<LogSemiring>(graph, scores);
  EXPECT_EQ(chart[a], never);
  EXPECT_EQ(chart[c], -2);
}

TEST(Closure, NamesTheNodesWhereASumDiverges) {
  const Hypergraph graph = ring(3);
  EXPECT_EQ(message_of([&] { closure<TropicalSemiring>(graph, EdgeMap<double>(4, -1.0)); }),
            "E228 closure: cycle through nodes 0, 1, 2: tropical: star of -3 diverges; a cycle of "
            "negative cost has no cheapest derivation");
  EXPECT_EQ(
      message_of([&] { closure<CountingSemiring>(ring(10), EdgeMap<BigCount>(11, BigCount(1))); }),
      "E228 closure: cycle through nodes 0, 1, 2, 3, 4, 5, 6, 7, ...: counting: star of 1 "
      "diverges; a cycle has infinitely many derivations");
}

TEST(Closure, NamesBothSizesWhenTheyDiffer) {
  EXPECT_EQ(message_of([] { closure<LogSemiring>(Hypergraph(), EdgeMap<double>(2, 0.0)); }),
            " closure: 2 weights for a graph of 0 edges");
}

}  // namespace
}  // namespace coppice

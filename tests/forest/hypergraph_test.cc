// Any acyclic order becomes a forest; a cycle is refused by name.
#include "coppice/forest/hypergraph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "coppice/base/error.h"
#include "support/random_forest.h"
#include "support/seeds.h"

namespace coppice {
namespace {

TEST(SortTopologically, KeepsTheIdsOfWhatIsInOrder) {
  for (std::uint64_t seed = 0; seed < testing::seeds(50); ++seed) {
    const Forest forest = testing::random_forest(seed);
    Hypergraph graph;
    for (NodeId node : forest.nodes()) {
      graph.add_node();
      for (EdgeId edge : forest.incoming(node)) graph.add_edge(node, forest.tails(edge));
    }
    EXPECT_EQ(sort_topologically(graph).forest, forest) << "seed " << seed;
  }
}

TEST(SortTopologically, RenumbersNodesSoThatTailsComeFirst) {
  for (std::uint64_t seed = 0; seed < testing::seeds(100); ++seed) {
    SCOPED_TRACE(seed);
    const Forest forest = testing::random_forest(seed, {.nodes = 12});
    const auto last = static_cast<std::uint32_t>(forest.num_nodes() - 1);
    const auto flip = [&](NodeId node) { return static_cast<NodeId>(last - index(node)); };
    Hypergraph graph;
    for (std::size_t i = 0; i < forest.num_nodes(); ++i) graph.add_node();
    graph.set_root(flip(forest.root()));
    for (NodeId node : forest.nodes()) {
      for (EdgeId edge : forest.incoming(node)) {
        std::vector<NodeId> tails;
        for (NodeId tail : forest.tails(edge)) tails.push_back(flip(tail));
        graph.add_edge(flip(node), tails);
      }
    }
    const SortedForest sorted = sort_topologically(graph);
    EXPECT_EQ(sorted.forest.root(), sorted.node_of[graph.root()]);
    for (EdgeId edge : graph.edges()) {
      EXPECT_EQ(sorted.forest.head(sorted.edge_of[edge]), sorted.node_of[graph.head(edge)]);
      const auto now = sorted.forest.tails(sorted.edge_of[edge]);
      const auto then = graph.tails(edge);
      EXPECT_TRUE(std::equal(now.begin(), now.end(), then.begin(), then.end(),
                             [&](NodeId a, NodeId b) { return a == sorted.node_of[b]; }));
    }
  }
}

TEST(SortTopologically, NamesTheNodesOfACycle) {
  Hypergraph graph;
  const NodeId a = graph.add_node(), b = graph.add_node(), c = graph.add_node();
  graph.add_edge(b, {a, c});
  graph.add_edge(c, {b});
  try {
    sort_topologically(graph);
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "forest: cycle through nodes 1 <- 2 <- 1");
  }
}

TEST(SortTopologically, DoesNotRecurse) {
  Hypergraph graph;
  constexpr std::uint32_t kNodes = 1'000'000;
  for (std::uint32_t i = 0; i < kNodes; ++i) graph.add_node();
  for (std::uint32_t i = 0; i + 1 < kNodes; ++i) {
    graph.add_edge(static_cast<NodeId>(i), {static_cast<NodeId>(i + 1)});
  }
  graph.set_root(NodeId{0});
  EXPECT_EQ(index(sort_topologically(graph).forest.root()), kNodes - 1);
}

}  // namespace
}  // namespace coppice

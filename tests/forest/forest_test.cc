// The builder keeps the invariants of forest.h, and refuses what would break them.
#include "coppice/forest/forest.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "coppice/base/error.h"

namespace coppice {
namespace {

constexpr NodeId node(std::uint32_t i) { return static_cast<NodeId>(i); }

TEST(ForestBuilder, GroupsEdgesByHead) {
  ForestBuilder builder;
  const NodeId a = builder.add_node(), b = builder.add_node(), c = builder.add_node();
  builder.add_edge(a, {});
  builder.add_edge(c, {a});
  builder.add_edge(c, {a, a});
  const Forest forest = std::move(builder).build();
  EXPECT_EQ(forest.incoming(a).size(), 1u);
  EXPECT_TRUE(forest.incoming(b).empty());
  EXPECT_EQ(forest.incoming(c).size(), 2u);
  EXPECT_EQ(forest.tails(forest.incoming(c)[1]).size(), 2u);
  EXPECT_EQ(forest.root(), c);
  for (NodeId head : forest.nodes()) {
    for (EdgeId edge : forest.incoming(head)) EXPECT_EQ(forest.head(edge), head);
  }
}

TEST(ForestBuilder, RefusesATailThatDoesNotPrecedeItsHead) {
  ForestBuilder builder;
  const NodeId first = builder.add_node(), second = builder.add_node();
  EXPECT_THROW(builder.add_edge(first, {second}), InvalidArgument);
  EXPECT_THROW(builder.add_edge(first, {first}), InvalidArgument);
  EXPECT_EQ(builder.num_edges(), 0u);
}

TEST(ForestBuilder, RefusesAnEdgeIntoAnEarlierNode) {
  ForestBuilder builder;
  const NodeId first = builder.add_node(), second = builder.add_node();
  builder.add_edge(second, {first});
  EXPECT_THROW(builder.add_edge(first, {}), InvalidArgument);
}

TEST(ForestBuilder, RefusesARootThatIsNoNode) {
  ForestBuilder builder;
  builder.add_node();
  EXPECT_THROW(std::move(builder).build(node(1)), InvalidArgument);
}

TEST(Forest, MayBeEmpty) {
  const Forest forest = ForestBuilder().build();
  EXPECT_TRUE(forest.empty());
  EXPECT_EQ(forest.num_edges(), 0u);
}

}  // namespace
}  // namespace coppice

// outside: with inside it gives the weight of all uses of a node, as enumeration does.
#include "coppice/forest/outside.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coppice/base/wide_float.h"
#include "coppice/semiring/log.h"
#include "coppice/semiring/real.h"
#include "support/distribution.h"
#include "support/shapes.h"

namespace coppice {
namespace {

using testing::EdgeList;

static_assert(CommutativeSemiring<RealSemiring<WideFloat>> && CommutativeSemiring<LogSemiring>);

double uses_of(const Forest& forest, const EdgeList& derivation, NodeId node) {
  double uses = 0;
  for (EdgeId edge : forest.incoming(node)) uses += testing::count(derivation, edge);
  return uses;
}

TEST(Outside, TimesInsideIsTheWeightOfAllUses) {
  testing::for_each_example([](const testing::Example& example) {
    const auto& forest = example.forest;
    const auto inside_chart = inside<LogSemiring>(forest, example.scores);
    const auto outside_chart = outside<LogSemiring>(forest, example.scores, inside_chart);
    EdgeMap<double> weights = example.scores;
    for (double& weight : weights.values()) weight = std::exp(weight);
    const auto real_inside = inside<RealSemiring<>>(forest, weights);
    const auto real_outside = outside<RealSemiring<>>(forest, weights, real_inside);
    const double z = std::exp(example.listed.log_partition);
    for (NodeId node : forest.nodes()) {
      const double expected =
          z * example.listed.expected([&](const EdgeList& d) { return uses_of(forest, d, node); });
      ASSERT_NEAR(std::exp(inside_chart[node] + outside_chart[node]), expected, 1e-9 * z);
      ASSERT_NEAR(real_inside[node] * real_outside[node], expected, 1e-9 * z);
    }
  });
}

// d Z / d (weight of node's derivations), also where they weigh nothing: no division can do that.
TEST(Outside, IsRightWhereATailDerivesNothing) {
  const Forest forest = testing::no_derivation();
  const EdgeMap<double> weights(2, 3.0);
  const auto inside_chart = inside<RealSemiring<>>(forest, weights);
  const auto chart = outside<RealSemiring<>>(forest, weights, inside_chart);
  EXPECT_EQ(chart[NodeId{0}], 9.0);
  EXPECT_EQ(chart[NodeId{1}], 0.0);
}

TEST(Outside, CountsATailUsedTwiceTwice) {
  const Forest forest = testing::node_used_twice();
  const EdgeMap<double> weights(3, 2.0);
  const auto inside_chart = inside<RealSemiring<>>(forest, weights);
  EXPECT_EQ(inside_chart[NodeId{1}], 32.0);
  EXPECT_EQ(outside<RealSemiring<>>(forest, weights, inside_chart)[NodeId{0}], 16.0);
}

TEST(Outside, OfLongTailsLeavesOutOneAtATime) {
  ForestBuilder builder;
  std::vector<NodeId> leaves;
  EdgeMap<double> weights;
  for (int i = 0; i < 5; ++i) {
    leaves.push_back(builder.add_node());
    builder.add_edge(leaves.back(), {});
    weights.push_back(i + 2);
  }
  builder.add_edge(builder.add_node(), leaves);
  weights.push_back(10.0);
  const Forest forest = std::move(builder).build();
  const auto inside_chart = inside<RealSemiring<>>(forest, weights);
  const auto chart = outside<RealSemiring<>>(forest, weights, inside_chart);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(chart[leaves[i]], 10.0 * 720 / (i + 2));
}

TEST(Outside, OfTheEmptyForestIsEmpty) {
  EXPECT_EQ(outside<LogSemiring>(Forest(), EdgeMap<double>(), NodeMap<double>()).size(), 0u);
}

TEST(Outside, NamesBothSizesWhenTheyDiffer) {
  const Forest forest = testing::one_leaf();
  try {
    outside<LogSemiring>(forest, EdgeMap<double>(1, 0.0), NodeMap<double>(3, 0.0));
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "outside: 3 inside weights for a forest of 1 nodes");
  }
}

}  // namespace
}  // namespace coppice

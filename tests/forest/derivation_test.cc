// Derivations as lists of edges: which lists are one, and how their trees are walked.
#include "coppice/forest/derivation.h"

#include <gtest/gtest.h>

#include "coppice/base/error.h"
#include "coppice/semiring/selective.h"
#include "support/enumerate.h"
#include "support/random_forest.h"
#include "support/seeds.h"

namespace coppice {
namespace {

constexpr EdgeId edge(std::uint32_t i) { return static_cast<EdgeId>(i); }

// Edge 0 and 1 into a, 2 into b from (a, a), 3 into c from (b, a).
Forest small_forest() {
  ForestBuilder builder;
  const NodeId a = builder.add_node(), b = builder.add_node(), c = builder.add_node();
  builder.add_edge(a, {});
  builder.add_edge(a, {});
  builder.add_edge(b, {a, a});
  builder.add_edge(c, {b, a});
  return std::move(builder).build();
}

TEST(IsDerivation, AcceptsExactlyWhatEnumerationLists) {
  for (std::uint64_t seed = 0; seed < testing::seeds(100); ++seed) {
    SCOPED_TRACE(seed);
    const Forest forest = testing::random_forest(seed);
    for (testing::EdgeList edges : testing::derivations(forest, forest.root())) {
      ASSERT_TRUE(is_derivation(forest, edges));
      edges.push_back(edges.back());
      ASSERT_FALSE(is_derivation(forest, edges));
      edges.resize(edges.size() - 2);
      ASSERT_FALSE(is_derivation(forest, edges));
    }
  }
}

TEST(IsDerivation, RefusesForeignEdges) {
  const Forest forest = small_forest();
  EXPECT_TRUE(is_derivation(forest, std::vector{edge(3), edge(2), edge(0), edge(1), edge(0)}));
  EXPECT_FALSE(is_derivation(forest, std::vector{edge(3), edge(0), edge(0), edge(1), edge(0)}));
  EXPECT_FALSE(is_derivation(forest, std::vector{edge(9)}));
  EXPECT_FALSE(is_derivation(Forest(), std::vector<EdgeId>()));
}

TEST(WeightOf, AddsScoresInMaxPlus) {
  EXPECT_EQ(weight_of<MaxPlusSemiring>(std::vector{edge(1), edge(1), edge(0)},
                                       EdgeMap<double>(std::vector<double>{0.5, 2.0})),
            4.5);
}

TEST(DerivationTree, FindsChildrenParentsAndEnds) {
  const std::vector edges{edge(3), edge(2), edge(0), edge(1), edge(0)};
  const DerivationTree tree(small_forest(), edges);
  const auto children = [&](std::size_t position) {
    std::vector<std::size_t> found;
    tree.for_each_child(position, [&](std::size_t child) { found.push_back(child); });
    return found;
  };
  EXPECT_EQ(children(0), (std::vector<std::size_t>{1, 4}));
  EXPECT_EQ(children(1), (std::vector<std::size_t>{2, 3}));
  EXPECT_TRUE(children(4).empty());
  EXPECT_EQ(tree.end(1), 4u);
  EXPECT_EQ(tree.parent(4), 0u);
  EXPECT_EQ(tree.parent(0), kNoPosition);
}

TEST(DerivationTree, RefusesAListThatIsNoDerivation) {
  try {
    DerivationTree(small_forest(), std::vector{edge(3), edge(2)});
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "derivation: 2 edges that are no derivation of the root");
  }
}

}  // namespace
}  // namespace coppice

// Trees in words: hand-made ones, and drawings that have every leaf of random ones.
#include "coppice/trees/draw.h"

#include <gtest/gtest.h>

#include "trees/random_examples.h"

namespace coppice::trees {

namespace {

// A tree over a categorical, an ordered and a binary feature, and the state.
struct SmallTree {
  Schema schema;
  Ensemble trees;
  FeatureNames names;

  SmallTree() {
    schema.add_categorical(7);
    schema.add_ordered(std::vector<double>{0.5, 2.5});
    schema.add_binary(2);
    trees.sets = {0b1111110, 0b10};
    trees.begin = {0, 9};
    trees.output = {1};
    trees.nodes.resize(9);
    trees.nodes[0] = {.feature = 0, .split = 0, .left = 1, .has_set = 1, .default_right = 1};
    trees.nodes[1] = {.feature = 1, .split = 8, .left = 3};
    trees.nodes[2] = {.feature = 3, .left = 5};
    trees.nodes[3] = {.feature = kStateFeature, .split = 1, .left = 7, .has_set = 1};
    const float values[] = {1, -0.25f, 0.5f, 2, -3};
    for (std::size_t i = 0; i < 5; ++i) trees.nodes[i + 4].value = values[i];
    names.bins = {"w=a", "w=b", "w=c", "w=d", "w=e", "w=f", "w=g", "size", "", "", "", "caps"};
    names.factors = {{"label before", {"X", "Y"}, {}}};
    names.state_feature = "label before";
  }
};

TEST(DrawTrees, SaysWhatIsAsked) {
  const SmallTree small;
  check(small.schema, small.trees.view(), 2, 2);
  EXPECT_EQ(draw_text(small.schema, small.trees.view(), 0, small.names),
            "w in {b, c, d, e, 2 others} or absent?\n"
            "|- no: size > 2.5?\n"
            "|  |- no: label before=Y?\n"
            "|  |  |- no: +2\n"
            "|  |  `- yes: -3\n"
            "|  `- yes: +1\n"
            "`- yes: caps?\n"
            "   |- no: -0.25\n"
            "   `- yes: +0.5\n");
}

// States are pairs of values; a question is of one half of the pair, and says of which.
TEST(DrawTrees, AsksForAFactorOfTheStates) {
  SmallTree small;
  small.names.factors = {{"label before", {"X", "Y"}, {0, 1, 0, 1}},
                         {"label 2 before", {"X", "Y"}, {0, 0, 1, 1}}};
  const auto drawn_with = [&](std::uint64_t states) {
    small.trees.sets[1] = states;
    return draw_text(small.schema, small.trees.view(), 0, small.names);
  };
  EXPECT_NE(drawn_with(0b1010).find("no: label before=Y?"), std::string::npos);
  EXPECT_NE(drawn_with(0b0011).find("no: label 2 before=X?"), std::string::npos);
}

TEST(DrawTrees, NumbersWhatHasNoName) {
  const SmallTree small;
  const std::string text = draw_text(small.schema, small.trees.view(), 0, {});
  EXPECT_NE(text.find("feature 0 in {input 1, input 2, "), std::string::npos) << text;
  EXPECT_NE(text.find("input 7 > 2.5?"), std::string::npos);
  EXPECT_NE(text.find("input 11?"), std::string::npos);
}

TEST(DrawTrees, CountsWhatIsAskedFor) {
  const SmallTree small;
  Ensemble trees;
  trees.append(small.trees.view());
  trees.append(small.trees.view());
  trees.output[0] = 0;
  auto uses = feature_uses(small.schema, trees.view(), small.names);
  ASSERT_EQ(uses.size(), 4u);
  EXPECT_EQ(uses[0].name, "w");
  EXPECT_EQ(uses[0].roots, 2u);
  for (const FeatureUse& use : uses) {
    EXPECT_EQ(use.questions, 2u);
    EXPECT_EQ(use.trees, 2u);
  }
  uses = feature_uses(small.schema, trees.view(), small.names, 1);
  EXPECT_EQ(uses[0].questions, 1u);
  EXPECT_TRUE(feature_uses(small.schema, trees.view(), small.names, 2).empty());
}

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

TEST(DrawTrees, DrawsEveryNodeOnceAndNoneOverAnother) {
  testing::RandomExamples examples(3, {.rows = 120, .states = 3});
  TreeGrower grower(examples.schema, examples.table.view().rows, examples.states);
  GrownTree grown =
      grower.grow(examples.all_rows(), examples.targets(false), {}, {.max_leaves = 40}, Threads(1));
  testing::number_leaves(grown.tree);
  FeatureNames names;
  names.factors = {{"state", {"A", "B", "<C>"}, {}}};
  const std::string svg = draw_svg(examples.schema, grown.tree.view(), 0, names, "a & b");
  const std::size_t nodes = grown.tree.nodes.size();
  EXPECT_GT(nodes, 40u);
  EXPECT_EQ(occurrences(svg, "<g><title>"), nodes);
  EXPECT_EQ(occurrences(svg, "<path"), nodes - 1);
  EXPECT_EQ(occurrences(svg, "a &amp; b"), 2u);
  EXPECT_EQ(svg.find("<C>"), std::string::npos);
  const std::string text = draw_text(examples.schema, grown.tree.view(), 0, names);
  EXPECT_EQ(occurrences(text, "\n"), nodes);
}

}  // namespace

}  // namespace coppice::trees

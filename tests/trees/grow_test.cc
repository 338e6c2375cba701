// The split finder agrees with trying every question, at every node of the trees it grows.
#include "coppice/trees/grow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/seeds.h"
#include "trees/random_examples.h"

namespace coppice::trees {

namespace {

using testing::RandomExamples;
using testing::RandomShape;

struct Case {
  std::uint32_t row;
  std::uint16_t state;
};

// The worth of a division of cases, -1 when a side is empty.
class Exhaustive {
 public:
  Exhaustive(const RandomExamples& examples, const Targets& targets, const Criterion& criterion)
      : examples_(examples), targets_(targets), criterion_(criterion) {}

  // Of a node that so many questions lead to.
  double worth(const std::vector<Case>& cases, std::size_t questions) const {
    double gradient = 0, curvature = 0;
    for (const Case& one : cases) add(one, gradient, curvature);
    return criterion_.at(questions)(gradient, curvature);
  }

  double best(const std::vector<Case>& cases, std::size_t questions) {
    best_ = -1;
    questions_ = questions;
    for (std::uint32_t feature = 0; feature < examples_.schema.num_features(); ++feature) {
      if (examples_.schema.kind(feature) == FeatureKind::kBinary) {
        const BinRange range = examples_.schema.bins(feature);
        consider(cases, [&](const Case& one) { return bin(one, range) != kNoBin; });
      } else {
        try_column(cases, feature);
      }
    }
    for (std::uint32_t set = 0; set < 1u << examples_.states.count; ++set) {
      if (examples_.states.count == 1) break;
      consider(cases, [&](const Case& one) { return (set >> one.state & 1) != 0; });
    }
    return best_;
  }

 private:
  void add(const Case& one, double& gradient, double& curvature) const {
    const std::size_t at = one.row * examples_.states.count + one.state;
    gradient += targets_.gradient[at] * targets_.gradient_unit;
    curvature +=
        (targets_.curvature.empty() ? 1 : targets_.curvature[at]) * targets_.curvature_unit;
  }

  std::uint32_t bin(const Case& one, BinRange range) const {
    return find_bin(examples_.table.view().rows.row(one.row), range);
  }

  // Every set of values, or every threshold, with the missing on either side.
  void try_column(const std::vector<Case>& cases, std::uint32_t feature) {
    const BinRange range = examples_.schema.bins(feature);
    const bool is_ordered = examples_.schema.kind(feature) == FeatureKind::kOrdered;
    for (std::uint32_t set = 0; set < 1u << range.size(); ++set) {
      const bool is_upper_part = set == 0 || (set | (set - 1)) == (1u << range.size()) - 1;
      if (is_ordered && !is_upper_part) continue;
      for (const bool missing_right : {false, true}) {
        consider(cases, [&](const Case& one) {
          const std::uint32_t found = bin(one, range);
          return found == kNoBin ? missing_right : (set >> (found - range.begin) & 1) != 0;
        });
      }
    }
  }

  void consider(const std::vector<Case>& cases, const std::function<bool(const Case&)>& right) {
    std::vector<Case> sides[2];
    for (const Case& one : cases) sides[right(one) ? 1 : 0].push_back(one);
    if (sides[0].empty() || sides[1].empty()) return;
    best_ = std::max(best_, worth(sides[0], questions_ + 1) + worth(sides[1], questions_ + 1));
  }

  const RandomExamples& examples_;
  const Targets& targets_;
  Criterion criterion_;
  double best_ = -1;
  std::size_t questions_ = 0;
};

// Walks the grown tree and tries all questions at each of its nodes.
void expect_best_everywhere(const RandomExamples& examples, const Targets& targets,
                            const Criterion& criterion) {
  const Threads threads(1);
  const ExampleView view = examples.table.view();
  TreeGrower grower(examples.schema, view.rows, examples.states);
  const GrownTree grown = grower.grow(examples.all_rows(), targets, criterion, {}, threads);
  const EnsembleView tree = grown.tree.view();
  check(examples.schema, tree, examples.states.count, 1);
  std::vector<std::vector<Case>> cases(tree.nodes.size());
  for (const std::uint32_t row : examples.all_rows()) {
    for (std::size_t state = 0; state < examples.states.count; ++state) {
      cases[0].push_back({row, static_cast<std::uint16_t>(state)});
    }
  }
  Exhaustive exhaustive(examples, targets, criterion);
  std::vector<std::size_t> depth(tree.nodes.size());
  for (std::size_t at = 0; at < tree.nodes.size(); ++at) {
    const Node& node = tree.nodes[at];
    const double best = exhaustive.best(cases[at], depth[at]);
    const double own = exhaustive.worth(cases[at], depth[at]);
    if (node.is_leaf()) {
      ASSERT_LE(best, own + 1e-9 * (1 + own)) << "node " << at << " is not split";
      continue;
    }
    for (const Case& one : cases[at]) {
      const bool right = goes_right(examples.schema, tree, node, view.rows.row(one.row), one.state);
      cases[right ? node.right() : node.left].push_back(one);
    }
    depth[node.left] = depth[node.right()] = depth[at] + 1;
    const double found = exhaustive.worth(cases[node.left], depth[node.left]) +
                         exhaustive.worth(cases[node.right()], depth[node.right()]);
    ASSERT_NEAR(found, best, 1e-9 * (1 + best)) << "node " << at;
    ASSERT_GT(found, own);
  }
}

TEST(TreeGrower, FindsTheSplitThatTryingAllOfThemFinds) {
  for (std::uint64_t seed = 0; seed < coppice::testing::seeds(60); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomShape shape;
    shape.rows = 5 + seed % 30;
    shape.states = seed % 3 == 0 ? 3 : 1;
    const RandomExamples examples(seed, shape);
    expect_best_everywhere(examples, examples.targets(false), {Criterion::Kind::kSquares, 0});
    expect_best_everywhere(examples, examples.targets(true), {Criterion::Kind::kSquares, 0.5});
    expect_best_everywhere(examples, examples.targets(false), {Criterion::Kind::kL1, 0.4});
    expect_best_everywhere(examples, examples.targets(false), {Criterion::Kind::kL1, 0.1, 0.7});
    if (HasFatalFailure()) return;
  }
}

TEST(TreeGrower, SplitsTheMostUsefulLeafFirst) {
  const RandomExamples examples(3, {.rows = 200});
  const Threads threads(1);
  const ExampleView view = examples.table.view();
  TreeGrower grower(examples.schema, view.rows);
  const Targets targets = examples.targets(false);
  double last = 0;
  for (std::size_t leaves = 2; leaves < 12; ++leaves) {
    const GrownTree grown =
        grower.grow(examples.all_rows(), targets, {}, {.max_leaves = leaves}, threads);
    ASSERT_EQ(grown.leaves.size(), leaves);
    double worth = 0;
    for (const GrownLeaf& leaf : grown.leaves) worth += Criterion{}(leaf.gradient, leaf.curvature);
    EXPECT_GT(worth, last);
    last = worth;
  }
}

TEST(TreeGrower, SumsOfLeavesAreThoseOfTheirRows) {
  for (const unsigned surrogates : {0u, 3u}) {
    const RandomExamples examples(5, {.rows = 300, .missing = 0.4, .states = 3});
    const Threads threads(1);
    const ExampleView view = examples.table.view();
    TreeGrower grower(examples.schema, view.rows, examples.states);
    const Targets targets = examples.targets(true);
    const GrownTree grown = grower.grow(examples.all_rows(), targets, {},
                                        {.max_leaves = 20, .max_surrogates = surrogates}, threads);
    std::size_t cases = 0;
    for (const GrownLeaf& leaf : grown.leaves) {
      double gradient = 0;
      for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
        for (const std::uint16_t state : leaf.states) {
          gradient += examples.gradient[grown.rows[i] * 3 + state] * targets.gradient_unit;
          ASSERT_EQ(
              leaf_of(examples.schema, grown.tree.view(), 0, view.rows.row(grown.rows[i]), state),
              leaf.node);
          ++cases;
        }
      }
      EXPECT_NEAR(gradient, leaf.gradient, 1e-9);
    }
    EXPECT_EQ(cases, 900u);
  }
}

TEST(TreeGrower, ObeysDepthAndTheWeightOfLeaves) {
  const RandomExamples examples(7, {.rows = 500});
  const Threads threads(1);
  const ExampleView view = examples.table.view();
  TreeGrower grower(examples.schema, view.rows);
  const Targets targets = examples.targets(false);
  const auto shallow = grower.grow(examples.all_rows(), targets, {}, {.max_depth = 3}, threads);
  EXPECT_EQ(shallow.leaves.size(), 8u);
  const auto heavy = grower.grow(examples.all_rows(), targets, {}, {.min_curvature = 60}, threads);
  for (const GrownLeaf& leaf : heavy.leaves) EXPECT_GE(leaf.curvature, 60);
  EXPECT_GT(heavy.leaves.size(), 1u);
}

TEST(TreeGrower, AsksOnlyForFeaturesThatWereDrawn) {
  const RandomExamples examples(8, {.rows = 300, .binary = 60});
  const Threads threads(1);
  const ExampleView view = examples.table.view();
  TreeGrower grower(examples.schema, view.rows);
  const auto asked = [&](std::uint64_t seed) {
    std::vector<std::uint32_t> features;
    const GrownTree grown = grower.grow(examples.all_rows(), examples.targets(false), {},
                                        {.feature_fraction = 0.2, .seed = seed}, threads);
    for (const Node& node : grown.tree.nodes) {
      if (!node.is_leaf()) features.push_back(node.feature);
    }
    std::sort(features.begin(), features.end());
    features.erase(std::unique(features.begin(), features.end()), features.end());
    return features;
  };
  EXPECT_LT(asked(1).size(), 30u);
  EXPECT_NE(asked(1), asked(2));
}

void expect_same(const GrownTree& a, const GrownTree& b) {
  ASSERT_EQ(a.tree.nodes.size(), b.tree.nodes.size());
  for (std::size_t i = 0; i < a.tree.nodes.size(); ++i) {
    EXPECT_EQ(a.tree.nodes[i].feature, b.tree.nodes[i].feature);
    EXPECT_EQ(a.tree.nodes[i].split, b.tree.nodes[i].split);
  }
  EXPECT_EQ(a.tree.sets, b.tree.sets);
  EXPECT_EQ(a.rows, b.rows);
}

TEST(TreeGrower, GrowsTheSameTreeWithAnyNumberOfThreads) {
  const RandomExamples examples(11, {.rows = 20000, .binary = 30, .states = 2});
  const ExampleView view = examples.table.view();
  std::vector<GrownTree> grown;
  for (const unsigned n : {1u, 3u}) {
    const Threads threads(n);
    TreeGrower grower(examples.schema, view.rows, examples.states);
    grown.push_back(grower.grow(examples.all_rows(), examples.targets(true), {},
                                {.max_leaves = 40, .max_surrogates = 2}, threads));
  }
  expect_same(grown[0], grown[1]);
}

// Leaves become so small that most rows of a feature are elsewhere.
TEST(TreeGrower, GrowsTheSameTreesWithAnIndexOfRows) {
  const RandomExamples examples(12, {.rows = 3000, .binary = 30, .states = 2});
  const ExampleView view = examples.table.view();
  const Threads threads(2);
  TreeGrower searching(examples.schema, view.rows, examples.states);
  TreeGrower looking_up(examples.schema, view.rows, examples.states,
                        index_rows(view.rows, examples.schema.num_bins()));
  for (const std::size_t leaves : {2u, 40u, 400u}) {
    SCOPED_TRACE(::testing::Message() << leaves << " leaves");
    const GrowOptions options{.max_leaves = leaves};
    expect_same(searching.grow(examples.all_rows(), examples.targets(true), {}, options, threads),
                looking_up.grow(examples.all_rows(), examples.targets(true), {}, options, threads));
  }
}

// The best agreement that any question of another feature has with the root's own.
TEST(TreeGrower, FirstSurrogateAgreesBestWithTheQuestion) {
  for (std::uint64_t seed = 0; seed < coppice::testing::seeds(30); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const RandomExamples examples(seed, {.rows = 60, .binary = 0, .missing = 0.2});
    const Threads threads(1);
    const ExampleView view = examples.table.view();
    TreeGrower grower(examples.schema, view.rows);
    const GrownTree grown = grower.grow(examples.all_rows(), examples.targets(false), {},
                                        {.max_leaves = 2, .max_surrogates = 10}, threads);
    const Node root = grown.tree.nodes[0];
    // How many examples with both values a question sends the same way, less the larger side.
    const auto saved = [&](std::uint32_t feature, const std::function<bool(std::uint32_t)>& right) {
      int agree = 0, sides[2] = {0, 0};
      for (const std::uint32_t row : examples.all_rows()) {
        const auto bins = view.rows.row(row);
        const std::uint32_t bin = find_bin(bins, examples.schema.bins(feature));
        if (bin == kNoBin || find_bin(bins, examples.schema.bins(root.feature)) == kNoBin) continue;
        const bool own = goes_right(examples.schema, grown.tree.view(), root, bins);
        agree += own == right(bin);
        ++sides[own];
      }
      return agree - std::max(sides[0], sides[1]);
    };
    int best = 0;
    for (std::uint32_t feature = 0; feature < examples.schema.num_features(); ++feature) {
      if (feature == root.feature) continue;
      const BinRange range = examples.schema.bins(feature);
      for (std::uint32_t set = 0; set < 1u << range.size(); ++set) {
        const bool upper = (set | (set - 1)) == (1u << range.size()) - 1;
        const bool lower = (set & (set + 1)) == 0;
        if (examples.schema.kind(feature) == FeatureKind::kOrdered && !upper && !lower) continue;
        best = std::max(best, saved(feature, [&](std::uint32_t bin) {
                          return (set >> (bin - range.begin) & 1) != 0;
                        }));
      }
    }
    if (best == 0) {
      EXPECT_EQ(root.num_surrogates, 0);
      continue;
    }
    ASSERT_GT(root.num_surrogates, 0);
    const Surrogate first = grown.tree.surrogates[root.surrogate_begin];
    const int found = saved(first.feature, [&](std::uint32_t bin) {
      const BinRange range = examples.schema.bins(first.feature);
      const bool right =
          first.has_set != 0
              ? set_has(std::span(grown.tree.sets).subspan(first.split), bin - range.begin)
              : bin > first.split;
      return right != (first.reversed != 0);
    });
    EXPECT_EQ(found, best);
  }
}

TEST(TreeGrower, NothingToAskMakesOneLeaf) {
  Schema schema;
  schema.add_binary(3);
  ExampleTable table;
  for (int i = 0; i < 4; ++i) table.add(std::vector<std::uint32_t>{1});
  const std::vector<std::int32_t> gradient{5, 1, -2, 4};
  const ExampleView view = table.view();
  TreeGrower grower(schema, view.rows);
  const Threads threads(1);
  const auto grown = grower.grow({0, 1, 2, 3}, {.gradient = gradient}, {}, {}, threads);
  ASSERT_EQ(grown.leaves.size(), 1u);
  EXPECT_EQ(grown.leaves[0].gradient, 8);
  const auto none = grower.grow({}, {.gradient = gradient}, {}, {}, threads);
  EXPECT_EQ(none.leaves.size(), 1u);
}

TEST(Quantise, RoundsToAThirtiethBitOfTheLargest) {
  const std::vector<float> values{0.5f, -1.0f, 1e-9f, 0};
  std::vector<std::int32_t> quantised(4);
  const double unit = quantise(Threads(1), values, quantised);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(quantised[i] * unit, values[i], unit);
  }
  std::vector<float> zeros(2);
  std::vector<std::int32_t> nothing(2);
  EXPECT_EQ(quantise(Threads(1), zeros, nothing), 1);
}

}  // namespace

}  // namespace coppice::trees

// The compiled ensemble gives what walking the trees gives.
#include "coppice/trees/predictor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coppice/base/error.h"
#include "trees/random_examples.h"

namespace coppice::trees {

namespace {

using testing::number_leaves;
using testing::RandomExamples;

// Trees of random targets, with as many leaves as `leaves`, over two outputs.
Ensemble random_ensemble(RandomExamples& examples, std::size_t leaves, unsigned surrogates) {
  Ensemble trees;
  Random random(leaves);
  TreeGrower grower(examples.schema, examples.table.view().rows, examples.states);
  const Threads threads(1);
  for (int i = 0; i < 12; ++i) {
    for (std::int32_t& g : examples.gradient) {
      g = static_cast<std::int32_t>(random.below(2001)) - 1000;
    }
    GrownTree grown =
        grower.grow(examples.all_rows(), examples.targets(false), {},
                    {.max_leaves = i == 0 ? 1 : leaves, .max_surrogates = surrogates}, threads);
    number_leaves(grown.tree);
    grown.tree.output[0] = static_cast<std::uint32_t>(i % 2);
    trees.append(grown.tree.view());
  }
  return trees;
}

void expect_same_scores(RandomExamples& examples, std::size_t leaves, unsigned surrogates) {
  const Ensemble trees = random_ensemble(examples, leaves, surrogates);
  const EnsembleView view = trees.view();
  const std::size_t states = examples.states.count;
  check(examples.schema, view, states, 2);
  const Predictor predictor(examples.schema, view, states, 2);
  Predictor::Scratch scratch;
  std::vector<double> scores(2 * states);
  Random random(99);
  for (int i = 0; i < 200; ++i) {
    const auto row =
        i == 0 ? std::vector<std::uint32_t>{} : examples.draw_row(random, {.missing = 0.3});
    predictor.score(row, scores, scratch);
    for (std::size_t state = 0; state < states; ++state) {
      double walked[2] = {0, 0};
      for (std::size_t tree = 0; tree < trees.num_trees(); ++tree) {
        const std::uint32_t leaf = leaf_of(examples.schema, view, tree, row, state);
        walked[view.output[tree]] += view.tree(tree)[leaf].value;
      }
      ASSERT_NEAR(scores[state * 2], walked[0], 1e-9 * (1 + std::fabs(walked[0]))) << "row " << i;
      ASSERT_NEAR(scores[state * 2 + 1], walked[1], 1e-9 * (1 + std::fabs(walked[1])));
    }
  }
}

TEST(StateClasses, AreTheStatesThatNoQuestionTellsApart) {
  RandomExamples examples(3, {.rows = 80, .states = 9});
  const Ensemble trees = random_ensemble(examples, 6, 0);
  const EnsembleView view = trees.view();
  std::size_t several = 0;
  for (std::size_t tree = 0; tree < trees.num_trees(); ++tree) {
    const StateClasses classes = state_classes(view, tree, 9);
    several += classes.size() > 1 ? 1 : 0;
    for (std::size_t a = 0; a < 9; ++a) {
      EXPECT_LE(classes.first[classes.of_state[a]], a);
      EXPECT_EQ(classes.of_state[classes.first[classes.of_state[a]]], classes.of_state[a]);
      for (std::size_t b = 0; b < 9; ++b) {
        bool same = true;
        for (const Node& node : view.tree(tree)) {
          if (node.feature != kStateFeature) continue;
          const auto set = view.sets.subspan(node.split);
          same = same && set_has(set, a) == set_has(set, b);
        }
        EXPECT_EQ(classes.of_state[a] == classes.of_state[b], same) << a << " and " << b;
      }
    }
  }
  EXPECT_GT(several, 3u);
}

TEST(Predictor, AgreesWithTheWalk) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomExamples examples(seed, {.rows = 150});
    expect_same_scores(examples, 2 + 5 * seed, 0);
    if (HasFatalFailure()) return;
  }
}

TEST(Predictor, AgreesWithTheWalkInEveryState) {
  RandomExamples examples(4, {.rows = 150, .states = 5});
  expect_same_scores(examples, 30, 0);
}

TEST(Predictor, AgreesWithTheWalkOnTreesOfHundredsOfLeaves) {
  RandomExamples examples(5, {.rows = 600, .binary = 20, .states = 2});
  expect_same_scores(examples, 300, 0);
}

TEST(Predictor, FollowsSurrogates) {
  RandomExamples examples(6, {.rows = 200, .missing = 0.4, .states = 2});
  expect_same_scores(examples, 25, 3);
}

TEST(Predictor, AScratchGoesFromOneToAnother) {
  RandomExamples examples(7, {.rows = 150, .states = 3});
  const Ensemble large = random_ensemble(examples, 90, 0), small = random_ensemble(examples, 4, 0);
  const Predictor predictors[] = {{examples.schema, large.view(), 3, 2},
                                  {examples.schema, small.view(), 3, 2}};
  Predictor::Scratch shared;
  Random random(8);
  for (int i = 0; i < 20; ++i) {
    const auto row = examples.draw_row(random, {});
    Predictor::Scratch fresh;
    std::vector<double> found(6), expected(6);
    predictors[i % 2].score(row, found, shared);
    predictors[i % 2].score(row, expected, fresh);
    ASSERT_EQ(found, expected) << "row " << i;
  }
}

TEST(Predictor, NoTreesGiveZero) {
  Schema schema;
  schema.add_binary(2);
  const Ensemble none;
  const Predictor predictor(schema, none.view(), 1, 1);
  Predictor::Scratch scratch;
  std::vector<double> score{5};
  predictor.score(std::vector<std::uint32_t>{1}, score, scratch);
  EXPECT_EQ(score[0], 0);
}

// What a damaged file may hold is refused before a walk can leave the arrays or never end.
TEST(EnsembleCheck, RefusesWhatDoesNotFit) {
  RandomExamples examples(9, {.rows = 100, .states = 2});
  const Ensemble good = random_ensemble(examples, 10, 2);
  const auto refuses = [&](auto damage) {
    Ensemble bad = good;
    damage(bad);
    EXPECT_THROW(check(examples.schema, bad.view(), 2, 2), InvalidArgument);
  };
  check(examples.schema, good.view(), 2, 2);
  const std::size_t inner = good.begin[1];  // the root of the second tree
  refuses([&](Ensemble& e) { e.nodes[inner].left = 0; });
  refuses([&](Ensemble& e) { e.nodes[inner].left = 1'000'000; });
  refuses([&](Ensemble& e) { e.nodes[inner].feature = 1'000'000; });
  refuses([&](Ensemble& e) { e.nodes[inner].has_set ^= 1; });
  refuses([&](Ensemble& e) { e.nodes[inner].surrogate_begin = 1'000'000; });
  refuses([&](Ensemble& e) { e.nodes[0].value = std::nanf(""); });
  refuses([&](Ensemble& e) { e.output[1] = 2; });
  refuses([&](Ensemble& e) { e.begin[1] = e.begin[2]; });
  refuses([&](Ensemble& e) { e.sets.clear(); });
  refuses([&](Ensemble& e) { e.begin.pop_back(); });
}

}  // namespace

}  // namespace coppice::trees

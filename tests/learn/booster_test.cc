// Boosting of the smallest structure (tests/chain/boosted_chain_test.cc boosts chains).
#include "coppice/learn/booster.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "coppice/base/error.h"
#include "learn/choices.h"

namespace coppice::learn {
namespace {

using choices::BoostedChoices;
using choices::ChoiceData;
using choices::random_choices;

void run(Booster& booster, int rounds, const Threads& threads = Threads(1)) {
  for (int i = 0; i < rounds; ++i) booster.round(threads);
}

std::vector<float> values_of(const Booster& booster) {
  std::vector<float> values;
  for (const trees::Node& node : booster.trees().nodes) values.push_back(node.value);
  return values;
}

TEST(Booster, LowersTheObjective) {
  for (const bool newton : {false, true}) {
    BoostedChoices corpus(random_choices(1));
    Booster booster(corpus, {.max_leaves = 6, .newton = newton});
    const double first = booster.round(Threads(1));
    EXPECT_NEAR(first, 80 * std::log(3.0), 1e-3);
    run(booster, 29);
    EXPECT_LT(booster.round(Threads(1)), first / 2);
    EXPECT_EQ(booster.num_rounds(), 31u);
    EXPECT_EQ(booster.trees().num_trees(), 31 * ChoiceData::kAnswers);
  }
}

// The first tree of each answer is the mean of the targets in its leaves.
TEST(Booster, FitsTreesToTheNegativeGradient) {
  const ChoiceData data = random_choices(2);
  BoostedChoices corpus(data);
  Booster booster(corpus, {.max_leaves = 2});
  booster.round(Threads(1));
  for (std::size_t k = 0; k < ChoiceData::kAnswers; ++k) {
    double sum = 0, right = 0;
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
      sum += corpus.scores_of(i)[k];
      right += (data.gold[i][0] == k ? 1.0 : 0.0) - 1.0 / 3;
    }
    EXPECT_NEAR(sum, right, 1e-3);
  }
}

// Targets are means of the gradient, so without draws three trees are thrice the same, a third
// each.
TEST(Booster, AveragesTheTreesOfARound) {
  BoostedChoices once(random_choices(3)), thrice(random_choices(3));
  Booster one(once, {.max_leaves = 5}), three(thrice, {.max_leaves = 5, .trees_per_round = 3});
  run(one, 4);
  run(three, 4);
  EXPECT_EQ(three.trees().num_trees(), 3 * one.trees().num_trees());
  for (std::size_t i = 0; i < once.num_examples(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_NEAR(once.scores_of(i)[k], thrice.scores_of(i)[k], 1e-5);
    }
  }
}

TEST(Booster, NewtonStepsStayWithinBounds) {
  BoostedChoices corpus(random_choices(4));
  Booster booster(corpus, {.max_leaves = 8, .newton = true, .ridge = 1e-6});
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(std::isfinite(booster.round(Threads(1))));
  for (const float value : values_of(booster)) EXPECT_LE(std::fabs(value), 4.0f);
}

TEST(Booster, GoesOnFromTreesAsIfItHadGrownThem) {
  for (const bool newton : {false, true}) {
    const BoostingOptions options{.max_leaves = 6,
                                  .shrinkage = 0.5,
                                  .newton = newton,
                                  .row_fraction = 0.8,
                                  .stage_rounds = 4};
    const TrainingObjective risk{.goal = ObjectiveKind::kRisk};
    BoostedChoices of_whole(random_choices(5), risk), of_begun(random_choices(5), risk),
        of_resumed(random_choices(5), risk);
    Booster whole(of_whole, options), begun(of_begun, options), resumed(of_resumed, options);
    run(whole, 9);
    run(begun, 6);
    std::stringstream bytes;
    CheckpointWriter out(bytes, "test 1\n");
    begun.save(out);
    CheckpointReader in(bytes, "test 1\n");
    resumed.load(in, Threads(1));
    EXPECT_EQ(resumed.num_rounds(), 6u);
    run(resumed, 3);
    EXPECT_EQ(values_of(resumed), values_of(whole));
  }
}

TEST(Booster, RefusesTreesThatDoNotFit) {
  BoostedChoices grown_on(random_choices(6)), other(random_choices(6));
  Booster grown(grown_on, {.max_leaves = 3}), empty(other, {.trees_per_round = 2});
  run(grown, 3);
  EXPECT_THROW(empty.replay(grown.trees().view(), Threads(1)), InvalidArgument);  // 9 trees
  EXPECT_THROW(grown.replay(grown.trees().view(), Threads(1)), InvalidArgument);
  std::stringstream bytes;
  CheckpointWriter out(bytes, "test 1\n");
  grown.save(out);
  CheckpointReader in(bytes, "test 1\n");
  EXPECT_THROW(empty.load(in, Threads(1)), ModelError);
}

TEST(Booster, ShowsTheTreesOfTheFirstRounds) {
  BoostedChoices corpus(random_choices(7));
  Booster booster(corpus, {.max_leaves = 3, .trees_per_round = 2});
  run(booster, 3);
  EXPECT_EQ(booster.trees(0).num_trees(), 0u);
  const trees::EnsembleView first = booster.trees(1);
  EXPECT_EQ(first.num_trees(), 6u);
  EXPECT_EQ(first.nodes.size(), first.begin.back());
  EXPECT_EQ(booster.trees(9).num_trees(), booster.trees().num_trees());
}

TEST(Booster, FollowsThePseudoLikelihoodFirstWhereThereIsOne) {
  using enum RoundGoal;
  for (const bool has_pseudo : {true, false}) {
    BoostedChoices corpus(random_choices(8), {}, has_pseudo);
    Booster booster(corpus, {.max_leaves = 3, .pseudo_rounds = 2});
    run(booster, 4);
    const RoundGoal begin = has_pseudo ? kPseudoLikelihood : kObjective;
    EXPECT_EQ(corpus.goals, (std::vector<RoundGoal>{begin, begin, kObjective, kObjective}));
  }
}

TEST(Booster, GoesThroughTheStages) {
  const TrainingObjective annealed{
      .goal = ObjectiveKind::kAnnealedRisk,
      .annealing = {.temperature = 1, .least_temperature = 0.3, .largest_scale = 1}};
  StagedObjective stages(annealed);
  std::size_t expected = 0;
  while (stages.advance()) ++expected;
  ASSERT_EQ(expected, 3u);
  BoostedChoices corpus(random_choices(9), annealed, true);
  Booster booster(corpus, {.max_leaves = 3, .pseudo_rounds = 2, .stage_rounds = 3});
  run(booster, 10);  // 2 of the pseudo-likelihood, 3 of the likelihood, and so on
  EXPECT_TRUE(corpus.objective().has_next_stage());
  run(booster, 1);
  EXPECT_FALSE(corpus.objective().has_next_stage());
}

TEST(Booster, HasAllExamplesLookedAtInRoundsOfTheCorpus) {
  BoostedChoices corpus(
      random_choices(7),
      {.goal = ObjectiveKind::kSoftmaxMargin, .loss = LossName::kF, .of_corpus = true}, true);
  Booster booster(corpus, {.max_leaves = 3, .pseudo_rounds = 2});
  run(booster, 9);
  EXPECT_EQ(corpus.looks, 7u);
}

TEST(Booster, TrimsWithoutHarm) {
  BoostedChoices corpus(random_choices(10)), whole(random_choices(10));
  Booster trimmed(corpus, {.max_leaves = 6, .trim = 0.1}), all(whole, {.max_leaves = 6});
  run(trimmed, 20);
  run(all, 20);
  EXPECT_NE(values_of(trimmed), values_of(all));
  EXPECT_LT(trimmed.round(Threads(1)), 1.1 * all.round(Threads(1)));
}

TEST(Booster, LearnsTheSameWithAnyNumberOfThreads) {
  std::vector<std::vector<float>> values;
  for (const unsigned n : {1u, 3u}) {
    BoostedChoices corpus(random_choices(11));
    Booster booster(corpus,
                    {.max_leaves = 6, .shrinkage = 0.5, .newton = true, .row_fraction = 0.8});
    run(booster, 6, Threads(n));
    values.push_back(values_of(booster));
  }
  EXPECT_EQ(values[0], values[1]);
}

TEST(Booster, RefusesOptionsOutOfRange) {
  BoostedChoices corpus(random_choices(12));
  const auto refuses = [&](const BoostingOptions& options) {
    EXPECT_THROW(Booster(corpus, options), InvalidArgument);
  };
  refuses({.max_leaves = 1});
  refuses({.shrinkage = 0});
  refuses({.row_fraction = 2});
  refuses({.feature_fraction = 0});
  refuses({.trim = 1});
  refuses({.trees_per_round = 0});
  refuses({.stage_rounds = 0});
  BoostedChoices empty(random_choices(12, 0));
  EXPECT_THROW(Booster(empty, {}), InvalidArgument);
}

}  // namespace
}  // namespace coppice::learn

#include "coppice/learn/training_objective.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coppice/base/error.h"

namespace coppice::learn {
namespace {

TEST(ParseCosts, ReadsCostsOfAllAndOfOneType) {
  const auto all = parse_costs("fn=5,fp=1.5");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].type, "");
  EXPECT_EQ(all[0].costs.false_negative, 5);
  EXPECT_EQ(all[0].costs.false_positive, 1.5);
  const auto one = parse_costs("Disease:fn=2");
  EXPECT_EQ(one[0].type, "Disease");
  EXPECT_EQ(one[0].costs.false_negative, 2);
  EXPECT_EQ(one[0].costs.false_positive, 1);
  for (const char* bad :
       {"", "fn", "fn=", "fn=-1", "fx=1", "fn=1;fp=2", "X:", "fn=inf", "fn=1,,"}) {
    EXPECT_THROW(parse_costs(bad), InvalidArgument) << bad;
  }
}

TEST(ParseCostMatrix, ReadsLinesAndSaysWhereItCannot) {
  const auto entries = parse_cost_matrix("# costs\nB-X O 5\n\nO B-X 0.5 # cheap\n", "costs.txt");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].gold, "B-X");
  EXPECT_EQ(entries[0].answer, "O");
  EXPECT_EQ(entries[0].cost, 5);
  EXPECT_EQ(entries[1].cost, 0.5);
  for (const char* bad : {"", "B-X O", "B-X O x", "B-X O 1 2", "B-X B-X 1", "O B-X -1"}) {
    try {
      parse_cost_matrix(bad, "costs.txt");
      ADD_FAILURE() << bad;
    } catch (const ParseError& error) {
      EXPECT_EQ(error.code(), "E217") << bad;
      EXPECT_EQ(error.where().file, "costs.txt") << bad;
    }
  }
}

TEST(TrainingObjective, RefusesWhatDoesNotFitTogether) {
  using enum ObjectiveKind;
  const auto refuses = [](const TrainingObjective& objective) {
    EXPECT_THROW(objective.check(), InvalidArgument);
  };
  TrainingObjective().check();
  refuses({.goal = kRisk, .loss = LossName::kF, .costs = parse_costs("fn=2")});
  refuses({.goal = kRisk, .loss = LossName::kDecF1, .of_corpus = true});
  refuses({.goal = kRisk, .loss = LossName::kCostMatrix});
  refuses({.goal = kRisk, .loss = LossName::kHamming, .matrix = {{"O", "B-Z", 1}}});
  refuses({.goal = kAnnealedRisk, .loss = LossName::kF, .of_corpus = true});
  refuses({.loss = LossName::kF, .of_corpus = true});
  refuses({.goal = kRisk, .loss = LossName::kF, .of_corpus = true, .entropy_weight = 1});
  refuses({.goal = kAnnealedRisk, .annealing = {.cooling = 1}});
  refuses({.entropy_weight = NAN});
}

TEST(TrainingObjective, StartsFromTheLikelihoodWhereItIsNotDenseOrNotConvex) {
  using enum ObjectiveKind;
  EXPECT_FALSE(TrainingObjective().starts_from_likelihood());
  EXPECT_FALSE(TrainingObjective{.goal = kPseudoLikelihood}.starts_from_likelihood());
  EXPECT_FALSE(TrainingObjective{.goal = kSoftmaxMargin}.starts_from_likelihood());
  EXPECT_TRUE(
      (TrainingObjective{.goal = kSoftmaxMargin, .loss = LossName::kF}.starts_from_likelihood()));
  EXPECT_TRUE(TrainingObjective{.goal = kRisk}.starts_from_likelihood());
  EXPECT_TRUE(TrainingObjective{.entropy_weight = 0.5}.starts_from_likelihood());
}

}  // namespace
}  // namespace coppice::learn

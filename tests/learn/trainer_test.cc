// The trainer of linear potentials with the smallest structure (tests/chain/training_test.cc trains
// chains).
#include "coppice/learn/trainer.h"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>

#include "coppice/base/error.h"
#include "learn/choices.h"

namespace coppice::learn {
namespace {

using choices::ChoiceCorpus;
using choices::random_choices;

std::unique_ptr<ChoiceCorpus> corpus(const TrainingObjective& goal = {}) {
  return std::make_unique<ChoiceCorpus>(random_choices(1), goal);
}

void run(Trainer& trainer) {
  while (trainer.iterate(Threads(1))) {
  }
}

TrainerOptions batch() {
  TrainerOptions options;
  options.stochastic_passes = 0;
  return options;
}

TrainerOptions stochastic(unsigned passes) {
  TrainerOptions options;
  options.stochastic_passes = passes;
  options.batch = false;
  return options;
}

TEST(Trainer, ComesNearTheOptimumWithEachOptimiser) {
  Trainer whole(corpus(), batch()), both(corpus(), {});
  run(whole);
  run(both);
  const double best = whole.value(Threads(1));
  EXPECT_NEAR(both.value(Threads(1)), best, 1e-4 * best);
  TrainerOptions adagrad = stochastic(60), sgd = stochastic(60);
  sgd.adaptive = false;
  sgd.stochastic_step = 0.1;
  for (const TrainerOptions& options : {adagrad, sgd}) {
    Trainer passes(corpus(), options);
    run(passes);
    EXPECT_GE(passes.value(Threads(1)), best * (1 - 1e-6));
    EXPECT_LT(passes.value(Threads(1)), best * 1.05) << options.adaptive;
    EXPECT_EQ(passes.progress().stopped, "all passes made");
  }
}

// At the optimum the gradient of the value is that of the penalty, backwards.
TEST(Trainer, EndsWhereLossAndPenaltyBalance) {
  TrainerOptions options = batch();
  options.l2 = 0.25;
  options.stopping.delta = 0;
  Trainer trainer(corpus(), options);
  run(trainer);
  std::vector<float> gradient(trainer.weights().size());
  corpus()->evaluate(trainer.weights(), gradient, Threads(1));
  for (std::size_t p = 0; p < gradient.size(); ++p) {
    EXPECT_NEAR(gradient[p], -2 * 0.25 * trainer.weights()[p], 2e-2) << p;
  }
}

TEST(Trainer, GoesOnBitForBitFromACheckpoint) {
  TrainerOptions sgd = stochastic(8);
  sgd.adaptive = false;
  sgd.averaging = true;
  TrainerOptions both;
  both.averaging = true;
  for (const TrainerOptions& options : {sgd, both}) {
    Trainer whole(corpus(), options);
    run(whole);
    for (const int steps : {1, 5, 7}) {
      Trainer first(corpus(), options), second(corpus(), options);
      for (int i = 0; i < steps; ++i) first.iterate(Threads(1));
      std::stringstream checkpoint;
      first.save(checkpoint);
      second.load(checkpoint);
      run(second);
      ASSERT_TRUE(
          std::equal(second.weights().begin(), second.weights().end(), whole.weights().begin()))
          << steps;
    }
  }
}

TEST(Trainer, StaysStoppedAfterALoadUnlessLimitsAreRaised) {
  TrainerOptions options;
  options.stopping.max_iterations = 3;
  Trainer ended(corpus(), options), resumed(corpus(), options);
  run(ended);
  ASSERT_EQ(ended.progress().stopped, "iteration limit");
  std::stringstream checkpoint;
  ended.save(checkpoint);
  resumed.load(checkpoint);
  EXPECT_EQ(resumed.progress().stopped, "iteration limit");
  EXPECT_FALSE(resumed.iterate(Threads(1)));
  EXPECT_EQ(resumed.progress().iteration, ended.progress().iteration);
  options.stopping.max_iterations = 5;
  Trainer raised(corpus(), options);
  checkpoint.seekg(0);
  raised.load(checkpoint);
  run(raised);
  EXPECT_EQ(raised.progress().iteration, ended.progress().iteration + 2);
}

TEST(Trainer, PrunesOnceByTheWeightsThatPassesEndWith) {
  auto made = corpus();
  made->set_prunes();
  const ChoiceCorpus& choices = *made;
  TrainerOptions options;
  options.stochastic_passes = 2;
  Trainer trainer(std::move(made), options);
  trainer.iterate(Threads(1));
  trainer.iterate(Threads(1));
  const std::vector<float> ended(trainer.weights().begin(), trainer.weights().end());
  EXPECT_TRUE(choices.pruned_by.empty());
  trainer.iterate(Threads(1));
  trainer.iterate(Threads(1));
  EXPECT_EQ(choices.pruned_by, ended);
  std::stringstream checkpoint;
  trainer.save(checkpoint);
  auto other = corpus();
  other->set_prunes();
  const ChoiceCorpus& again = *other;
  Trainer resumed(std::move(other), options);
  resumed.load(checkpoint);
  EXPECT_EQ(again.pruned_by, ended);
}

TEST(Trainer, EndsAStageWhenItIsToldTo) {
  Trainer risk(corpus({.goal = ObjectiveKind::kRisk}), batch());
  const double likelihood = risk.value(Threads(1));
  EXPECT_TRUE(risk.end_stage());
  EXPECT_NE(risk.value(Threads(1)), likelihood);
  EXPECT_FALSE(risk.end_stage());
}

TEST(Trainer, RefusesCheckpointsOfOtherTrainings) {
  Trainer trained(corpus(), stochastic(2));
  run(trained);
  std::stringstream whole;
  trained.save(whole);
  const std::string bytes = whole.str();
  for (std::size_t size = 0; size < bytes.size(); size += 13) {
    Trainer other(corpus(), stochastic(2));
    std::stringstream cut(bytes.substr(0, size));
    EXPECT_THROW(other.load(cut), ModelError) << size;
  }
}

TEST(Trainer, RefusesWeightsOfAnotherCorpusAndTooLate) {
  Trainer trainer(corpus(), stochastic(2));
  EXPECT_THROW(trainer.start_from(std::vector<float>(3)), InvalidArgument);
  trainer.iterate(Threads(1));
  EXPECT_THROW(trainer.start_from(std::vector<float>(24)), InvalidArgument);
}

}  // namespace
}  // namespace coppice::learn

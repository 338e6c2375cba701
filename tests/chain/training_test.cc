// The trainer of linear potentials (learn/trainer.h) on chains.
#include <gtest/gtest.h>

#include <memory>
#include <sstream>

#include "chain/corpus_objective.h"
#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/learn/trainer.h"

namespace coppice::chain {
namespace {

using learn::Trainer;
using learn::TrainerOptions;

// Random sentences whose labels follow their attributes and each other, with noise.
Dataset data() {
  constexpr std::size_t labels = 3, attributes = 12;
  Random random(5);
  Dataset data;
  data.num_labels = labels;
  data.design.num_attributes = attributes;
  for (int i = 0; i < 60; ++i) {
    std::size_t label = random.below(labels);
    const std::size_t length = 2 + random.below(6);
    for (std::size_t t = 0; t < length; ++t) {
      label = random.below(4) == 0 ? random.below(labels) : (label + 1) % labels;
      const auto hint =
          static_cast<std::uint32_t>(random.below(3) == 0 ? random.below(labels) : label);
      data.design.attributes.push_back(hint);
      data.design.attributes.push_back(3 +
                                       static_cast<std::uint32_t>(random.below(attributes - 3)));
      data.design.begin.push_back(static_cast<std::uint32_t>(data.design.attributes.size()));
      data.gold.push_back(static_cast<std::uint16_t>(label));
      data.gold_begin.push_back(static_cast<std::uint32_t>(data.gold.size()));
    }
    data.sentence_begin.push_back(static_cast<std::uint32_t>(data.gold.size()));
  }
  return data;
}

std::unique_ptr<CorpusObjective> corpus(const learn::TrainingObjective& objective = {},
                                        const ChainOptions& options = {}) {
  const std::vector<std::string> labels{"a", "b", "c"};
  return std::make_unique<CorpusObjective>(data(), Constraints{}, options, objective,
                                           LossTables(objective, labels, text::Scheme::kRaw));
}

Trainer trainer(const TrainerOptions& options) { return Trainer(corpus(), options); }

TrainerOptions stochastic(unsigned passes) {
  TrainerOptions options;
  options.stochastic_passes = passes;
  options.batch = false;
  return options;
}

void run(Trainer& trainer) {
  while (trainer.iterate(Threads(1))) {
  }
}

double optimum() {
  TrainerOptions options;
  options.stochastic_passes = 0;
  Trainer batch = trainer(options);
  run(batch);
  return batch.value(Threads(1));
}

TEST(ChainTraining, ComesNearTheOptimumWithEachOptimiser) {
  const double best = optimum();
  Trainer both = trainer({});
  run(both);
  EXPECT_NEAR(both.value(Threads(1)), best, 1e-4 * best);
  TrainerOptions adagrad = stochastic(60), sgd = stochastic(60);
  sgd.adaptive = false;
  sgd.stochastic_step = 0.1;
  for (const TrainerOptions& options : {adagrad, sgd}) {
    Trainer passes = trainer(options);
    run(passes);
    EXPECT_GE(passes.value(Threads(1)), best * (1 - 1e-6));
    EXPECT_LT(passes.value(Threads(1)), best * 1.05) << options.adaptive;
    EXPECT_EQ(passes.progress().stopped, "all passes made");
  }
}

TEST(ChainTraining, AveragesTheLaterHalfOfThePasses) {
  for (const unsigned passes : {1u, 4u, 5u}) {
    Trainer plain = trainer(stochastic(passes));
    std::vector<double> sum(plain.weights().size(), 0.0);
    unsigned counted = 0;
    for (unsigned pass = 1; plain.iterate(Threads(1)); ++pass) {
      if (2 * pass <= passes) continue;
      ++counted;
      for (std::size_t p = 0; p < sum.size(); ++p) sum[p] += plain.weights()[p];
    }
    TrainerOptions options = stochastic(passes);
    options.averaging = true;
    Trainer averaged = trainer(options);
    run(averaged);
    EXPECT_EQ(counted, passes - passes / 2);
    for (std::size_t p = 0; p < sum.size(); ++p) {
      EXPECT_NEAR(averaged.weights()[p], sum[p] / counted, 1e-6);
    }
  }
}

TEST(ChainTraining, GoesOnBitForBitFromACheckpoint) {
  TrainerOptions sgd = stochastic(8);
  sgd.adaptive = false;
  sgd.averaging = true;
  TrainerOptions both;
  both.averaging = true;
  for (const TrainerOptions& options : {sgd, both}) {
    Trainer whole = trainer(options);
    run(whole);
    for (const int steps : {1, 5, 7}) {
      Trainer first = trainer(options), second = trainer(options);
      for (int i = 0; i < steps; ++i) first.iterate(Threads(1));
      std::stringstream checkpoint;
      first.save(checkpoint);
      second.load(checkpoint);
      run(second);
      ASSERT_EQ(second.weights().size(), whole.weights().size());
      for (std::size_t p = 0; p < whole.weights().size(); ++p) {
        ASSERT_EQ(second.weights()[p], whole.weights()[p]) << steps;
      }
    }
  }
}

Trainer risk_trainer(const TrainerOptions& options = {}) {
  return Trainer(corpus({.goal = learn::ObjectiveKind::kRisk}), options);
}

double risk_at(std::span<const float> weights) {
  Trainer at = risk_trainer();
  at.start_from(weights);
  EXPECT_TRUE(at.end_stage());
  return at.value(Threads(1));
}

// After each step, what most_steps_left() says; -1 where it says nothing.
std::vector<int> steps_left(Trainer trainer) {
  std::vector<int> said;
  while (trainer.iterate(Threads(1))) {
    const auto left = trainer.most_steps_left();
    said.push_back(left ? static_cast<int>(*left) : -1);
  }
  return said;
}

TEST(ChainTraining, KnowsTheStepsLeftWhenNoOtherKindFollows) {
  EXPECT_EQ(steps_left(trainer(stochastic(4))), (std::vector<int>{3, 2, 1, 0}));
  TrainerOptions both;
  both.stochastic_passes = 2;
  both.stopping.max_iterations = 3;
  EXPECT_EQ(steps_left(trainer(both)), (std::vector<int>{-1, -1, 2, 1, 0}));
  both.stopping.max_iterations = 1000;
  const std::vector<int> converged = steps_left(trainer(both));
  ASSERT_LT(converged.size(), 200u);
  EXPECT_EQ(converged[2], 999);
  EXPECT_EQ(converged.back(), 0);
  for (std::size_t i = 2; i < converged.size(); ++i) {
    EXPECT_GE(converged[i], static_cast<int>(converged.size() - i - 1)) << i;
  }
}

TEST(ChainTraining, KnowsNoStepsLeftWithoutALimitOrBeforeTheLastStage) {
  for (const int left : steps_left(trainer({}))) EXPECT_LE(left, 0);
  TrainerOptions options;
  options.stochastic_passes = 1;
  options.stopping.max_iterations = 4;
  options.stopping.delta = 0;
  EXPECT_EQ(steps_left(risk_trainer(options)), (std::vector<int>{-1, -1, -1, -1, -1, 3, 2, 1, 0}));
}

TEST(ChainTraining, BeginsARiskWhereTheLikelihoodEnds) {
  Trainer likelihood = trainer({});
  run(likelihood);
  Trainer both = risk_trainer();
  while (both.progress().iteration < likelihood.progress().iteration) both.iterate(Threads(1));
  ASSERT_TRUE(
      std::equal(both.weights().begin(), both.weights().end(), likelihood.weights().begin()));
  run(both);
  EXPECT_GT(both.progress().iteration, likelihood.progress().iteration + 5);
  EXPECT_LT(risk_at(both.weights()), 0.98 * risk_at(likelihood.weights()));
}

TEST(ChainTraining, GoesOnBitForBitFromACheckpointOfEitherStageOfARisk) {
  Trainer whole = risk_trainer();
  run(whole);
  for (const std::uint64_t left : {2u, 30u}) {
    ASSERT_GT(whole.progress().iteration, left + 5);
    Trainer first = risk_trainer(), second = risk_trainer();
    while (first.progress().iteration + left < whole.progress().iteration) {
      first.iterate(Threads(1));
    }
    std::stringstream checkpoint;
    first.save(checkpoint);
    second.load(checkpoint);
    run(second);
    ASSERT_TRUE(
        std::equal(second.weights().begin(), second.weights().end(), whole.weights().begin()))
        << left;
  }
}

// Lattices are pruned by the weights that the passes end with, once, and again by the same ones.
TEST(ChainTraining, GoesOnBitForBitWhereLatticesArePruned) {
  const ChainOptions pruned{.order = 2, .prune = 0.05};
  const TrainerOptions options{.stopping = {.max_iterations = 6}};
  Trainer whole(corpus({}, pruned), options);
  run(whole);
  for (const int steps : {2, 6}) {
    Trainer first(corpus({}, pruned), options), second(corpus({}, pruned), options);
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

}  // namespace
}  // namespace coppice::chain

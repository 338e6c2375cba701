// Checks, patience, what is kept, trees after weights, and checkpoints, with the smallest
// structure.
#include "coppice/learn/training_loop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <sstream>

#include "coppice/base/error.h"
#include "learn/choices.h"

namespace coppice::learn {
namespace {

using choices::BoostedChoices;
using choices::ChoiceCorpus;
using choices::random_choices;

// Scores that were settled beforehand, one for each check; the last one again and again.
class Script final : public Development {
 public:
  explicit Script(std::vector<double> settled) : scores(std::move(settled)) {}
  DevelopmentScore score(std::span<const float> weights, bool has_trees,
                         const Threads& /*threads*/) override {
    seen.emplace_back(weights.begin(), weights.end());
    with_trees.push_back(has_trees);
    return {.score = scores[std::min(seen.size(), scores.size()) - 1]};
  }
  std::vector<double> scores;
  std::vector<std::vector<float>> seen;  // weights, by check
  std::vector<bool> with_trees;
};

// What a loop is made of. Trees are those of other data, which does not matter here.
struct Training {
  Training(const LoopOptions& options, std::vector<double> scores = {}, bool linear = true,
           const TrainingObjective& goal = {})
      : development(std::move(scores)), boosted(random_choices(2)) {
    TrainingLoop::Learner learner;
    if (linear) learner.corpus = std::make_unique<ChoiceCorpus>(random_choices(1), goal);
    learner.start_boosting = [this](std::span<const float> weights) -> Booster& {
      started_from.assign(weights.begin(), weights.end());
      ++starts;
      return booster.emplace(boosted, BoostingOptions{.max_leaves = 4, .newton = true});
    };
    if (!development.scores.empty()) learner.development = &development;
    loop.emplace(std::move(learner), options);
  }
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  void run() {
    while (loop->iterate(Threads(1))) {
    }
  }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) ASSERT_TRUE(loop->iterate(Threads(1)));
  }
  std::vector<float> kept() const {
    return {loop->kept_weights().begin(), loop->kept_weights().end()};
  }

  Script development;
  BoostedChoices boosted;
  std::optional<Booster> booster;
  std::vector<float> started_from;
  int starts = 0;
  std::optional<TrainingLoop> loop;
};

LoopOptions passes(unsigned number) {
  LoopOptions options;
  options.trainer.stochastic_passes = number;
  options.trainer.batch = false;
  return options;
}

LoopOptions with_rounds(std::size_t rounds) {
  LoopOptions options = passes(3);
  options.rounds = rounds;
  return options;
}

TEST(TrainingLoop, KeepsTheLastWeightsWithoutDevelopmentData) {
  Training training(passes(4));
  training.run();
  EXPECT_EQ(training.loop->progress().iteration, 4u);
  EXPECT_EQ(training.loop->stopped(), "all passes made");
  EXPECT_EQ(training.loop->kept_iteration(), 4u);
  EXPECT_LT(training.loop->kept_score(), 0);
  EXPECT_FALSE(training.loop->development().checked);
  EXPECT_FALSE(training.loop->is_boosting());
  EXPECT_EQ(training.loop->kept_rounds(), 0u);
}

TEST(TrainingLoop, KeepsTheBestCheckAndStopsWithoutProgress) {
  LoopOptions options = passes(20);
  options.patience = 3;
  Training training(options, {0.2, 0.6, 0.5, 0.6, 0.1});
  std::vector<bool> best;
  while (training.loop->iterate(Threads(1))) {
    EXPECT_TRUE(training.loop->check_was_due());
    ASSERT_TRUE(training.loop->development().checked);
    best.push_back(training.loop->development().best);
  }
  EXPECT_EQ(best, (std::vector<bool>{true, true, false, false, false}));  // as good is not better
  EXPECT_EQ(training.loop->stopped(), "development score not better for 3 checks");
  EXPECT_EQ(training.loop->kept_iteration(), 2u);
  EXPECT_EQ(training.loop->kept_score(), 0.6);
  EXPECT_EQ(training.kept(), training.development.seen[1]);
  EXPECT_EQ(training.loop->most_steps_left(), 0u);
}

TEST(TrainingLoop, NeverStopsEarlyWithoutPatience) {
  LoopOptions options = passes(9);
  options.patience = 0;
  Training training(options, {0.5, 0.1});
  training.run();
  EXPECT_EQ(training.loop->progress().iteration, 9u);
  EXPECT_EQ(training.loop->kept_iteration(), 1u);
}

TEST(TrainingLoop, ChecksAfterEachPassThenNowAndThenAndInTheEnd) {
  LoopOptions options;
  options.trainer.stochastic_passes = 2;
  options.trainer.stopping.max_iterations = 7;
  options.trainer.stopping.delta = 0;
  options.check_every = 3;
  Training training(options, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6});
  std::vector<std::uint64_t> checked;
  while (training.loop->iterate(Threads(1))) {
    EXPECT_EQ(training.loop->check_was_due(), training.loop->development().checked);
    if (training.loop->development().checked) {
      checked.push_back(training.loop->progress().iteration);
    }
  }
  EXPECT_EQ(checked, (std::vector<std::uint64_t>{1, 2, 3, 6, 9}));
}

TEST(TrainingLoop, PatienceEndsAStage) {
  LoopOptions options;
  options.trainer.stochastic_passes = 1;
  options.patience = 2;
  options.check_every = 1;
  Training training(options, {0.5}, true, {.goal = ObjectiveKind::kRisk});
  const auto in_likelihood = [&] { return training.loop->corpus()->objective().has_next_stage(); };
  training.run(3);  // the best, and two that are not better
  EXPECT_TRUE(in_likelihood());
  EXPECT_EQ(training.loop->most_steps_left(), std::nullopt) << "another stage is to follow";
  training.run(2);
  EXPECT_FALSE(in_likelihood());
  EXPECT_FALSE(training.loop->iterate(Threads(1)));
  EXPECT_EQ(training.loop->progress().iteration, 5u);
}

TEST(TrainingLoop, StartsFromWeightsAndPastAStage) {
  const std::vector<float> weights(24, 0.25f);
  LoopOptions options;
  options.trainer.stochastic_passes = 0;
  for (const bool skip : {false, true}) {
    Training training(options, {}, true, {.goal = ObjectiveKind::kRisk});
    training.loop->start_from(weights, skip);
    EXPECT_EQ(training.kept(), weights);
    EXPECT_EQ(training.loop->corpus()->objective().has_next_stage(), !skip);
  }
  Training trees(with_rounds(2), {}, false);
  EXPECT_THROW(trees.loop->start_from(weights, false), InvalidArgument);
  EXPECT_THROW(Training(passes(2), {}, false), InvalidArgument) << "neither weights nor trees";
}

TEST(TrainingLoop, GrowsTreesAlone) {
  Training training(with_rounds(3), {}, false);
  EXPECT_EQ(training.starts, 1);
  EXPECT_EQ(training.loop->corpus(), nullptr);
  EXPECT_EQ(training.loop->bytes_to_come(), 0u);
  training.run(1);
  EXPECT_TRUE(training.loop->progress().boosting);
  EXPECT_EQ(training.loop->most_steps_left(), 2u);
  training.run();
  EXPECT_EQ(training.loop->stopped(), "all rounds are done");
  EXPECT_EQ(training.loop->kept_rounds(), 3u);
  EXPECT_TRUE(training.kept().empty());
}

TEST(TrainingLoop, GrowsTreesBesideTheWeightsThatAreKept) {
  LoopOptions options = with_rounds(4);
  options.check_every = 1;
  Training training(options, {0.1, 0.5, 0.4, 0.3, 0.6, 0.5});
  training.run(3);
  EXPECT_FALSE(training.loop->is_boosting());
  EXPECT_EQ(training.loop->most_steps_left(), std::nullopt);
  training.run(1);
  EXPECT_TRUE(training.loop->is_boosting());
  EXPECT_EQ(training.loop->progress().iteration, 4u);
  EXPECT_EQ(training.started_from, training.development.seen[1]);
  EXPECT_EQ(training.development.seen[3], training.started_from) << "and checked with";
  EXPECT_EQ(training.loop->kept_rounds(), 0u) << "the weights alone are still the best";
  training.run();
  EXPECT_EQ(training.development.with_trees,
            (std::vector<bool>{false, false, false, true, true, true, true}));
  EXPECT_EQ(training.loop->kept_iteration(), 5u);
  EXPECT_EQ(training.loop->kept_rounds(), 2u);
  EXPECT_EQ(training.kept(), training.started_from);
  EXPECT_EQ(training.starts, 1);
}

// Each step's checkpoint leads to the same end.
TEST(TrainingLoop, GoesOnBitForBitFromACheckpoint) {
  LoopOptions options = with_rounds(4);
  options.trainer.batch = true;
  options.trainer.stopping.max_iterations = 3;
  options.check_every = 1;
  const std::vector<double> scores{0.1, 0.2, 0.5, 0.4, 0.4, 0.4, 0.3, 0.6, 0.5, 0.5};
  Training whole(options, scores);
  whole.run();
  const auto steps = static_cast<int>(whole.loop->progress().iteration);
  ASSERT_EQ(steps, 10);
  for (int at = 1; at <= steps; ++at) {
    SCOPED_TRACE(at);
    Training first(options, scores), second(options, scores);
    first.run(at);
    std::stringstream checkpoint;
    first.loop->save(checkpoint);
    second.loop->load(checkpoint, Threads(1));
    second.development.seen = first.development.seen;
    EXPECT_EQ(second.loop->progress().iteration, first.loop->progress().iteration);
    EXPECT_EQ(second.loop->progress().evaluations, first.loop->progress().evaluations);
    second.run();
    EXPECT_EQ(second.loop->kept_iteration(), whole.loop->kept_iteration());
    EXPECT_EQ(second.loop->kept_score(), whole.loop->kept_score());
    EXPECT_EQ(second.kept(), whole.kept());
    EXPECT_EQ(second.loop->kept_rounds(), whole.loop->kept_rounds());
    EXPECT_EQ(second.loop->stopped(), whole.loop->stopped());
    ASSERT_EQ(second.booster->trees().nodes.size(), whole.booster->trees().nodes.size());
    for (std::size_t i = 0; i < whole.booster->trees().nodes.size(); ++i) {
      ASSERT_EQ(second.booster->trees().nodes[i].value, whole.booster->trees().nodes[i].value);
    }
  }
}

TEST(TrainingLoop, RefusesDamagedCheckpointsAndThoseOfOtherTrainings) {
  Training training(with_rounds(3));
  training.run(5);
  std::stringstream whole;
  training.loop->save(whole);
  const std::string bytes = whole.str();
  const auto refused = [](const std::string& bad, const LoopOptions& options, bool linear) {
    Training other(options, {}, linear);
    std::stringstream in(bad);
    try {
      other.loop->load(in, Threads(1));
      ADD_FAILURE() << "expected ModelError";
    } catch (const ModelError& error) {
      EXPECT_EQ(error.code(), "E430");
    }
  };
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    refused(bytes.substr(0, size), with_rounds(3), true);
  }
  refused(bytes, passes(3), true);        // it has no trees
  refused(bytes, with_rounds(3), false);  // and this one no weights
}

}  // namespace
}  // namespace coppice::learn

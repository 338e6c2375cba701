// Which question an engine is asked, and when.
#include "coppice/learn/staged_objective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "coppice/base/error.h"
#include "learn/choices.h"

namespace coppice::learn {
namespace {

using enum ObjectiveKind;
using choices::Answers;
using choices::ChoiceEngine;

// Says what it was asked.
class Asked final : public Engine {
 public:
  bool is_annotated() const override { return annotated; }
  void require_complete() const override { required = true; }
  double likelihood() override { return answer("likelihood"); }
  double pseudo_likelihood() override { return answer("pseudo"); }
  double margin() override { return answer("margin"); }
  double risk(const AnnealedRiskOptions& annealing) override {
    return answer(concat("risk ", annealing.temperature, ' ', annealing.scale));
  }
  double entropy(double weight) override { return answer(concat("entropy ", weight)); }
  double teacher() override { return answer("teacher"); }
  double parts() override { return answer("parts"); }
  ExampleCounts counts() override { return {}; }
  double margin_of_counts(const CountDistribution& /*table*/,
                          std::span<const double> /*losses*/) override {
    return answer("margin of counts");
  }
  void risk_of_counts(const CountDistribution& /*table*/,
                      std::span<const double> /*losses*/) override {
    answer("risk of counts");
  }
  bool annotated = true;
  mutable bool required = false;
  std::string question;

 private:
  double answer(std::string asked) {
    question = std::move(asked);
    statistics_ = {.nodes = 2, .splits = 5, .largest_splits = 3, .largest_cut = 1e-9};
    return 7;
  }
};

std::string asked(const StagedObjective& objective, bool annotated = true) {
  Asked engine;
  engine.annotated = annotated;
  EXPECT_EQ(objective.evaluate(engine, 0), 7);
  return engine.question;
}

std::string asked_in_pass(const StagedObjective& objective) {
  Asked engine;
  EXPECT_EQ(objective.warm_up(engine), 7);
  return engine.question;
}

TEST(StagedObjective, AsksForItsGoalAtOnceUnlessItIsARisk) {
  EXPECT_EQ(asked(StagedObjective()), "likelihood");
  EXPECT_EQ(asked(StagedObjective({.goal = kPseudoLikelihood})), "pseudo");
  EXPECT_EQ(asked(StagedObjective({.goal = kSoftmaxMargin})), "margin");
  EXPECT_EQ(asked(StagedObjective({.goal = kTeacher})), "teacher");
  EXPECT_EQ(asked(StagedObjective({.goal = kParts})), "parts");
  EXPECT_EQ(asked(StagedObjective({.goal = kEntropy})), "entropy 1");
  StagedObjective margin({.goal = kSoftmaxMargin});
  EXPECT_FALSE(margin.has_next_stage());
  EXPECT_FALSE(margin.advance());
}

TEST(StagedObjective, BeginsRisksWithTheLikelihoodOfWholeAnnotations) {
  StagedObjective risk({.goal = kRisk, .loss_scale = 2});
  Asked engine;
  risk.evaluate(engine, 0);
  EXPECT_EQ(engine.question, "likelihood");
  EXPECT_TRUE(engine.required);
  Asked unlabelled;
  unlabelled.annotated = false;
  risk.evaluate(unlabelled, 0);
  EXPECT_FALSE(unlabelled.required);
  EXPECT_EQ(risk.remarks(), "") << "the likelihood splits nothing that counts";
  ASSERT_TRUE(risk.has_next_stage());
  ASSERT_TRUE(risk.advance());
  EXPECT_EQ(asked(risk), "risk 0 1");
  EXPECT_FALSE(risk.advance());
}

TEST(StagedObjective, GoesThroughTheTemperaturesAndScales) {
  StagedObjective annealed(
      {.goal = kAnnealedRisk,
       .loss_scale = 2,
       .annealing = {.temperature = 1, .least_temperature = 0.3, .largest_scale = 4}});
  EXPECT_EQ(asked(annealed), "likelihood");
  for (const char* question : {"risk 2 1", "risk 1 1", "risk 0 1", "risk 0 2", "risk 0 4"}) {
    ASSERT_TRUE(annealed.advance());
    EXPECT_EQ(asked(annealed), question);
  }
  EXPECT_FALSE(annealed.has_next_stage());
  EXPECT_FALSE(annealed.advance());
}

TEST(StagedObjective, WarmsUpWithTheLikelihoodWhereTheGoalIsDear) {
  EXPECT_EQ(asked_in_pass(StagedObjective({.goal = kPseudoLikelihood})), "pseudo");
  EXPECT_EQ(asked_in_pass(StagedObjective({.goal = kSoftmaxMargin})), "margin");
  EXPECT_EQ(asked_in_pass(StagedObjective({.goal = kSoftmaxMargin, .loss = LossName::kF})),
            "likelihood");
  StagedObjective risk({.goal = kRisk});
  risk.advance();
  EXPECT_EQ(asked_in_pass(risk), "likelihood");
}

TEST(StagedObjective, AsksUnlabelledExamplesForTheirEntropy) {
  const StagedObjective with({.goal = kPseudoLikelihood, .entropy_weight = 0.5}), without;
  EXPECT_EQ(asked(with, false), "entropy 0.5");
  EXPECT_EQ(asked(with, true), "pseudo");
  EXPECT_EQ(asked(without, false), "likelihood");
}

TEST(StagedObjective, SumsWhatWasSplit) {
  const StagedObjective margin({.goal = kSoftmaxMargin});
  EXPECT_EQ(margin.remarks(), "");
  asked(margin);
  asked(margin);
  EXPECT_EQ(margin.statistics().nodes, 4u);
  EXPECT_EQ(margin.statistics().average_splits(), 2.5);
  EXPECT_EQ(margin.remarks(),
            "2.5 splits a state on average, 3 at the most; at most 1e-09 of a sentence's mass cut");
}

TEST(StagedObjective, RefusesGoalsThatMakeNoSense) {
  EXPECT_THROW(StagedObjective({.goal = kRisk, .loss = LossName::kDecF1, .of_corpus = true}),
               InvalidArgument);
}

// Three examples with the answers that are right.
struct Examples {
  std::vector<std::vector<float>> scores{{0.5f, -0.25f, 1}, {0, 0.75f, -1}, {0.25f, 0.5f, 0}};
  std::vector<Answers> gold{{1}, {0}, {2}};
};

// By definition: over all 27 answers of the three.
double slow_corpus(const TrainingObjective& goal, Examples examples) {
  double z = 0, sum = 0, right = 0;
  for (std::size_t answer = 0; answer < 27; ++answer) {
    const std::size_t parts[] = {answer % 3, answer / 3 % 3, answer / 9};
    double score = 0;
    Counts counts{};
    bool is_right = true;
    for (std::size_t i = 0; i < 3; ++i) {
      score += examples.scores[i][parts[i]];
      is_right = is_right && parts[i] == examples.gold[i][0];
      const ChoiceEngine engine(examples.scores[i], examples.gold[i]);
      counts = counts + engine.counts_of(parts[i]);
    }
    const double cost = 3 * goal.loss_scale * loss(goal.measure(), counts, 2);
    z += std::exp(score);
    sum += std::exp(score) * (goal.goal == kRisk ? cost : std::exp(cost));
    if (is_right) right = score;
  }
  return goal.goal == kRisk ? sum / z : std::log(sum) - right;
}

double corpus_value(const TrainingObjective& goal, Examples& examples) {
  StagedObjective objective(goal);
  if (goal.is_risk()) objective.advance();
  EXPECT_TRUE(objective.looks_ahead());
  objective.begin_look(3);
  for (std::size_t i = 0; i < 3; ++i) {
    ChoiceEngine engine(examples.scores[i], examples.gold[i]);
    objective.look(engine, i);
  }
  objective.end_look();
  double value = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    ChoiceEngine engine(examples.scores[i], examples.gold[i]);
    value += objective.evaluate(engine, i);
  }
  return value;
}

TEST(StagedObjective, PutsTheCountsOfACorpusTogether) {
  for (const ObjectiveKind kind : {kRisk, kSoftmaxMargin}) {
    const TrainingObjective goal{
        .goal = kind, .loss = LossName::kF, .loss_scale = 0.7, .of_corpus = true};
    SCOPED_TRACE(name(kind));
    Examples derivatives;
    EXPECT_NEAR(corpus_value(goal, derivatives), slow_corpus(goal, {}), 1e-6);
    constexpr float step = 1.0f / 64;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        Examples above, below;
        above.scores[i][k] += step;
        below.scores[i][k] -= step;
        const double slope = (slow_corpus(goal, above) - slow_corpus(goal, below)) / (2 * step);
        EXPECT_NEAR(derivatives.scores[i][k], slope, 1e-4) << i << ' ' << k;
      }
    }
  }
}

TEST(StagedObjective, LooksAheadInTheStageOfTheCorpusOnly) {
  StagedObjective risk({.goal = kRisk, .loss = LossName::kF, .of_corpus = true});
  EXPECT_FALSE(risk.looks_ahead());
  ASSERT_TRUE(risk.advance());
  EXPECT_TRUE(risk.looks_ahead());
  EXPECT_FALSE(StagedObjective({.goal = kRisk, .loss = LossName::kF}).looks_ahead());
}

// The engine of the tests themselves: its derivatives are those of its values.
TEST(ChoiceEngine, HasTheDerivativesOfItsValues) {
  const std::vector<double> teacher{0.5, 0.2, 0.3};
  const Answers gold{1};
  const std::vector<float> scores{0.5f, -0.25f, 1};
  const auto value = [&](int question, std::vector<float>& at) {
    ChoiceEngine engine(at, gold, 0.7, teacher);
    switch (question) {
      case 0:
        return engine.likelihood();
      case 1:
        return engine.margin();
      case 2:
        return engine.risk({.temperature = 0.3, .scale = 1.5});
      case 3:
        return engine.entropy(0.5);
      case 4:
        return engine.teacher();
      default:
        return engine.parts();
    }
  };
  for (int question = 0; question < 6; ++question) {
    std::vector<float> derivatives = scores;
    value(question, derivatives);
    constexpr float step = 1.0f / 64;
    for (std::size_t k = 0; k < 3; ++k) {
      std::vector<float> above = scores, below = scores;
      above[k] += step;
      below[k] -= step;
      const double slope = (value(question, above) - value(question, below)) / (2 * step);
      EXPECT_NEAR(derivatives[k], slope, 1e-4) << question << ' ' << k;
    }
  }
}

}  // namespace
}  // namespace coppice::learn

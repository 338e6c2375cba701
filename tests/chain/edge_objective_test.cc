// Chains with scores of their own for every label pair at every token: inference against
// enumeration and the forest, objectives against central differences.
#include "coppice/chain/edge_objective.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chain/enumerate_chain.h"
#include "coppice/base/random.h"
#include "coppice/forest/marginals.h"
#include "coppice/forest/risk.h"
#include "coppice/learn/training_objective.h"

namespace coppice::chain {
namespace {

using testing::each_sequence;
using testing::kForbidden;

struct Sentence {
  EdgeShape shape;
  std::size_t length;
  std::vector<float> scores;
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint16_t> gold;
  bool complete = true;

  EdgeExample example() const { return {shape, scores, {begin, gold, complete}}; }
};

Sentence random_sentence(std::uint64_t seed, bool partial, bool forbids) {
  Random random(seed);
  const std::size_t labels = 1 + random.below(3);
  Sentence made{EdgeShape::of_order(static_cast<unsigned>(seed % 2), labels),
                1 + random.below(4),
                {},
                {0},
                {}};
  std::vector<std::uint16_t> path;
  for (std::size_t t = 0; t < made.length; ++t) {
    path.push_back(static_cast<std::uint16_t>(random.below(labels)));
    if (!partial || random.below(2) == 0) made.gold.push_back(path.back());
    made.begin.push_back(static_cast<std::uint32_t>(made.gold.size()));
    made.complete = made.complete && made.begin[t] + 1 == made.begin[t + 1];
  }
  made.scores.resize(made.length * made.shape.block());
  for (float& score : made.scores) {
    score = static_cast<float>(4 * random.uniform() - 2);
    if (forbids && random.below(6) == 0) score = kForbidden;
  }
  for (std::size_t t = 0; t < made.length; ++t) {  // the annotation stays possible
    const std::size_t state = made.shape.state_after(t, t > 0 ? path[t - 1] : 0);
    made.scores[made.shape.place(t, state, path[t])] = 0.5f;
  }
  return made;
}

TEST(EdgeKernel, MarginalsAreThoseOfAllSequences) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Sentence s = random_sentence(seed, false, seed % 3 == 0);
    std::vector<double> sums(s.scores.size(), 0.0);
    double z = 0, best = -INFINITY;
    each_sequence(s.length, s.shape.labels, [&](const std::vector<std::uint16_t>& labels) {
      const double score = edge_score(s.shape, s.scores, labels);
      best = std::max(best, score);
      z += std::exp(score);
      for (std::size_t t = 0; t < s.length; ++t) {
        const std::size_t state = s.shape.state_after(t, t > 0 ? labels[t - 1] : 0);
        sums[s.shape.place(t, state, labels[t])] += std::exp(score);
      }
    });
    std::vector<float> p(s.scores.size());
    EdgeWorkspace workspace;
    ASSERT_NEAR(edge_marginals(s.shape, s.scores, p, workspace), std::log(z), 1e-5);
    for (std::size_t i = 0; i < p.size(); ++i) ASSERT_NEAR(p[i], sums[i] / z, 1e-5) << i;
    std::vector<std::uint16_t> labels;
    ASSERT_NEAR(edge_best_labels(s.shape, s.scores, labels), best, 1e-5);
    ASSERT_NEAR(edge_score(s.shape, s.scores, labels), best, 1e-5);
    const ChainForest forest = edge_forest(s.shape, s.scores);
    ASSERT_NEAR(log_partition(forest.forest, forest.scores), std::log(z), 1e-5);
    std::vector<float> posterior(s.shape.labels);
    edge_posterior(s.shape, p, s.length - 1, posterior);
    float total = 0;
    for (const float one : posterior) total += one;
    ASSERT_NEAR(total, 1, 1e-5);
  }
}

TEST(EdgeKernel, SaysWhenEverythingIsForbidden) {
  const EdgeShape shape = EdgeShape::of_order(1, 2);
  const std::vector<float> scores(2 * shape.block(), kForbidden);
  std::vector<float> p(scores.size(), 1.0f);
  EdgeWorkspace workspace;
  EXPECT_EQ(edge_marginals(shape, scores, p, workspace), -INFINITY);
  EXPECT_EQ(p[0], 0);
  std::vector<std::uint16_t> labels;
  EXPECT_EQ(edge_best_labels(shape, scores, labels), -INFINITY);
  EXPECT_EQ(labels, (std::vector<std::uint16_t>{0, 0}));
}

TEST(EdgeKernel, LongSentencesNeitherOverflowNorUnderflow) {
  const EdgeShape shape = EdgeShape::of_order(1, 2);
  const std::vector<float> scores(100'000 * shape.block(), 50.0f);
  std::vector<float> p(scores.size());
  EdgeWorkspace workspace;
  EXPECT_NEAR(edge_marginals(shape, scores, p, workspace), 100'000 * (50 + std::log(2.0)), 1e-3);
  EXPECT_NEAR(p[shape.place(50'000, 1, 1)], 0.25, 1e-6);
}

void expect_central_differences(const EdgeObjective& objective, const Sentence& sentence) {
  EdgeObjectiveWorkspace workspace;
  std::vector<float> derivatives(sentence.scores.size()), ignored(sentence.scores.size());
  objective.evaluate(sentence.example(), derivatives, workspace);
  constexpr float step = 0.03125f;  // whole in float: values are exact to 1e-7
  for (std::size_t i = 0; i < sentence.scores.size(); ++i) {
    if (std::isinf(sentence.scores[i])) {
      ASSERT_EQ(derivatives[i], 0) << i;
      continue;
    }
    Sentence moved = sentence;
    moved.scores[i] = sentence.scores[i] + step;
    const double above = objective.evaluate(moved.example(), ignored, workspace);
    moved.scores[i] = sentence.scores[i] - step;
    const double below = objective.evaluate(moved.example(), ignored, workspace);
    ASSERT_NEAR(derivatives[i], (above - below) / (2 * step), 2e-3) << i;
  }
}

TEST(EdgeLikelihood, DerivativesAreThoseOfTheValue) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    expect_central_differences(EdgeLikelihood(),
                               random_sentence(seed, seed % 4 > 1, seed % 3 == 0));
    if (HasFatalFailure()) return;
  }
}

TEST(EdgePseudoLikelihood, DerivativesAreThoseOfTheValue) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    expect_central_differences(EdgePseudoLikelihood(), random_sentence(seed, false, false));
    if (HasFatalFailure()) return;
  }
}

TEST(EdgePseudoLikelihood, IsTheProductOfConditionals) {
  const Sentence s = random_sentence(7, false, false);
  double expected = 0;
  std::vector<std::uint16_t> labels = s.gold;
  for (std::size_t t = 0; t < s.length; ++t) {
    double sum = 0;
    for (std::uint16_t v = 0; v < s.shape.labels; ++v) {
      labels[t] = v;
      sum += std::exp(edge_score(s.shape, s.scores, labels));
    }
    labels[t] = s.gold[t];
    expected += std::log(sum) - edge_score(s.shape, s.scores, labels);
  }
  EdgeObjectiveWorkspace workspace;
  std::vector<float> derivatives(s.scores.size());
  EXPECT_NEAR(EdgePseudoLikelihood().evaluate(s.example(), derivatives, workspace), expected, 1e-5);
}

TEST(ForestEdgeObjective, BoostsAnyFunctionOfForests) {
  const ForestEdgeObjective risk(
      [](const Forest& forest, const EdgeMap<double>& scores, const learn::Target& target) {
        return risk_gradient(forest, scores, target.losses);
      });
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    expect_central_differences(risk, random_sentence(seed, false, seed % 3 == 0));
    if (HasFatalFailure()) return;
  }
}

// Labels O, B-X, I-X: spans are what is counted.
std::unique_ptr<SentenceObjective> objective_of(TrainingGoal goal, LossName loss,
                                                std::size_t labels) {
  std::vector<std::string> names{"O", "B-X", "I-X"};
  names.resize(labels);
  return make_objective({.goal = goal, .loss = loss, .loss_scale = 0.7}, names,
                        text::Scheme::kIob2);
}

TEST(SentenceEdgeObjective, DerivativesAreThoseOfTheValue) {
  for (const TrainingGoal goal : {TrainingGoal::kPseudoLikelihood, TrainingGoal::kSoftmaxMargin,
                                  TrainingGoal::kRisk, TrainingGoal::kAnnealedRisk}) {
    for (const LossName loss : {LossName::kHamming, LossName::kDecF1, LossName::kF}) {
      for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << " goal " << static_cast<int>(goal)
                                          << " loss " << static_cast<int>(loss));
        const bool forbids = seed % 3 == 0 && goal != TrainingGoal::kPseudoLikelihood;
        const Sentence s = random_sentence(seed, false, forbids);
        const SentenceEdgeObjective objective(objective_of(goal, loss, s.shape.labels));
        expect_central_differences(objective, s);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(SentenceEdgeObjective, AnnealedRiskHasAnotherValueInItsNextStage) {
  std::uint64_t seed = 1;
  while (random_sentence(seed, false, false).shape.labels < 3) ++seed;
  const Sentence s = random_sentence(seed, false, false);
  SentenceEdgeObjective objective(
      objective_of(TrainingGoal::kAnnealedRisk, LossName::kHamming, s.shape.labels));
  EdgeObjectiveWorkspace workspace;
  std::vector<float> ignored(s.scores.size());
  const double before = objective.evaluate(s.example(), ignored, workspace);
  ASSERT_TRUE(objective.advance());
  EXPECT_NE(objective.evaluate(s.example(), ignored, workspace), before);
  expect_central_differences(objective, s);
}

TEST(SentenceEdgeObjective, DerivativesOfTheEntropyOfUnlabelledSentences) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Sentence s = random_sentence(seed, false, seed % 3 == 0);
    s.gold.clear();
    std::fill(s.begin.begin(), s.begin.end(), 0);
    s.complete = false;
    std::vector<std::string> names{"O", "B-X", "I-X"};
    names.resize(s.shape.labels);
    const SentenceEdgeObjective objective(
        make_objective({.entropy_weight = 0.6}, names, text::Scheme::kIob2));
    expect_central_differences(objective, s);
    if (HasFatalFailure()) return;
  }
}

// The value of a corpus of three sentences.
double corpus_value(SentenceEdgeObjective& objective, const std::vector<Sentence>& corpus,
                    std::vector<std::vector<float>>& derivatives) {
  EdgeObjectiveWorkspace workspace;
  const auto example = [&](std::size_t i) {
    EdgeExample made = corpus[i].example();
    made.sentence = i;
    return made;
  };
  objective.begin_look(corpus.size());
  for (std::size_t i = 0; i < corpus.size(); ++i) objective.look(example(i), workspace);
  objective.end_look();
  double value = 0;
  derivatives.resize(corpus.size());
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    derivatives[i].resize(corpus[i].scores.size());
    value += objective.evaluate(example(i), derivatives[i], workspace);
  }
  return value;
}

TEST(SentenceEdgeObjective, DerivativesOfALossOfTheCorpus) {
  for (const TrainingGoal goal : {TrainingGoal::kSoftmaxMargin, TrainingGoal::kRisk}) {
    std::vector<Sentence> corpus;
    for (std::uint64_t seed = 1; corpus.size() < 3; seed += 2) {
      Sentence s = random_sentence(seed, false, false);
      if (s.shape.labels == 3) corpus.push_back(std::move(s));
    }
    const std::vector<std::string> names{"O", "B-X", "I-X"};
    SentenceEdgeObjective objective(make_objective(
        {.goal = goal, .loss = LossName::kF, .of_corpus = true}, names, text::Scheme::kIob2));
    ASSERT_TRUE(objective.looks_ahead());
    std::vector<std::vector<float>> derivatives, ignored;
    corpus_value(objective, corpus, derivatives);
    constexpr float step = 0.03125f;
    for (std::size_t i = 0; i < corpus.size(); ++i) {
      for (std::size_t k = 0; k < corpus[i].scores.size(); ++k) {
        std::vector<Sentence> moved = corpus;
        moved[i].scores[k] += step;
        const double above = corpus_value(objective, moved, ignored);
        moved[i].scores[k] -= 2 * step;
        const double below = corpus_value(objective, moved, ignored);
        ASSERT_NEAR(derivatives[i][k], (above - below) / (2 * step), 2e-3) << i << ' ' << k;
      }
    }
  }
}

// Pair scores that are the same at every token: what the objective says of labels and pairs.
TEST(SentenceEdgeObjective, AgreesWithScoresOfLabelsAndPairs) {
  for (const TrainingGoal goal : {TrainingGoal::kLikelihood, TrainingGoal::kPseudoLikelihood,
                                  TrainingGoal::kSoftmaxMargin, TrainingGoal::kRisk}) {
    for (const LossName loss : {LossName::kHamming, LossName::kDecF1, LossName::kF}) {
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Sentence s = random_sentence(2 * seed + 1, false, false);  // order 1
        const std::size_t labels = s.shape.labels, stride = row_stride(labels);
        Random random(seed);
        std::vector<float> pairs(labels * stride, 0.0f);
        AlignedVector<float> scores(s.length * stride, 0.0f);
        for (float& one : pairs) one = static_cast<float>(2 * random.uniform() - 1);
        for (float& one : scores) one = static_cast<float>(2 * random.uniform() - 1);
        const Transitions transitions(labels, pairs);
        for (std::size_t t = 0; t < s.length; ++t) {
          for (std::size_t u = s.shape.first_state(t); u < s.shape.last_state(t); ++u) {
            for (std::size_t y = 0; y < labels; ++y) {
              s.scores[s.shape.place(t, u, y)] =
                  scores[t * stride + y] + (t > 0 ? transitions.score(u, y) : 0.0f);
            }
          }
        }
        const SentenceEdgeObjective by_pairs(objective_of(goal, loss, labels));
        const auto plain = objective_of(goal, loss, labels);
        EdgeObjectiveWorkspace workspace;
        std::vector<float> derivatives(s.scores.size());
        const double value = by_pairs.evaluate(s.example(), derivatives, workspace);
        PairDerivatives sums;
        sums.reset(transitions);
        Workspace kernel;
        const Example example{scores.data(), transitions, s.example().gold};
        ASSERT_NEAR(value, plain->evaluate(example, sums, kernel), 1e-4);
        for (std::size_t t = 0; t < s.length; ++t) {
          for (std::size_t y = 0; y < labels; ++y) {
            float sum = 0;
            for (std::size_t u = s.shape.first_state(t); u < s.shape.last_state(t); ++u) {
              sum += derivatives[s.shape.place(t, u, y)];
            }
            ASSERT_NEAR(sum, scores[t * stride + y], 1e-4) << "seed " << seed;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace coppice::chain

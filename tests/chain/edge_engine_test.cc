// Chains with scores of their own for every label pair at every token: inference against
// enumeration and the forest, the engine's answers against central differences.
#include <gtest/gtest.h>

#include <cmath>

#include "chain/engine.h"
#include "chain/enumerate_chain.h"
#include "chain/forest_target.h"
#include "chain/goal.h"
#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/forest/marginals.h"
#include "coppice/learn/objective.h"

namespace coppice::chain {
namespace {

using learn::LossName;
using learn::ObjectiveKind;
using learn::TrainingObjective;
using testing::each_sequence;
using testing::Goal;
using testing::kForbidden;

struct Sentence {
  EdgeShape shape;
  std::size_t length;
  std::vector<float> scores;
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint16_t> gold;
  bool complete = true;
  std::vector<float> soft{}, soft_pairs{};  // of a teacher

  Annotation annotation() const { return {begin, gold, complete}; }
  SentenceTarget target(const LossTables& tables) const {
    return {annotation(), &tables, {shape.labels, soft, soft_pairs}};
  }
};

struct EdgeAnswer {
  double value;
  std::vector<float> derivatives;
};

EdgeAnswer evaluate(const Goal& goal, const Sentence& sentence, std::size_t number = 0) {
  EdgeAnswer result{0, sentence.scores};
  Workspace workspace;
  EdgeEngine engine(sentence.shape, result.derivatives, sentence.target(goal.tables), workspace);
  result.value = goal.objective.evaluate(engine, number);
  return result;
}

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

void expect_central_differences(const Goal& goal, const Sentence& sentence) {
  const EdgeAnswer found = evaluate(goal, sentence);
  constexpr float step = 0.03125f;  // whole in float: values are exact to 1e-7
  for (std::size_t i = 0; i < sentence.scores.size(); ++i) {
    if (std::isinf(sentence.scores[i])) {
      ASSERT_EQ(found.derivatives[i], 0) << i;
      continue;
    }
    Sentence moved = sentence;
    moved.scores[i] = sentence.scores[i] + step;
    const double above = evaluate(goal, moved).value;
    moved.scores[i] = sentence.scores[i] - step;
    const double below = evaluate(goal, moved).value;
    ASSERT_NEAR(found.derivatives[i], (above - below) / (2 * step), 2e-3) << i;
  }
}

// Labels O, B-X, I-X: spans are what is counted.
Goal goal_of(const TrainingObjective& objective, std::size_t labels) {
  std::vector<std::string> names{"O", "B-X", "I-X"};
  names.resize(labels);
  return Goal(objective, names, text::Scheme::kIob2);
}

TEST(EdgeEngine, HasTheDerivativesOfTheLikelihood) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Sentence s = random_sentence(seed, seed % 4 > 1, seed % 3 == 0);
    expect_central_differences(goal_of({}, s.shape.labels), s);
    if (HasFatalFailure()) return;
  }
}

TEST(EdgeEngine, HasTheDerivativesOfThePseudoLikelihood) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Sentence s = random_sentence(seed, false, false);
    expect_central_differences(goal_of({.goal = ObjectiveKind::kPseudoLikelihood}, s.shape.labels),
                               s);
    if (HasFatalFailure()) return;
  }
}

TEST(EdgeEngine, PseudoLikelihoodIsTheProductOfConditionals) {
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
  const Goal pseudo = goal_of({.goal = ObjectiveKind::kPseudoLikelihood}, s.shape.labels);
  EXPECT_NEAR(evaluate(pseudo, s).value, expected, 1e-5);
}

TEST(EdgeEngine, AgreesWithTheForestOfTheSentence) {
  const TrainingObjective objectives[] = {
      {},
      {.goal = ObjectiveKind::kSoftmaxMargin, .loss_scale = 0.7},
      {.goal = ObjectiveKind::kRisk, .loss_scale = 0.7},
  };
  for (const TrainingObjective& objective : objectives) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      SCOPED_TRACE(::testing::Message() << learn::name(objective.goal) << " seed " << seed);
      const bool is_partial = objective.goal == ObjectiveKind::kLikelihood && seed % 4 > 1;
      const Sentence s = random_sentence(seed, is_partial, seed % 3 == 0);
      const ChainForest chain = edge_forest(s.shape, s.scores);
      const EdgeGradient expected = learn::evaluate(
          {.kind = objective.goal, .loss_scale = objective.loss_scale}, chain.forest, chain.scores,
          testing::forest_target(chain, s.annotation()));
      std::vector<double> derivatives(s.scores.size(), 0.0);
      for (const EdgeId edge : chain.forest.edges()) {
        const EdgeLabels& labels = chain.labels[edge];
        if (labels.label == kNoLabel) continue;
        const std::size_t state = s.shape.state_after(labels.token, labels.previous);
        derivatives[s.shape.place(labels.token, state, labels.label)] += expected.gradient[edge];
      }
      const EdgeAnswer found = evaluate(goal_of(objective, s.shape.labels), s);
      ASSERT_NEAR(found.value, expected.value, 1e-5);
      for (std::size_t i = 0; i < derivatives.size(); ++i) {
        ASSERT_NEAR(found.derivatives[i], derivatives[i], 1e-5) << i;
      }
    }
  }
}

TEST(EdgeEngine, HasTheDerivativesOfEveryLoss) {
  for (const ObjectiveKind kind : {ObjectiveKind::kPseudoLikelihood, ObjectiveKind::kSoftmaxMargin,
                                   ObjectiveKind::kRisk, ObjectiveKind::kAnnealedRisk}) {
    for (const LossName loss : {LossName::kHamming, LossName::kDecF1, LossName::kF}) {
      for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ' ' << learn::name(kind) << " loss "
                                          << static_cast<int>(loss));
        const bool forbids = seed % 3 == 0 && kind != ObjectiveKind::kPseudoLikelihood;
        const Sentence s = random_sentence(seed, false, forbids);
        expect_central_differences(
            goal_of({.goal = kind, .loss = loss, .loss_scale = 0.7}, s.shape.labels), s);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(EdgeEngine, AnnealedRiskHasAnotherValueInItsNextStage) {
  std::uint64_t seed = 1;
  while (random_sentence(seed, false, false).shape.labels < 3) ++seed;
  const Sentence s = random_sentence(seed, false, false);
  Goal goal = goal_of({.goal = ObjectiveKind::kAnnealedRisk}, s.shape.labels);
  const double before = evaluate(goal, s).value;
  ASSERT_TRUE(goal.objective.advance());
  EXPECT_NE(evaluate(goal, s).value, before);
  expect_central_differences(goal, s);
}

TEST(EdgeEngine, HasTheDerivativesOfTheEntropyOfUnlabelledSentences) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Sentence s = random_sentence(seed, false, seed % 3 == 0);
    s.gold.clear();
    std::fill(s.begin.begin(), s.begin.end(), 0);
    s.complete = false;
    expect_central_differences(goal_of({.entropy_weight = 0.6}, s.shape.labels), s);
    if (HasFatalFailure()) return;
  }
}

// Posteriors of a random chain: a teacher whose pairs agree with its labels.
void add_teacher(Sentence& s, std::uint64_t seed) {
  Random random(seed, 3);
  const std::size_t labels = s.shape.labels;
  std::vector<float> scores(s.scores.size()), p(s.scores.size());
  for (float& one : scores) one = static_cast<float>(2 * random.uniform() - 1);
  EdgeWorkspace workspace;
  edge_marginals(s.shape, scores, p, workspace);
  s.soft.resize(s.length * labels);
  if (s.shape.has_pairs()) s.soft_pairs.resize(s.length * labels * labels);
  for (std::size_t t = 0; t < s.length; ++t) {
    edge_posterior(s.shape, p, t, std::span(s.soft).subspan(t * labels, labels));
    for (std::size_t u = 0; u < labels && t > 0 && s.shape.has_pairs(); ++u) {
      for (std::size_t y = 0; y < labels; ++y) {
        s.soft_pairs[(t * labels + u) * labels + y] = p[s.shape.place(t, u, y)];
      }
    }
  }
}

TEST(EdgeEngine, HasTheDerivativesOfTeachersAndParts) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Sentence s = random_sentence(seed, seed % 4 > 1, false);
    add_teacher(s, seed);
    expect_central_differences(goal_of({.goal = ObjectiveKind::kTeacher}, s.shape.labels), s);
    expect_central_differences(goal_of({.goal = ObjectiveKind::kParts}, s.shape.labels), s);
    if (HasFatalFailure()) return;
  }
}

TEST(EdgeEngine, RefusesATeacherWithoutSoftTargets) {
  const Sentence s = random_sentence(3, false, false);
  EXPECT_THROW(evaluate(goal_of({.goal = ObjectiveKind::kTeacher}, s.shape.labels), s),
               InvalidArgument);
}

// The value of a corpus of three sentences.
double corpus_value(Goal& goal, const std::vector<Sentence>& corpus,
                    std::vector<std::vector<float>>& derivatives) {
  goal.objective.begin_look(corpus.size());
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    std::vector<float> scores = corpus[i].scores;
    Workspace workspace;
    EdgeEngine engine(corpus[i].shape, scores, corpus[i].target(goal.tables), workspace);
    goal.objective.look(engine, i);
  }
  goal.objective.end_look();
  double value = 0;
  derivatives.clear();
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    EdgeAnswer one = evaluate(goal, corpus[i], i);
    derivatives.push_back(std::move(one.derivatives));
    value += one.value;
  }
  return value;
}

TEST(EdgeEngine, HasTheDerivativesOfALossOfTheCorpus) {
  for (const ObjectiveKind kind : {ObjectiveKind::kSoftmaxMargin, ObjectiveKind::kRisk}) {
    std::vector<Sentence> corpus;
    for (std::uint64_t seed = 1; corpus.size() < 3; seed += 2) {
      Sentence s = random_sentence(seed, false, false);
      if (s.shape.labels == 3) corpus.push_back(std::move(s));
    }
    Goal goal = goal_of({.goal = kind, .loss = LossName::kF, .of_corpus = true}, 3);
    ASSERT_TRUE(goal.objective.looks_ahead());
    std::vector<std::vector<float>> derivatives, ignored;
    corpus_value(goal, corpus, derivatives);
    constexpr float step = 0.03125f;
    for (std::size_t i = 0; i < corpus.size(); ++i) {
      for (std::size_t k = 0; k < corpus[i].scores.size(); ++k) {
        std::vector<Sentence> moved = corpus;
        moved[i].scores[k] += step;
        const double above = corpus_value(goal, moved, ignored);
        moved[i].scores[k] -= 2 * step;
        const double below = corpus_value(goal, moved, ignored);
        ASSERT_NEAR(derivatives[i][k], (above - below) / (2 * step), 2e-3) << i << ' ' << k;
      }
    }
  }
}

// A sentence whose pair scores are the same at every token, and the rows and pairs that they sum.
struct Summed {
  Summed(std::uint64_t seed, std::size_t labels_of, std::size_t length_of)
      : stride(row_stride(labels_of)), scores(length_of * stride, 0.0f), transitions(labels_of) {
    Random random(seed);
    std::vector<float> pairs(labels_of * stride, 0.0f);
    for (float& one : pairs) one = static_cast<float>(2 * random.uniform() - 1);
    for (float& one : scores) one = static_cast<float>(2 * random.uniform() - 1);
    transitions = Transitions(labels_of, pairs);
  }
  void fill(Sentence& s) const {
    for (std::size_t t = 0; t < s.length; ++t) {
      for (std::size_t u = s.shape.first_state(t); u < s.shape.last_state(t); ++u) {
        for (std::size_t y = 0; y < s.shape.labels; ++y) {
          s.scores[s.shape.place(t, u, y)] =
              scores[t * stride + y] + (t > 0 ? transitions.score(u, y) : 0.0f);
        }
      }
    }
  }
  std::size_t stride;
  AlignedVector<float> scores;
  Transitions transitions;
};

// What the dense engine says of labels and pairs, the edge engine says of their sums.
TEST(EdgeEngine, AgreesWithTheDenseEngine) {
  for (const ObjectiveKind kind :
       {ObjectiveKind::kLikelihood, ObjectiveKind::kPseudoLikelihood, ObjectiveKind::kSoftmaxMargin,
        ObjectiveKind::kRisk, ObjectiveKind::kAnnealedRisk, ObjectiveKind::kTeacher,
        ObjectiveKind::kParts}) {
    for (const LossName loss : {LossName::kHamming, LossName::kDecF1, LossName::kF}) {
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ' ' << learn::name(kind) << " loss "
                                          << static_cast<int>(loss));
        Sentence s = random_sentence(2 * seed + 1, false, false);  // order 1
        add_teacher(s, seed);
        Summed summed(seed, s.shape.labels, s.length);
        summed.fill(s);
        const Goal goal = goal_of({.goal = kind, .loss = loss, .loss_scale = 0.7}, s.shape.labels);
        const EdgeAnswer found = evaluate(goal, s);
        PairDerivatives sums;
        sums.reset(summed.transitions);
        Workspace workspace;
        DenseEngine dense(summed.scores.data(), summed.transitions, s.target(goal.tables), sums,
                          workspace);
        ASSERT_NEAR(found.value, goal.objective.evaluate(dense, 0), 1e-4);
        const auto pairs = sums.finish(summed.transitions);
        std::vector<float> of_pairs(pairs.size(), 0.0f);
        for (std::size_t t = 0; t < s.length; ++t) {
          for (std::size_t y = 0; y < s.shape.labels; ++y) {
            float sum = 0;
            for (std::size_t u = s.shape.first_state(t); u < s.shape.last_state(t); ++u) {
              const float derivative = found.derivatives[s.shape.place(t, u, y)];
              sum += derivative;
              if (t > 0) of_pairs[u * summed.stride + y] += derivative;
            }
            ASSERT_NEAR(sum, summed.scores[t * summed.stride + y], 1e-4);
          }
        }
        for (std::size_t u = 0; u < s.shape.labels; ++u) {
          for (std::size_t y = 0; y < s.shape.labels; ++y) {
            ASSERT_NEAR(of_pairs[u * summed.stride + y], pairs[u * summed.stride + y], 1e-4);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace coppice::chain

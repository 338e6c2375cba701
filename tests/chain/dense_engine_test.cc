// The engine of dense chains against enumeration of all label sequences, with spans counted by the
// reader of spans: by the dense kernels, and on the item graph.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "chain/annotated_chain.h"
#include "chain/engine.h"
#include "chain/forest_builder.h"
#include "chain/forest_target.h"
#include "chain/goal.h"
#include "coppice/base/error.h"
#include "coppice/chain/forest.h"
#include "coppice/learn/objective.h"

namespace coppice::chain {
namespace {

using learn::ObjectiveKind;
using learn::TrainingObjective;
using testing::AnnotatedChain;
using testing::for_each_annotated_chain;
using testing::Goal;
using testing::Labels;

// Every possible sequence with its probability under e^{scale score}.
struct Listed {
  Listed(const AnnotatedChain& sentence, double scale = 1) {
    double sum = 0;
    testing::each_sequence(sentence.chain.length, sentence.chain.labels, [&](const Labels& labels) {
      const double score = testing::score_of(sentence.chain, labels);
      if (std::isinf(score)) return;
      sequences.push_back(labels);
      probability.push_back(std::exp(scale * score));
      sum += probability.back();
    });
    for (double& p : probability) p /= sum;
    log_z = std::log(sum);
  }
  std::vector<Labels> sequences;
  std::vector<double> probability;
  double log_z;
};

// A value, and its derivative by the log weight of every sequence: all that a gradient needs.
struct Reference {
  double value = 0;
  std::vector<double> by_sequence;
};

// Of an objective that is not annealed, or in its first stage.
Reference reference(const AnnotatedChain& sentence, const TrainingObjective& objective,
                    const std::function<double(const Labels&)>& loss,
                    const AnnealedRiskOptions& stage = {}) {
  const auto [temperature, scale] = stage;
  const Listed listed(sentence, scale);
  Reference result{0, std::vector<double>(listed.sequences.size(), 0.0)};
  if (objective.goal == ObjectiveKind::kSoftmaxMargin) {
    double sum = 0;
    for (std::size_t i = 0; i < listed.sequences.size(); ++i) {
      result.by_sequence[i] =
          listed.probability[i] * std::exp(objective.loss_scale * loss(listed.sequences[i]));
      sum += result.by_sequence[i];
    }
    for (std::size_t i = 0; i < listed.sequences.size(); ++i) {
      result.by_sequence[i] /= sum;
      if (listed.sequences[i] == sentence.gold) result.by_sequence[i] -= 1;
    }
    result.value = listed.log_z + std::log(sum) - testing::score_of(sentence.chain, sentence.gold);
    return result;
  }
  std::vector<double> cost;
  for (std::size_t i = 0; i < listed.sequences.size(); ++i) {
    cost.push_back(objective.loss_scale *
                   (loss(listed.sequences[i]) + temperature * std::log(listed.probability[i])));
    result.value += listed.probability[i] * cost[i];
  }
  for (std::size_t i = 0; i < cost.size(); ++i) {
    result.by_sequence[i] = scale * listed.probability[i] * (cost[i] - result.value);
  }
  return result;
}

template <class Ask>
void expect_asked(AnnotatedChain& sentence, const LossTables& tables, const Reference& expected,
                  const Ask& ask) {
  PairDerivatives pairs;
  const double value = sentence.with_engine(&tables, pairs, ask);
  ASSERT_NEAR(value, expected.value, 1e-5 * (1 + std::abs(expected.value)));
  const std::size_t labels = sentence.chain.labels, stride = sentence.chain.stride;
  std::vector<double> tokens(sentence.chain.length * stride, 0.0), bigrams(labels * stride, 0.0);
  const Listed listed(sentence);
  for (std::size_t i = 0; i < listed.sequences.size(); ++i) {
    const Labels& sequence = listed.sequences[i];
    for (std::size_t t = 0; t < sequence.size(); ++t) {
      tokens[t * stride + sequence[t]] += expected.by_sequence[i];
      if (t > 0) bigrams[sequence[t - 1] * stride + sequence[t]] += expected.by_sequence[i];
    }
  }
  const auto found_pairs = pairs.finish(sentence.chain.transitions);
  for (std::size_t y = 0; y < labels; ++y) {
    for (std::size_t t = 0; t < sentence.chain.length; ++t) {
      ASSERT_NEAR(sentence.scores[t * stride + y], tokens[t * stride + y], 2e-5) << t << ' ' << y;
    }
    for (std::size_t u = 0; u < labels; ++u) {
      ASSERT_NEAR(found_pairs[u * stride + y], bigrams[u * stride + y], 4e-5) << u << ' ' << y;
    }
  }
}

void expect_same(AnnotatedChain& sentence, const Goal& goal, const Reference& expected,
                 std::size_t number = 0) {
  expect_asked(sentence, goal.tables, expected,
               [&](SentenceEngine& engine) { return goal.objective.evaluate(engine, number); });
}

// The first stage of this annealing is kFirst.
constexpr learn::AnnealingSchedule kSchedule{.temperature = 0.25, .least_temperature = 0.2};
constexpr AnnealedRiskOptions kFirst{.temperature = 0.25, .scale = 1};

std::vector<TrainingObjective> objectives() {
  return {{.goal = ObjectiveKind::kSoftmaxMargin, .loss_scale = 1.7},
          {.goal = ObjectiveKind::kRisk, .loss_scale = 2.5},
          {.goal = ObjectiveKind::kAnnealedRisk, .loss_scale = 1.5, .annealing = kSchedule}};
}

// By the way that the engine finds best, and on the item graph.
void expect_by_all_ways(AnnotatedChain& sentence, const TrainingObjective& objective,
                        const ChainLoss& loss, const std::function<double(const Labels&)>& cost) {
  const bool is_annealed = objective.goal == ObjectiveKind::kAnnealedRisk;
  const Reference expected =
      reference(sentence, objective, cost, is_annealed ? kFirst : AnnealedRiskOptions{});
  expect_same(sentence, Goal(objective, sentence.rules(), loss), expected);
  if (is_annealed) return;
  const LossTables on_graph = testing::graph_tables(objective.loss_scale, sentence.rules(), loss);
  expect_asked(sentence, on_graph, expected, [&](SentenceEngine& engine) {
    return objective.goal == ObjectiveKind::kRisk ? engine.risk({}) : engine.margin();
  });
}

TEST(DenseEngine, IsExactForMeasuresOfASentence) {
  using Kind = learn::Measure::Kind;
  for (const learn::Measure measure :
       {learn::Measure{Kind::kF, 1}, learn::Measure{Kind::kF, 2}, learn::Measure{Kind::kPrecision},
        learn::Measure{Kind::kRecall}}) {
    for (const TrainingObjective& objective : objectives()) {
      SCOPED_TRACE(learn::name(objective.goal));
      for_each_annotated_chain([&](AnnotatedChain sentence) {
        const ChainLoss loss{.kind = ChainLoss::Kind::kMeasure, .measure = measure};
        expect_by_all_ways(sentence, objective, loss, [&](const Labels& labels) {
          return learn::loss(measure, sentence.counts(labels), sentence.num_gold());
        });
      });
    }
  }
}

const learn::ErrorCosts kCosts{.false_positive = 0.6, .false_negative = 1.5};

ChainLoss error_costs(const AnnotatedChain& sentence) {
  return {.kind = ChainLoss::Kind::kErrorCosts,
          .errors = std::vector<learn::ErrorCosts>(sentence.scheme.labels.size(), kCosts)};
}

double cost_of_errors(const AnnotatedChain& sentence, const Labels& labels) {
  const auto [n, d] = sentence.counts(labels);
  return kCosts.false_positive * (d - n) + kCosts.false_negative * (sentence.num_gold() - n);
}

// Where labels are only labels, softmax-margin has costs of label pairs, of which the sum is the
// same.
TEST(DenseEngine, IsExactForCostsOfErrors) {
  for (const TrainingObjective& objective : objectives()) {
    SCOPED_TRACE(learn::name(objective.goal));
    for_each_annotated_chain([&](AnnotatedChain sentence) {
      expect_by_all_ways(sentence, objective, error_costs(sentence),
                         [&](const Labels& labels) { return cost_of_errors(sentence, labels); });
    });
  }
}

// Also where the scale is so large that the sequences that meet gold spans hardly count any more.
TEST(DenseEngine, IsExactForCostsOfErrorsOfAnyScale) {
  for (const double scale : {0.0, 1.7, 12.0}) {
    const TrainingObjective objective{.goal = ObjectiveKind::kSoftmaxMargin, .loss_scale = scale};
    for_each_annotated_chain([&](AnnotatedChain sentence) {
      if (sentence.scheme.scheme == text::Scheme::kRaw) return;
      expect_by_all_ways(sentence, objective, error_costs(sentence),
                         [&](const Labels& labels) { return cost_of_errors(sentence, labels); });
    });
  }
}

double hamming(const Labels& gold, const Labels& answer) {
  double wrong = 0;
  for (std::size_t t = 0; t < gold.size(); ++t) wrong += gold[t] != answer[t];
  return wrong;
}

TEST(DenseEngine, IsExactForCostsOfLabels) {
  for (const TrainingObjective& objective : objectives()) {
    SCOPED_TRACE(learn::name(objective.goal));
    for_each_annotated_chain([&](AnnotatedChain sentence) {
      expect_by_all_ways(sentence, objective, ChainLoss::hamming(sentence.chain.labels),
                         [&](const Labels& labels) { return hamming(sentence.gold, labels); });
    });
  }
}

// Tokens of which the annotation says nothing, or that it has two labels for.
void make_partial(AnnotatedChain& sentence) {
  const Labels all = std::exchange(sentence.gold, {});
  sentence.begin = {0};
  for (std::size_t t = 0; t < all.size(); ++t) {
    if (t % 3 != 1) sentence.gold.push_back(all[t]);
    if (t % 3 == 2) {
      sentence.gold.push_back(static_cast<std::uint16_t>((all[t] + 1u) % sentence.chain.labels));
    }
    sentence.begin.push_back(static_cast<std::uint32_t>(sentence.gold.size()));
  }
}

void expect_as_forest(AnnotatedChain& sentence, const TrainingObjective& objective) {
  const testing::Chain& chain = sentence.chain;
  const ChainForest packed = chain_forest(chain.scores.data(), chain.length, chain.transitions);
  const Goal goal(objective, sentence.rules(), ChainLoss::hamming(chain.labels));
  const SentenceTarget target = sentence.target(&goal.tables);
  const EdgeGradient expected =
      learn::evaluate({.kind = objective.goal, .loss_scale = objective.loss_scale}, packed.forest,
                      packed.scores, testing::forest_target(packed, target.gold));
  std::vector<double> rows(chain.scores.size(), 0.0), pairs(chain.labels * chain.stride, 0.0);
  for (const EdgeId edge : packed.forest.edges()) {
    const EdgeLabels& labels = packed.labels[edge];
    if (labels.label == kNoLabel) continue;
    rows[labels.token * chain.stride + labels.label] += expected.gradient[edge];
    if (labels.previous == kNoLabel) continue;
    pairs[labels.previous * chain.stride + labels.label] += expected.gradient[edge];
  }
  AlignedVector<float> scores = chain.scores;
  PairDerivatives sums;
  sums.reset(chain.transitions);
  Workspace workspace;
  DenseEngine engine(scores.data(), chain.transitions, target, sums, workspace);
  ASSERT_NEAR(goal.objective.evaluate(engine, 0), expected.value, 1e-4);
  const auto found_pairs = sums.finish(chain.transitions);
  for (std::size_t y = 0; y < chain.labels; ++y) {
    for (std::size_t t = 0; t < chain.length; ++t) {
      ASSERT_NEAR(scores[t * chain.stride + y], rows[t * chain.stride + y], 1e-5) << t << ' ' << y;
    }
    for (std::size_t u = 0; u < chain.labels; ++u) {
      ASSERT_NEAR(found_pairs[u * chain.stride + y], pairs[u * chain.stride + y], 1e-5);
    }
  }
}

TEST(DenseEngine, AgreesWithTheForestOfTheSentence) {
  for (const TrainingObjective& objective :
       {TrainingObjective{},
        TrainingObjective{.goal = ObjectiveKind::kSoftmaxMargin, .loss_scale = 0.7},
        TrainingObjective{.goal = ObjectiveKind::kRisk, .loss_scale = 0.7}}) {
    SCOPED_TRACE(learn::name(objective.goal));
    for_each_annotated_chain(
        [&](AnnotatedChain sentence) { expect_as_forest(sentence, objective); });
  }
  for_each_annotated_chain([](AnnotatedChain sentence) {
    make_partial(sentence);
    expect_as_forest(sentence, {});
  });
}

TEST(DenseEngine, ScalesScoresInLaterStages) {
  const TrainingObjective objective{.goal = ObjectiveKind::kAnnealedRisk,
                                    .annealing = {.temperature = 0, .largest_scale = 2}};
  for_each_annotated_chain([&](AnnotatedChain sentence) {
    Goal goal(objective, sentence.rules(), ChainLoss::hamming(sentence.chain.labels));
    ASSERT_TRUE(goal.objective.advance());
    ASSERT_FALSE(goal.objective.advance());
    const auto loss = [&](const Labels& labels) { return hamming(sentence.gold, labels); };
    expect_same(sentence, goal, reference(sentence, objective, loss, {.scale = 2}));
  });
}

// Already in the likelihood that risks begin with; a sentence without any annotation says nothing.
TEST(DenseEngine, RefusesPartialAnnotation) {
  AnnotatedChain sentence(1, testing::kSchemes[0], 3);
  const TrainingObjective risk{.goal = ObjectiveKind::kRisk};
  const learn::StagedObjective begun(risk);
  const Goal goal(risk, sentence.rules(), ChainLoss::hamming(5));
  sentence.gold.pop_back();
  sentence.begin.back() = 2;
  PairDerivatives pairs;
  for (const learn::StagedObjective* objective : {&begun, &goal.objective}) {
    sentence.with_engine(&goal.tables, pairs, [&](SentenceEngine& engine) {
      try {
        objective->evaluate(engine, 0);
        ADD_FAILURE() << "expected InvalidArgument";
      } catch (const InvalidArgument& error) {
        EXPECT_EQ(error.code(), "E313");
      }
    });
  }
  sentence.gold.clear();
  sentence.begin.assign(4, 0);
  sentence.with_engine(&goal.tables, pairs,
                       [&](SentenceEngine& engine) { EXPECT_EQ(begun.evaluate(engine, 0), 0); });
}

TEST(DenseEngine, HasTheEntropyOfSentencesWithoutLabels) {
  const TrainingObjective pseudo{.goal = ObjectiveKind::kPseudoLikelihood, .entropy_weight = 0.3};
  for_each_annotated_chain([&](AnnotatedChain sentence) {
    const Listed listed(sentence);
    Reference expected{0, std::vector<double>(listed.sequences.size())};
    for (const double p : listed.probability) expected.value -= 0.3 * p * std::log(p);
    for (std::size_t i = 0; i < listed.sequences.size(); ++i) {
      const double p = listed.probability[i];
      expected.by_sequence[i] = -p * (0.3 * std::log(p) + expected.value);
    }
    std::fill(sentence.begin.begin(), sentence.begin.end(), 0);
    expect_same(sentence, Goal(pseudo, sentence.scheme.labels, sentence.scheme.scheme), expected);
  });
}

TEST(DenseEngine, HasTheDerivativesOfThePseudoLikelihood) {
  for_each_annotated_chain([](AnnotatedChain sentence) {
    const auto value = [&] {
      double sum = 0;
      for (std::size_t t = 0; t < sentence.gold.size(); ++t) {
        double all = 0;
        Labels other = sentence.gold;
        for (std::uint16_t y = 0; y < sentence.chain.labels; ++y) {
          other[t] = y;
          all += std::exp(testing::score_of(sentence.chain, other));
        }
        sum += std::log(all) - testing::score_of(sentence.chain, sentence.gold);
      }
      return sum;
    };
    PairDerivatives pairs;
    const double found = sentence.with_engine(
        nullptr, pairs, [](SentenceEngine& engine) { return engine.pseudo_likelihood(); });
    ASSERT_NEAR(found, value(), 1e-4);
    for (std::size_t t = 0; t < sentence.gold.size(); ++t) {
      for (std::size_t y = 0; y < sentence.chain.labels; ++y) {
        float& score = sentence.chain.scores[t * sentence.chain.stride + y];
        const float before = score;
        score = before + 0.01f;
        const double above = value();
        score = before - 0.01f;
        const double difference = (above - value()) / 0.02;
        score = before;
        ASSERT_NEAR(sentence.scores[t * sentence.chain.stride + y], difference, 1e-3);
      }
    }
  });
}

TEST(DenseEngine, HasTheValueAndDerivativesOfALossOfTheWholeCorpus) {
  for (const TrainingObjective& objective :
       {TrainingObjective{.goal = ObjectiveKind::kRisk,
       .loss = learn::LossName::kF,
       .loss_scale = 2.5,
       .of_corpus = true},
        TrainingObjective{.goal = ObjectiveKind::kSoftmaxMargin,
        .loss = learn::LossName::kF,
        .loss_scale = 0.8,
        .of_corpus = true}}) {
    SCOPED_TRACE(learn::name(objective.goal));
    std::vector<AnnotatedChain> sentences;
    std::uint32_t gold = 0;
    for (std::uint64_t i = 0; i < 3; ++i) {
      sentences.emplace_back(i, testing::kSchemes[0], 2 + i % 2);
      gold += sentences.back().num_gold();
    }
    Goal goal(objective, testing::kIob2, text::Scheme::kIob2);
    ASSERT_TRUE(goal.objective.looks_ahead());
    goal.objective.begin_look(3);
    PairDerivatives pairs;
    for (std::size_t i = 0; i < 3; ++i) {
      sentences[i].with_engine(&goal.tables, pairs,
                               [&](SentenceEngine& engine) { goal.objective.look(engine, i); });
      ASSERT_EQ(sentences[i].scores, sentences[i].chain.scores) << "looking changes nothing";
    }
    goal.objective.end_look();
    // By definition: the loss of the corpus, averaged over the other two sentences' answers.
    for (std::size_t i = 0; i < 3; ++i) {
      const Listed first(sentences[(i + 1) % 3]), second(sentences[(i + 2) % 3]);
      const auto averaged = [&](const Labels& labels) {
        const Counts own = sentences[i].counts(labels);
        double sum = 0;
        for (std::size_t j = 0; j < first.sequences.size(); ++j) {
          const Counts more = own + sentences[(i + 1) % 3].counts(first.sequences[j]);
          for (std::size_t k = 0; k < second.sequences.size(); ++k) {
            const Counts all = more + sentences[(i + 2) % 3].counts(second.sequences[k]);
            const double loss = 3 * learn::loss({}, all, gold);
            const double p = first.probability[j] * second.probability[k];
            sum += p * (objective.goal == ObjectiveKind::kRisk
                            ? loss
                            : std::exp(objective.loss_scale * loss));
          }
        }
        return objective.goal == ObjectiveKind::kRisk ? sum : std::log(sum) / objective.loss_scale;
      };
      std::vector<double> cached;  // averaged() of each sequence, in order
      const Listed own_sequences(sentences[i]);
      for (const Labels& labels : own_sequences.sequences) {
        cached.push_back(averaged(labels));
      }
      std::size_t next = 0;
      Reference expected = reference(sentences[i], objective,
                                     [&](const Labels&) { return cached[next++ % cached.size()]; });
      if (objective.goal == ObjectiveKind::kRisk) {
        expected.value /= 3;
      } else {
        const double own =
            Listed(sentences[i]).log_z - testing::score_of(sentences[i].chain, sentences[i].gold);
        expected.value = own + (expected.value - own) / 3;
      }
      expect_same(sentences[i], goal, expected, i);
    }
  }
}

}  // namespace
}  // namespace coppice::chain

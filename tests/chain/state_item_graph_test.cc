// Objectives with a loss on chains of higher order, against enumeration of all label sequences.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "chain/enumerate_chain.h"
#include "chain/listed_items.h"
#include "coppice/chain/coarse_to_fine.h"
#include "coppice/chain/corpus_loss_objective.h"
#include "coppice/chain/entropy_objective.h"
#include "coppice/chain/likelihood.h"
#include "coppice/chain/pseudo_likelihood.h"
#include "coppice/chain/span_margin.h"

namespace coppice::chain {
namespace {

using learn::ObjectiveKind;
using testing::HigherChain;
using testing::Labels;

// A sentence of a chain of order 1 to 3 whose label sequences all have their scores.
struct HigherSentence {
  HigherSentence(std::uint64_t seed, const testing::Scheme& of)
      : scheme(of),
        higher(testing::random_higher_chain(seed, 1 + seed % 3,
                                            {1 + seed % 4, of.labels.size(), 4.0})) {
    Random random(seed, 5);
    const testing::Chain& chain = higher.chain;
    for (std::size_t t = 0; t < chain.length; ++t) {
      gold.push_back(static_cast<std::uint16_t>(random.below(chain.labels)));
      begin.push_back(static_cast<std::uint32_t>(t + 1));
    }
    lattice = coarse_to_fine(chain.scores.data(), chain.length, higher.model(), nullptr, workspace);
  }

  Counts counts(const Labels& answer) const { return counts_of(scheme, gold, answer); }
  std::uint32_t num_gold() const { return number_of_items(scheme, gold); }
  ItemRules rules() const { return ItemRules(scheme.labels, scheme.scheme); }

  testing::Scheme scheme;
  HigherChain higher;
  Labels gold;
  std::vector<std::uint32_t> begin{0};
  Workspace workspace;
  LabelLattice lattice;
};

// An objective's value at given scores, with its derivatives by those of labels, pairs and longer
// sequences, in this order.
struct HigherEvaluation {
  double value;
  std::vector<float> derivatives;
};

HigherEvaluation evaluate_higher(HigherSentence& sentence, SentenceObjective& objective,
                                 const HigherChain& higher, bool annotated = true) {
  AlignedVector<float> scores = higher.chain.scores;
  const std::vector<std::uint32_t> nothing(higher.chain.length + 1, 0);
  const Transitions transitions(
      higher.chain.labels,
      std::vector<float>(higher.parts.begin(),
                         higher.parts.begin() + static_cast<std::ptrdiff_t>(higher.chain.labels *
                                                                            higher.chain.stride)));
  Example example{
      scores.data(), transitions,
      annotated ? Annotation{sentence.begin, sentence.gold, true} : Annotation{nothing, {}, false}};
  example.lattice = &sentence.lattice;
  example.parts = higher.parts;
  if (objective.looks_ahead()) {
    objective.begin_look(1);
    objective.look(example, sentence.workspace);
    objective.end_look();
  }
  PairDerivatives parts;
  parts.reset(transitions, higher.ngrams.size());
  HigherEvaluation result{objective.evaluate(example, parts, sentence.workspace),
                          {scores.begin(), scores.end()}};
  const auto sums = parts.finish(transitions);
  result.derivatives.insert(result.derivatives.end(), sums.begin(), sums.end());
  return result;
}

// The value by enumeration, and the derivatives as central differences.
void expect_enumerated(
    HigherSentence& sentence, SentenceObjective& objective,
    const std::function<double(const std::vector<double>& p, const std::vector<Labels>& sequences,
                               double log_z)>& value,
    bool annotated = true) {
  std::vector<Labels> sequences;
  std::vector<double> p;
  double z = 0;
  const testing::Chain& chain = sentence.higher.chain;
  testing::each_sequence(chain.length, chain.labels, [&](const Labels& labels) {
    sequences.push_back(labels);
    p.push_back(std::exp(sentence.higher.score_of(labels)));
    z += p.back();
  });
  for (double& one : p) one /= z;
  const HigherEvaluation found = evaluate_higher(sentence, objective, sentence.higher, annotated);
  ASSERT_NEAR(found.value, value(p, sequences, std::log(z)), 1e-5 * (1 + std::abs(found.value)));
  constexpr float kStep = 1.0f / 128;
  for (std::size_t k = 0; k < found.derivatives.size(); ++k) {
    const auto moved = [&](float by) {
      HigherChain other = sentence.higher;
      (k < chain.scores.size() ? other.chain.scores[k] : other.parts[k - chain.scores.size()]) +=
          by;
      return evaluate_higher(sentence, objective, other, annotated).value;
    };
    const double slope = (moved(kStep) - moved(-kStep)) / (2 * static_cast<double>(kStep));
    ASSERT_NEAR(found.derivatives[k], slope, 1e-3) << k;
  }
}

template <class Check>
void for_each_higher_sentence(Check check) {
  for (const testing::Scheme& scheme : testing::kSchemes) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(::testing::Message() << text::to_string(scheme.scheme) << " seed " << seed);
      check(HigherSentence(seed, scheme));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

double expected_over(const std::vector<double>& p, const std::vector<Labels>& sequences,
                     const std::function<double(const Labels&)>& f) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] * f(sequences[i]);
  return sum;
}

TEST(HigherOrder, HasTheRiskOfExactMeasures) {
  const learn::Measure f1{};
  for_each_higher_sentence([&](HigherSentence sentence) {
    LossObjective objective(sentence.rules(), {.kind = ChainLoss::Kind::kMeasure, .measure = f1},
                            {.kind = ObjectiveKind::kRisk});
    expect_enumerated(sentence, objective, [&](const auto& p, const auto& sequences, double) {
      return expected_over(p, sequences, [&](const Labels& labels) {
        return learn::loss(f1, sentence.counts(labels), sentence.num_gold());
      });
    });
  });
}

TEST(HigherOrder, HasTheSoftmaxMarginOfExactMeasuresAlsoOfACorpus) {
  const learn::Measure f1{};
  const learn::Objective margin{.kind = ObjectiveKind::kSoftmaxMargin, .loss_scale = 1.7};
  for_each_higher_sentence([&](HigherSentence sentence) {
    const auto value = [&](const auto& p, const auto& sequences, double log_z) {
      return log_z - sentence.higher.score_of(sentence.gold) +
             std::log(expected_over(p, sequences, [&](const Labels& labels) {
               return std::exp(1.7 * learn::loss(f1, sentence.counts(labels), sentence.num_gold()));
             }));
    };
    LossObjective objective(sentence.rules(), {.kind = ChainLoss::Kind::kMeasure, .measure = f1},
                            margin);
    expect_enumerated(sentence, objective, value);
    CorpusLossObjective corpus(sentence.rules(), f1, margin);
    expect_enumerated(sentence, corpus, value);
  });
}

TEST(HigherOrder, HasTheSoftmaxMarginOfCostsOfSpans) {
  const learn::ErrorCosts costs{.false_positive = 0.6, .false_negative = 1.5};
  for_each_higher_sentence([&](HigherSentence sentence) {
    if (sentence.scheme.scheme == text::Scheme::kRaw) return;
    SpanMargin objective(sentence.rules(),
                         std::vector<learn::ErrorCosts>(sentence.scheme.labels.size(), costs), 1);
    expect_enumerated(sentence, objective, [&](const auto& p, const auto& sequences, double log_z) {
      return log_z - sentence.higher.score_of(sentence.gold) +
             std::log(expected_over(p, sequences, [&](const Labels& labels) {
               const auto [n, d] = sentence.counts(labels);
               return std::exp(costs.false_positive * (d - n) +
                               costs.false_negative * (sentence.num_gold() - n));
             }));
    });
  });
}

TEST(HigherOrder, HasTheEntropyOfSentencesWithoutLabels) {
  for_each_higher_sentence([&](HigherSentence sentence) {
    EntropyObjective objective(sentence.rules(), std::make_unique<Likelihood>(), 0.5);
    expect_enumerated(
        sentence, objective,
        [&](const auto& p, const auto&, double) {
          double entropy = 0;
          for (const double one : p) entropy -= one > 0 ? one * std::log(one) : 0;
          return 0.5 * entropy;
        },
        false);
  });
}

TEST(HigherOrder, HasThePseudoLikelihoodOfEachLabelGivenTheOthers) {
  for_each_higher_sentence([](HigherSentence sentence) {
    PseudoLikelihood objective;
    expect_enumerated(sentence, objective, [&](const auto& p, const auto& sequences, double) {
      double value = 0;
      for (std::size_t t = 0; t < sentence.gold.size(); ++t) {
        double sum = 0, right = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
          Labels restored = sequences[i];
          restored[t] = sentence.gold[t];
          if (restored == sentence.gold) sum += p[i];
          if (sequences[i] == sentence.gold) right = p[i];
        }
        value += std::log(sum / right);
      }
      return value;
    });
  });
}

TEST(HigherOrder, AnnealsItsRisk) {
  for_each_higher_sentence([&](HigherSentence sentence) {
    LossObjective objective(sentence.rules(), ChainLoss::hamming(sentence.scheme.labels.size()),
                            {.kind = ObjectiveKind::kAnnealedRisk},
                            {.temperature = 0.25, .least_temperature = 0.2});
    expect_enumerated(sentence, objective, [&](const auto& p, const auto& sequences, double) {
      double value = expected_over(p, sequences, [&](const Labels& labels) {
        double wrong = 0;
        for (std::size_t t = 0; t < labels.size(); ++t) wrong += labels[t] != sentence.gold[t];
        return wrong;
      });
      for (const double one : p) value += one > 0 ? 0.25 * one * std::log(one) : 0;
      return value;
    });
  });
}

}  // namespace
}  // namespace coppice::chain

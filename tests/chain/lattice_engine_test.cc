// The engine of lattices, whose scores are those of labels, pairs and longer sequences, against
// enumeration of all label sequences and the forest of the lattice. (boosted_lattice_test.cc has
// scores of edges.)
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>

#include "chain/coarse_to_fine.h"
#include "chain/engine.h"
#include "chain/enumerate_chain.h"
#include "chain/forest_builder.h"
#include "chain/forest_target.h"
#include "chain/goal.h"
#include "chain/listed_items.h"
#include "coppice/learn/objective.h"

namespace coppice::chain {
namespace {

using learn::ObjectiveKind;
using testing::Goal;
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

HigherEvaluation evaluate_higher(HigherSentence& sentence, Goal& goal, const HigherChain& higher,
                                 const Annotation& gold) {
  AlignedVector<float> scores = higher.chain.scores;
  const Transitions transitions(
      higher.chain.labels,
      std::vector<float>(higher.parts.begin(),
                         higher.parts.begin() + static_cast<std::ptrdiff_t>(higher.chain.labels *
                                                                            higher.chain.stride)));
  PairDerivatives parts;
  parts.reset(transitions, higher.ngrams.size());
  LatticeEngine engine(sentence.lattice, {scores.data(), higher.chain.stride, higher.parts},
                       transitions, {gold, &goal.tables}, &parts, sentence.workspace);
  if (goal.objective.looks_ahead()) {
    goal.objective.begin_look(1);
    goal.objective.look(engine, 0);
    goal.objective.end_look();
  }
  HigherEvaluation result{goal.objective.evaluate(engine, 0), {scores.begin(), scores.end()}};
  const auto sums = parts.finish(transitions);
  result.derivatives.insert(result.derivatives.end(), sums.begin(), sums.end());
  return result;
}

// The value by enumeration, and the derivatives as central differences.
void expect_enumerated(
    HigherSentence& sentence, Goal& goal,
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
  const std::vector<std::uint32_t> nothing(chain.length + 1, 0);
  const Annotation gold =
      annotated ? Annotation{sentence.begin, sentence.gold, true} : Annotation{nothing, {}, false};
  const HigherEvaluation found = evaluate_higher(sentence, goal, sentence.higher, gold);
  ASSERT_NEAR(found.value, value(p, sequences, std::log(z)), 1e-5 * (1 + std::abs(found.value)));
  constexpr float kStep = 1.0f / 128;
  for (std::size_t k = 0; k < found.derivatives.size(); ++k) {
    const auto moved = [&](float by) {
      HigherChain other = sentence.higher;
      (k < chain.scores.size() ? other.chain.scores[k] : other.parts[k - chain.scores.size()]) +=
          by;
      return evaluate_higher(sentence, goal, other, gold).value;
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

// Of which some say nothing, or have two labels.
void make_partial(HigherSentence& sentence) {
  const Labels all = std::exchange(sentence.gold, {});
  sentence.begin = {0};
  for (std::size_t t = 0; t < all.size(); ++t) {
    if (t % 3 != 1) sentence.gold.push_back(all[t]);
    if (t % 3 == 2) {
      const std::size_t labels = sentence.higher.chain.labels;
      sentence.gold.push_back(static_cast<std::uint16_t>((all[t] + 1u) % labels));
    }
    sentence.begin.push_back(static_cast<std::uint32_t>(sentence.gold.size()));
  }
}

void expect_as_forest(HigherSentence& sentence, ObjectiveKind kind, bool is_partial) {
  const HigherChain& higher = sentence.higher;
  const testing::Chain& chain = higher.chain;
  Goal goal({.goal = kind, .loss_scale = 0.7}, sentence.rules(), ChainLoss::hamming(chain.labels));
  const Annotation gold{sentence.begin, sentence.gold, !is_partial};
  const ChainForest packed = chain_forest(sentence.lattice, higher.scores());
  const EdgeGradient expected =
      learn::evaluate({.kind = kind, .loss_scale = 0.7}, packed.forest, packed.scores,
                      testing::forest_target(packed, gold));
  std::vector<double> derivatives(chain.scores.size() + higher.parts.size(), 0.0);
  for (const EdgeId edge : packed.forest.edges()) {
    const EdgeLabels& labels = packed.labels[edge];
    if (labels.label == kNoLabel) continue;
    derivatives[labels.token * chain.stride + labels.label] += expected.gradient[edge];
    for (const std::uint32_t part : sentence.lattice.parts_of(labels.lattice_edge)) {
      if (part == LabelLattice::kNoPart) continue;
      derivatives[chain.scores.size() + part] += expected.gradient[edge];
    }
  }
  const HigherEvaluation found = evaluate_higher(sentence, goal, higher, gold);
  ASSERT_NEAR(found.value, expected.value, 1e-4);
  ASSERT_EQ(found.derivatives.size(), derivatives.size());
  for (std::size_t k = 0; k < derivatives.size(); ++k) {
    ASSERT_NEAR(found.derivatives[k], derivatives[k], 1e-5) << k;
  }
}

TEST(LatticeEngine, AgreesWithTheForestOfTheLattice) {
  for (const ObjectiveKind kind :
       {ObjectiveKind::kLikelihood, ObjectiveKind::kSoftmaxMargin, ObjectiveKind::kRisk}) {
    SCOPED_TRACE(learn::name(kind));
    for_each_higher_sentence(
        [&](HigherSentence sentence) { expect_as_forest(sentence, kind, false); });
  }
  for_each_higher_sentence([](HigherSentence sentence) {
    make_partial(sentence);
    expect_as_forest(sentence, ObjectiveKind::kLikelihood, true);
  });
}

// The sum over edges, of which each is a yes or no of its own.
TEST(LatticeEngine, HasThePartsOfEveryEdge) {
  for_each_higher_sentence([](HigherSentence sentence) {
    Goal goal({.goal = ObjectiveKind::kParts}, sentence.scheme.labels, sentence.scheme.scheme);
    expect_enumerated(sentence, goal, [&](const auto&, const auto&, double) {
      const LatticeScores scores = sentence.higher.scores();
      const auto gold = path_of(sentence.lattice, sentence.gold);
      double value = 0;
      for (std::size_t t = 0; t < sentence.lattice.length(); ++t) {
        const std::size_t end = sentence.lattice.first_edge(t + 1);
        for (std::size_t e = sentence.lattice.first_edge(t); e < end; ++e) {
          const double score = scores.of(sentence.lattice, t, e);
          value += std::log1p(std::exp(gold[t] == e ? -score : score));
        }
      }
      return value;
    });
  });
}

TEST(LatticeEngine, HasTheRiskOfExactMeasures) {
  const learn::Measure f1{};
  for_each_higher_sentence([&](HigherSentence sentence) {
    Goal goal({.goal = ObjectiveKind::kRisk}, sentence.rules(),
              {.kind = ChainLoss::Kind::kMeasure, .measure = f1});
    expect_enumerated(sentence, goal, [&](const auto& p, const auto& sequences, double) {
      return expected_over(p, sequences, [&](const Labels& labels) {
        return learn::loss(f1, sentence.counts(labels), sentence.num_gold());
      });
    });
  });
}

TEST(LatticeEngine, HasTheSoftmaxMarginOfExactMeasuresAlsoOfACorpus) {
  const learn::Measure f1{};
  learn::TrainingObjective margin{
      .goal = ObjectiveKind::kSoftmaxMargin, .loss = learn::LossName::kF, .loss_scale = 1.7};
  for_each_higher_sentence([&](HigherSentence sentence) {
    const auto value = [&](const auto& p, const auto& sequences, double log_z) {
      return log_z - sentence.higher.score_of(sentence.gold) +
             std::log(expected_over(p, sequences, [&](const Labels& labels) {
               return std::exp(1.7 * learn::loss(f1, sentence.counts(labels), sentence.num_gold()));
             }));
    };
    for (const bool of_corpus : {false, true}) {
      margin.of_corpus = of_corpus;
      Goal goal(margin, sentence.scheme.labels, sentence.scheme.scheme);
      expect_enumerated(sentence, goal, value);
    }
  });
}

TEST(LatticeEngine, HasTheSoftmaxMarginOfCostsOfSpans) {
  const learn::ErrorCosts costs{.false_positive = 0.6, .false_negative = 1.5};
  for_each_higher_sentence([&](HigherSentence sentence) {
    if (sentence.scheme.scheme == text::Scheme::kRaw) return;
    Goal goal({.goal = ObjectiveKind::kSoftmaxMargin}, sentence.rules(),
              {.kind = ChainLoss::Kind::kErrorCosts,
               .errors = std::vector<learn::ErrorCosts>(sentence.scheme.labels.size(), costs)});
    expect_enumerated(sentence, goal, [&](const auto& p, const auto& sequences, double log_z) {
      return log_z - sentence.higher.score_of(sentence.gold) +
             std::log(expected_over(p, sequences, [&](const Labels& labels) {
               const auto [n, d] = sentence.counts(labels);
               return std::exp(costs.false_positive * (d - n) +
                               costs.false_negative * (sentence.num_gold() - n));
             }));
    });
  });
}

TEST(LatticeEngine, HasTheEntropyOfSentencesWithoutLabels) {
  for_each_higher_sentence([&](HigherSentence sentence) {
    Goal goal({.entropy_weight = 0.5}, sentence.scheme.labels, sentence.scheme.scheme);
    expect_enumerated(
        sentence, goal,
        [&](const auto& p, const auto&, double) {
          double entropy = 0;
          for (const double one : p) entropy -= one > 0 ? one * std::log(one) : 0;
          return 0.5 * entropy;
        },
        false);
  });
}

TEST(LatticeEngine, HasThePseudoLikelihoodOfEachLabelGivenTheOthers) {
  for_each_higher_sentence([](HigherSentence sentence) {
    Goal goal({.goal = ObjectiveKind::kPseudoLikelihood}, sentence.scheme.labels,
              sentence.scheme.scheme);
    expect_enumerated(sentence, goal, [&](const auto& p, const auto& sequences, double) {
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

TEST(LatticeEngine, AnnealsItsRisk) {
  for_each_higher_sentence([&](HigherSentence sentence) {
    Goal goal({.goal = ObjectiveKind::kAnnealedRisk,
               .annealing = {.temperature = 0.25, .least_temperature = 0.2}},
              sentence.rules(), ChainLoss::hamming(sentence.scheme.labels.size()));
    expect_enumerated(sentence, goal, [&](const auto& p, const auto& sequences, double) {
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

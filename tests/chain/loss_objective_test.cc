// Objectives with a loss on chains against enumeration of all label sequences, with spans counted
// by the reader of spans, and against the generic algorithms on the split forest.
#include "coppice/chain/loss_objective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "chain/enumerate_chain.h"
#include "chain/lattice.h"
#include "chain/listed_items.h"
#include "coppice/base/error.h"
#include "coppice/chain/corpus_loss_objective.h"
#include "coppice/chain/cost_margin.h"
#include "coppice/chain/entropy_objective.h"
#include "coppice/chain/pseudo_likelihood.h"
#include "coppice/chain/span_margin.h"
#include "coppice/forest/split.h"
#include "coppice/learn/corpus_loss.h"
#include "coppice/text/spans.h"

namespace coppice::chain {
namespace {

using learn::ObjectiveKind;
using testing::Chain;
using testing::counts_of;
using testing::kIob2;
using testing::kSchemes;
using testing::Labels;
using testing::number_of_items;
using testing::Scheme;

// A chain with an annotation, as an objective sees it.
struct Sentence {
  Sentence(std::uint64_t seed, const Scheme& of, std::size_t length)
      : scheme(of),
        chain(testing::random_chain(seed, {length, of.labels.size(), 4.0})),
        scores(chain.scores) {
    Random random(seed, 5);
    if (seed % 2 == 1) forbid_bare_inside();
    while (gold.size() < length) {
      const auto label = static_cast<std::uint16_t>(random.below(of.labels.size()));
      if (!gold.empty() && std::isinf(chain.transitions.score(gold.back(), label))) continue;
      gold.push_back(label);
      begin.push_back(static_cast<std::uint32_t>(gold.size()));
    }
  }
  // As constraints do: no span begins with I or E, but for a sentence's first.
  void forbid_bare_inside() {
    const ItemRules rules(scheme.labels, scheme.scheme);
    std::vector<float> table(chain.labels * chain.stride);
    for (std::size_t u = 0; u < chain.labels; ++u) {
      for (std::size_t y = 0; y < chain.labels; ++y) {
        const bool is_bare = scheme.labels[y][0] == 'I' || scheme.labels[y][0] == 'E';
        table[u * chain.stride + y] = is_bare && rules.begins(u, y)
                                          ? -std::numeric_limits<float>::infinity()
                                          : chain.transitions.score(u, y);
      }
    }
    chain.transitions = Transitions(chain.labels, table);
  }
  Example example(std::size_t number = 0) {
    scores = chain.scores;
    return {scores.data(), chain.transitions, {begin, gold, true}, number};
  }

  Scheme scheme;
  Chain chain;
  AlignedVector<float> scores;  // derivatives after an evaluation
  Labels gold;
  std::vector<std::uint32_t> begin{0};
};

// Every possible sequence with its probability under e^{scale score}.
struct Listed {
  Listed(const Sentence& sentence, double scale = 1) {
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

Reference reference(const Sentence& sentence, const learn::Objective& objective,
                    const std::function<double(const Labels&)>& loss) {
  const bool annealed = objective.kind == ObjectiveKind::kAnnealedRisk;
  const double scale = annealed ? objective.annealing.scale : 1;
  const double temperature = annealed ? objective.annealing.temperature : 0;
  const Listed listed(sentence, scale);
  Reference result{0, std::vector<double>(listed.sequences.size(), 0.0)};
  if (objective.kind == ObjectiveKind::kSoftmaxMargin) {
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

void expect_same(Sentence& sentence, SentenceObjective& objective, const Reference& expected,
                 std::size_t number = 0) {
  PairDerivatives pairs;
  pairs.reset(sentence.chain.transitions);
  Workspace workspace;
  const double value = objective.evaluate(sentence.example(number), pairs, workspace);
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

std::vector<learn::Objective> objectives() {
  return {{.kind = ObjectiveKind::kSoftmaxMargin, .loss_scale = 1.7},
          {.kind = ObjectiveKind::kRisk, .loss_scale = 2.5},
          {.kind = ObjectiveKind::kAnnealedRisk,
           .loss_scale = 1.5,
           .annealing = {.temperature = 0.25, .scale = 1}}};
}
// Its first stage is the annealing above.
constexpr learn::AnnealingSchedule kSchedule{.temperature = 0.25, .least_temperature = 0.2};

template <class Check>
void for_each_sentence(Check check) {
  for (const Scheme& scheme : kSchemes) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(::testing::Message() << text::to_string(scheme.scheme) << " seed " << seed);
      check(Sentence(seed, scheme, 1 + seed % 4));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(LossObjective, IsExactForMeasuresOfASentence) {
  using Kind = learn::Measure::Kind;
  for (const learn::Measure measure :
       {learn::Measure{Kind::kF, 1}, learn::Measure{Kind::kF, 2}, learn::Measure{Kind::kPrecision},
        learn::Measure{Kind::kRecall}}) {
    for (const learn::Objective& objective : objectives()) {
      SCOPED_TRACE(learn::name(objective.kind));
      for_each_sentence([&](Sentence sentence) {
        LossObjective fast(ItemRules(sentence.scheme.labels, sentence.scheme.scheme),
                           {.kind = ChainLoss::Kind::kMeasure, .measure = measure}, objective,
                           kSchedule);
        const std::uint32_t gold = number_of_items(sentence.scheme, sentence.gold);
        expect_same(sentence, fast, reference(sentence, objective, [&](const Labels& labels) {
                      return learn::loss(measure, counts_of(sentence.scheme, sentence.gold, labels),
                                         gold);
                    }));
      });
    }
  }
}

TEST(LossObjective, IsExactForCostsOfErrors) {
  const learn::ErrorCosts costs{.false_positive = 0.6, .false_negative = 1.5};
  for (const learn::Objective& objective : objectives()) {
    SCOPED_TRACE(learn::name(objective.kind));
    for_each_sentence([&](Sentence sentence) {
      LossObjective fast(
          ItemRules(sentence.scheme.labels, sentence.scheme.scheme),
          {.kind = ChainLoss::Kind::kErrorCosts,
           .errors = std::vector<learn::ErrorCosts>(sentence.scheme.labels.size(), costs)},
          objective, kSchedule);
      const std::uint32_t gold = number_of_items(sentence.scheme, sentence.gold);
      expect_same(sentence, fast, reference(sentence, objective, [&](const Labels& labels) {
                    const auto [n, d] = counts_of(sentence.scheme, sentence.gold, labels);
                    return costs.false_positive * (d - n) + costs.false_negative * (gold - n);
                  }));
    });
  }
}

// Also where the scale is so large that the sequences that meet gold spans hardly count any more.
TEST(SpanMargin, IsExactForCostsOfErrors) {
  const learn::ErrorCosts costs{.false_positive = 0.6, .false_negative = 1.5};
  for (const double scale : {0.0, 1.7, 12.0}) {
    const learn::Objective objective{.kind = ObjectiveKind::kSoftmaxMargin, .loss_scale = scale};
    for_each_sentence([&](Sentence sentence) {
      if (sentence.scheme.scheme == text::Scheme::kRaw) return;
      SpanMargin fast(ItemRules(sentence.scheme.labels, sentence.scheme.scheme),
                      std::vector<learn::ErrorCosts>(sentence.scheme.labels.size(), costs), scale);
      const std::uint32_t gold = number_of_items(sentence.scheme, sentence.gold);
      expect_same(sentence, fast, reference(sentence, objective, [&](const Labels& labels) {
                    const auto [n, d] = counts_of(sentence.scheme, sentence.gold, labels);
                    return costs.false_positive * (d - n) + costs.false_negative * (gold - n);
                  }));
    });
  }
}

double hamming(const Labels& gold, const Labels& answer) {
  double wrong = 0;
  for (std::size_t t = 0; t < gold.size(); ++t) wrong += gold[t] != answer[t];
  return wrong;
}

TEST(LossObjective, IsExactForCostsOfLabels) {
  for (const learn::Objective& objective : objectives()) {
    SCOPED_TRACE(learn::name(objective.kind));
    for_each_sentence([&](Sentence sentence) {
      LossObjective fast(ItemRules(sentence.scheme.labels, sentence.scheme.scheme),
                         ChainLoss::hamming(sentence.chain.labels), objective, kSchedule);
      expect_same(sentence, fast, reference(sentence, objective, [&](const Labels& labels) {
                    return hamming(sentence.gold, labels);
                  }));
    });
  }
}

TEST(CostMargin, IsSoftmaxMarginByTheDenseKernels) {
  for_each_sentence([&](Sentence sentence) {
    CostMargin fast(sentence.chain.labels, ChainLoss::hamming(sentence.chain.labels).matrix, 1.7);
    expect_same(sentence, fast, reference(sentence, objectives()[0], [&](const Labels& labels) {
                  return hamming(sentence.gold, labels);
                }));
  });
}

TEST(CostMargin, RefusesCostsOfRightLabels) {
  EXPECT_THROW(CostMargin(2, {1, 1, 1, 0}, 1), InvalidArgument);
  EXPECT_THROW(CostMargin(2, {0, -1, 1, 0}, 1), InvalidArgument);
  EXPECT_THROW(CostMargin(2, {0, 1, 1}, 1), InvalidArgument);
}

TEST(LossObjective, ScalesScoresInLaterStages) {
  const learn::AnnealingSchedule schedule{.temperature = 0, .largest_scale = 2};
  for_each_sentence([&](Sentence sentence) {
    LossObjective fast(ItemRules(sentence.scheme.labels, sentence.scheme.scheme),
                       ChainLoss::hamming(sentence.chain.labels),
                       {.kind = ObjectiveKind::kAnnealedRisk}, schedule);
    ASSERT_TRUE(fast.advance());
    ASSERT_FALSE(fast.advance());
    const learn::Objective last{.kind = ObjectiveKind::kAnnealedRisk,
                                .annealing = {.temperature = 0, .scale = 2}};
    expect_same(sentence, fast, reference(sentence, last, [&](const Labels& labels) {
                  return hamming(sentence.gold, labels);
                }));
  });
}

TEST(LossObjective, RefusesPartialAnnotation) {
  Sentence sentence(1, kSchemes[0], 3);
  Example example = sentence.example();
  example.gold.complete = false;
  PairDerivatives pairs;
  Workspace workspace;
  LossObjective objective(ItemRules(kIob2, text::Scheme::kIob2), ChainLoss::hamming(5),
                          {.kind = ObjectiveKind::kRisk});
  try {
    objective.evaluate(example, pairs, workspace);
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.code(), "E313");
  }
  EXPECT_THROW(LossObjective(ItemRules(kIob2, text::Scheme::kIob2), ChainLoss::hamming(4),
                             {.kind = ObjectiveKind::kRisk}),
               InvalidArgument);
}

TEST(EntropyObjective, IsTheEntropyOfSentencesWithoutLabels) {
  for_each_sentence([&](Sentence sentence) {
    const Listed listed(sentence);
    Reference expected{0, std::vector<double>(listed.sequences.size())};
    for (const double p : listed.probability) expected.value -= 0.3 * p * std::log(p);
    for (std::size_t i = 0; i < listed.sequences.size(); ++i) {
      const double p = listed.probability[i];
      expected.by_sequence[i] = -p * (0.3 * std::log(p) + expected.value);
    }
    std::fill(sentence.begin.begin(), sentence.begin.end(), 0);
    EntropyObjective objective(ItemRules(sentence.scheme.labels, sentence.scheme.scheme),
                               std::make_unique<PseudoLikelihood>(), 0.3);
    expect_same(sentence, objective, expected);
  });
}

TEST(PseudoLikelihood, HasTheDerivativesOfItsValue) {
  for_each_sentence([](Sentence sentence) {
    PseudoLikelihood objective;
    PairDerivatives pairs;
    pairs.reset(sentence.chain.transitions);
    Workspace workspace;
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
    ASSERT_NEAR(objective.evaluate(sentence.example(), pairs, workspace), value(), 1e-4);
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

// The same lattice as a forest, split by the generic algorithm.
TEST(Lattice, AgreesWithTheGenericSplitForest) {
  for_each_sentence([](Sentence sentence) {
    const ItemRules rules(sentence.scheme.labels, sentence.scheme.scheme);
    const GoldItems gold(rules, sentence.gold);
    AlignedVector<float> posteriors = sentence.chain.scores;
    Workspace workspace;
    marginals(posteriors.data(), sentence.chain.length, sentence.chain.transitions, workspace,
              nullptr);
    Lattice lattice = build_lattice({sentence.chain.scores.data(), posteriors.data(),
                                     sentence.chain.length, sentence.chain.transitions},
                                    rules, &gold, 0);
    normalise(lattice);
    ForestBuilder builder;
    EdgeMap<double> scores;
    EdgeMap<Counts> counts;
    for (std::size_t node = 0; node < lattice.paths.num_nodes; ++node) builder.add_node();
    for (std::size_t i = 0; i < lattice.parts.size(); ++i) {
      const Paths::Edge& edge = lattice.paths.edges[i];
      if (edge.from == 0) {
        builder.add_edge(static_cast<NodeId>(edge.head), {});
      } else {
        builder.add_edge(static_cast<NodeId>(edge.head), {static_cast<NodeId>(edge.from)});
      }
      scores.push_back(std::log(edge.weight));
      counts.push_back({lattice.parts[i].n, lattice.parts[i].d});
    }
    const Forest forest = std::move(builder).build();
    const SplitForest generic = split_by_counts(forest, counts);
    SplitPaths split = split_paths(lattice, 0);
    ASSERT_EQ(split.goal_counts, generic.goal_counts);
    ASSERT_EQ(split.largest_splits, generic.largest_splits);
    ASSERT_EQ(split.cut, 0);
    const auto f1 = [&](Counts sum) { return learn::loss({}, sum, gold.number); };
    const EdgeGradient expected =
        learn::evaluate({.kind = ObjectiveKind::kRisk}, generic, scores, {}, f1);
    std::vector<double> values(split.paths.edges.size(), 0.0);
    for (std::size_t i = 0; i < split.goal_counts.size(); ++i) {
      values[values.size() - split.goal_counts.size() + i] = f1(split.goal_counts[i]);
    }
    const PartGradient found =
        part_expectation(split.paths, forward(split.paths), values, lattice.parts.size());
    ASSERT_NEAR(found.value, expected.value, 1e-12);
    for (EdgeId edge : forest.edges()) {
      ASSERT_NEAR(found.gradient[index(edge)], expected.gradient[edge], 1e-12);
    }
  });
}

TEST(Lattice, SaysWhatItCutAndStaysCloseWhenItCutsMore) {
  Sentence sentence(3, kSchemes[0], 4);
  LossObjective objective(ItemRules(kIob2, text::Scheme::kIob2),
                          {.kind = ChainLoss::Kind::kMeasure}, {.kind = ObjectiveKind::kRisk});
  PairDerivatives pairs;
  pairs.reset(sentence.chain.transitions);
  Workspace workspace;
  objective.evaluate(sentence.example(), pairs, workspace);
  const LatticeStatistics statistics = objective.statistics();
  EXPECT_GT(statistics.average_splits(), 1);
  EXPECT_GE(statistics.largest_splits, 5u);
  EXPECT_LT(statistics.largest_cut, 1e-8);
}

TEST(CorpusLossObjective, HasTheValueAndDerivativesOfTheWholeCorpus) {
  for (const learn::Objective& objective :
       {learn::Objective{.kind = ObjectiveKind::kRisk, .loss_scale = 2.5},
        learn::Objective{.kind = ObjectiveKind::kSoftmaxMargin, .loss_scale = 0.8}}) {
    SCOPED_TRACE(learn::name(objective.kind));
    std::vector<Sentence> sentences;
    std::uint32_t gold = 0;
    for (std::uint64_t i = 0; i < 3; ++i) {
      sentences.emplace_back(i, kSchemes[0], 2 + i % 2);
      gold += number_of_items(kSchemes[0], sentences.back().gold);
    }
    CorpusLossObjective fast(ItemRules(kIob2, text::Scheme::kIob2), {}, objective);
    fast.begin_look(3);
    Workspace workspace;
    for (std::size_t i = 0; i < 3; ++i) fast.look(sentences[i].example(i), workspace);
    fast.end_look();
    // By definition: the loss of the corpus, averaged over the other two sentences' answers.
    for (std::size_t i = 0; i < 3; ++i) {
      const Listed first(sentences[(i + 1) % 3]), second(sentences[(i + 2) % 3]);
      const auto averaged = [&](const Labels& labels) {
        const Counts own = counts_of(kSchemes[0], sentences[i].gold, labels);
        double sum = 0;
        for (std::size_t j = 0; j < first.sequences.size(); ++j) {
          const Counts more =
              own + counts_of(kSchemes[0], sentences[(i + 1) % 3].gold, first.sequences[j]);
          for (std::size_t k = 0; k < second.sequences.size(); ++k) {
            const Counts all =
                more + counts_of(kSchemes[0], sentences[(i + 2) % 3].gold, second.sequences[k]);
            const double loss = 3 * learn::loss({}, all, gold);
            const double p = first.probability[j] * second.probability[k];
            sum += p * (objective.kind == ObjectiveKind::kRisk
                            ? loss
                            : std::exp(objective.loss_scale * loss));
          }
        }
        return objective.kind == ObjectiveKind::kRisk ? sum : std::log(sum) / objective.loss_scale;
      };
      std::vector<double> cached;  // averaged() of each sequence, in order
      const Listed own_sequences(sentences[i]);
      for (const Labels& labels : own_sequences.sequences) {
        cached.push_back(averaged(labels));
      }
      std::size_t next = 0;
      Reference expected = reference(sentences[i], objective,
                                     [&](const Labels&) { return cached[next++ % cached.size()]; });
      if (objective.kind == ObjectiveKind::kRisk) {
        expected.value /= 3;
      } else {
        const double own =
            Listed(sentences[i]).log_z - testing::score_of(sentences[i].chain, sentences[i].gold);
        expected.value = own + (expected.value - own) / 3;
      }
      expect_same(sentences[i], fast, expected, i);
    }
  }
}

}  // namespace
}  // namespace coppice::chain

// The likelihood of a corpus and its gradient agree with enumeration and with finite differences.
#include "chain/corpus_objective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>
#include <utility>

#include "chain/enumerate_chain.h"
#include "coppice/base/error.h"
#include "coppice/learn/training_objective.h"

namespace coppice::chain {
namespace {

struct Case {
  unsigned order;
  FeatureSet features;
  bool partial;
  bool weighted;
  bool constrained;
  double prune = 0;
  bool pairs = false;  // whether attributes are conjoined with pairs of labels, too

  ChainOptions options() const { return {order, features, prune}; }
};

void PrintTo(const Case& shape, std::ostream* out) {
  *out << "order " << shape.order
       << (shape.features == FeatureSet::kAllPairs ? ", all pairs" : ", observed")
       << (shape.partial ? ", partial" : "") << (shape.weighted ? ", weighted" : "")
       << (shape.constrained ? ", constrained" : "") << ", pruned by " << shape.prune
       << (shape.pairs ? ", pair attributes" : "");
}

// Three attributes of pairs at every token but the first, with values.
void add_pair_attributes(Random& random, bool is_first, DesignMatrix& design) {
  design.num_attributes = 3;
  for (std::uint32_t a = 0; a < 3 && !is_first; ++a) {
    if (random.below(2) == 0) continue;
    design.attributes.push_back(a);
    design.values.push_back(static_cast<float>(0.5 + random.uniform()));
  }
  design.begin.push_back(static_cast<std::uint32_t>(design.attributes.size()));
}

// Sentences of up to four tokens, three labels, six attributes.
Dataset random_data(std::uint64_t seed, const Case& shape) {
  Random random(seed);
  Dataset data;
  data.num_labels = 3;
  data.design.num_attributes = 6;
  for (int i = 0; i < 6; ++i) {
    std::size_t previous = 0;
    for (std::uint64_t t = 0, n = 1 + random.below(4); t < n; ++t) {
      for (std::uint32_t a = 0; a < 6; ++a) {
        if (random.below(3) == 0) data.design.attributes.push_back(a);
      }
      data.design.begin.push_back(static_cast<std::uint32_t>(data.design.attributes.size()));
      if (shape.pairs) add_pair_attributes(random, t == 0, data.pair_design);
      const std::uint64_t kind = shape.partial ? random.below(4) : 0;
      std::size_t label = random.below(3);
      if (shape.constrained && previous == 0 && label == 2)
        label = 1;  // 0 2 is forbidden, as is 2 first
      previous = label;
      if (kind != 3) data.gold.push_back(static_cast<std::uint16_t>(label));
      if (kind == 2) data.gold.push_back(static_cast<std::uint16_t>((label + 1) % 3));
      data.gold_begin.push_back(static_cast<std::uint32_t>(data.gold.size()));
    }
    data.sentence_begin.push_back(static_cast<std::uint32_t>(data.gold_begin.size() - 1));
    if (shape.weighted) data.weight.push_back(static_cast<float>(0.5 + random.uniform()));
  }
  return data;
}

Constraints constraints_of(const Case& shape) {
  if (!shape.constrained) return {};
  return {.pairs = {1, 1, 0, 1, 1, 1, 1, 1, 1}, .first = {1, 1, 0}, .last = {}};
}

const std::vector<std::string> kLabels{"O", "B-X", "I-X"};

CorpusObjective make(Dataset data, Constraints constraints = {}, ChainOptions options = {},
                     const learn::TrainingObjective& goal = {}) {
  return CorpusObjective(std::move(data), std::move(constraints), options, goal,
                         LossTables(goal, kLabels, text::Scheme::kIob2));
}

AlignedVector<float> random_weights(const CorpusObjective& objective, std::uint64_t seed) {
  Random random(seed, 1);
  AlignedVector<float> weights(objective.num_parameters(), 0.0f);
  for (std::size_t p = 0; p < weights.size(); ++p) {
    if (objective.mask()[p] != 0) weights[p] = static_cast<float>(random.uniform() * 2 - 1);
  }
  return weights;
}

// Label sequences that count: pairs from order 1 on, longer ones from order 2 on.
struct Memory {
  bool pairs = true;
  bool longer = true;
};

// What attributes that are conjoined with pairs of labels add: read off weight by weight.
double pair_score(const Dataset& data, const CorpusObjective& objective,
                  const AlignedVector<float>& weights, std::size_t token, LabelPair wanted) {
  const PairPotential& potential = *objective.pair_potential();
  const LinearPotential& linear = potential.linear();
  const auto own =
      std::span(weights).subspan(objective.first_pair_parameter(), linear.num_parameters());
  std::vector<LinearPotential::Entry> row;
  double score = 0;
  for (std::size_t k = data.pair_design.begin[token]; k < data.pair_design.begin[token + 1]; ++k) {
    linear.read_row(own, linear.columns().column_of[data.pair_design.attributes[k]], row);
    for (const auto& [pair, weight] : row) {
      if (potential.pairs()[pair] == wanted) score += data.pair_design.values[k] * weight;
    }
  }
  return score;
}

// The likelihood by listing every label sequence of every sentence.
double likelihood(const Dataset& data, const Constraints& constraints,
                  const CorpusObjective& objective, const AlignedVector<float>& weights,
                  Memory memory) {
  const LinearPotential& potential = objective.potential();
  AlignedVector<float> scores(data.num_tokens() * potential.stride());
  potential.score(weights, 0, data.num_tokens(), scores.data());
  const Transitions transitions = objective.transitions(weights);
  const auto ngram_weights = std::span(weights).last(objective.ngrams().size());
  double value = 0;
  for (std::size_t i = 0; i < data.num_sentences(); ++i) {
    const std::size_t begin = data.sentence_begin[i], length = data.sentence_begin[i + 1] - begin;
    double all = 0, right = 0;
    testing::each_sequence(length, data.num_labels, [&](const auto& labels) {
      double score = 0;
      bool is_right = true;
      if (!constraints.may_begin(labels[0]) || !constraints.may_end(labels[length - 1])) return;
      for (std::size_t t = 0; t < length; ++t) {
        score += scores[(begin + t) * potential.stride() + labels[t]];
        if (memory.pairs && t > 0) score += transitions.score(labels[t - 1], labels[t]);
        if (objective.pair_potential() != nullptr && t > 0) {
          score += pair_score(data, objective, weights, begin + t, {labels[t - 1], labels[t]});
        }
        if (memory.longer) {
          score += testing::ngram_score(objective.ngrams(), ngram_weights, labels, t);
        }
        const auto gold = data.gold_of(begin + t);
        is_right = is_right &&
                   (gold.empty() || std::find(gold.begin(), gold.end(), labels[t]) != gold.end());
      }
      all += std::exp(score);
      if (is_right) right += std::exp(score);
    });
    value += data.weight_of(i) * (std::log(all) - std::log(right));
  }
  return value;
}

// The objective's value; where it prunes (by next to nothing), the pruning chain counts too.
double by_enumeration(const Dataset& data, const Constraints& constraints,
                      const CorpusObjective& objective, const AlignedVector<float>& weights) {
  const double fine = likelihood(data, constraints, objective, weights, {});
  if (objective.options().prune <= 0) return fine;
  return fine + likelihood(data, constraints, objective, weights,
                           {.pairs = objective.options().order > 1, .longer = false});
}

// The gradient against differences of `value`.
void expect_central_differences(CorpusObjective& objective, AlignedVector<float> weights,
                                const std::function<double(const AlignedVector<float>&)>& value) {
  AlignedVector<float> gradient(weights.size());
  objective.evaluate(weights, gradient, Threads(2));
  constexpr float kStep = 1.0f / 64;
  for (std::size_t p = 0; p < weights.size(); ++p) {
    if (objective.mask()[p] == 0) {
      EXPECT_EQ(gradient[p], 0.0f);
      continue;
    }
    const float here = weights[p];
    weights[p] = here + kStep;
    const double above = value(weights);
    weights[p] = here - kStep;
    const double below = value(weights);
    weights[p] = here;
    ASSERT_NEAR(gradient[p], (above - below) / (2 * kStep), 2e-3) << p;
  }
}

// Against differences of the objective's own value.
void expect_central_differences(CorpusObjective& objective, AlignedVector<float> weights) {
  expect_central_differences(objective, std::move(weights), [&](const AlignedVector<float>& moved) {
    AlignedVector<float> ignored(moved.size());
    return objective.evaluate(moved, ignored, Threads(1));
  });
}

class CorpusObjectiveTest : public ::testing::TestWithParam<Case> {};

TEST_P(CorpusObjectiveTest, AgreesWithEnumeration) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Dataset data = random_data(seed, GetParam());
    const Constraints constraints = constraints_of(GetParam());
    CorpusObjective objective = make(data, constraints, GetParam().options());
    const AlignedVector<float> weights = random_weights(objective, seed);
    AlignedVector<float> gradient(weights.size());
    EXPECT_NEAR(objective.evaluate(weights, gradient, Threads(1)),
                by_enumeration(data, constraints, objective, weights), 1e-3);
  }
}

TEST_P(CorpusObjectiveTest, HasTheGradientOfItsValue) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const Dataset data = random_data(seed, GetParam());
    const Constraints constraints = constraints_of(GetParam());
    CorpusObjective objective = make(data, constraints, GetParam().options());
    expect_central_differences(objective, random_weights(objective, seed),
                               [&](const AlignedVector<float>& weights) {
                                 return by_enumeration(data, constraints, objective, weights);
                               });
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, CorpusObjectiveTest,
    ::testing::Values(Case{1, FeatureSet::kObserved, false, false, false},
                      Case{1, FeatureSet::kAllPairs, false, false, false},
                      Case{0, FeatureSet::kObserved, false, false, false},
                      Case{0, FeatureSet::kAllPairs, true, true, false},
                      Case{1, FeatureSet::kAllPairs, true, false, false},
                      Case{1, FeatureSet::kObserved, true, true, false},
                      Case{1, FeatureSet::kAllPairs, false, true, true},
                      Case{1, FeatureSet::kAllPairs, true, true, true, 1e-9},
                      Case{1, FeatureSet::kObserved, false, false, false, 0, true},
                      Case{1, FeatureSet::kAllPairs, false, true, true, 0, true},
                      Case{1, FeatureSet::kObserved, true, true, true, 0, true},
                      Case{2, FeatureSet::kObserved, false, false, false},
                      Case{2, FeatureSet::kAllPairs, true, true, true},
                      Case{2, FeatureSet::kAllPairs, true, true, true, 1e-9},
                      Case{3, FeatureSet::kObserved, true, false, true},
                      Case{3, FeatureSet::kAllPairs, false, true, false},
                      Case{3, FeatureSet::kAllPairs, false, true, true, 1e-9}));

// Pruned by other weights than those it is evaluated at, the objective is still a smooth function.
TEST(CorpusObjective, HasTheGradientOfItsValueOnFrozenLattices) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    const Case shape{1 + static_cast<unsigned>(seed % 3),
                     FeatureSet::kAllPairs,
                     seed % 2 == 0,
                     true,
                     true,
                     0.25};
    CorpusObjective objective =
        make(random_data(seed, shape), constraints_of(shape), shape.options());
    objective.prune(random_weights(objective, seed + 1), Threads(2));
    EXPECT_LT(objective.kept().labels, 3 * objective.kept().tokens);
    expect_central_differences(objective, random_weights(objective, seed));
  }
}

// A loss of the whole corpus, with attributes of pairs and at higher orders.
TEST(CorpusObjective, HasTheGradientOfALossOfTheCorpus) {
  const Case shapes[] = {{1, FeatureSet::kAllPairs, false, false, false, 0, true},
                         {2, FeatureSet::kAllPairs, false, false, true}};
  for (const Case& shape : shapes) {
    SCOPED_TRACE(shape.order);
    CorpusObjective objective = make(random_data(4, shape), constraints_of(shape), shape.options(),
                                     {.goal = learn::ObjectiveKind::kSoftmaxMargin,
                                      .loss = learn::LossName::kF,
                                      .of_corpus = true});
    expect_central_differences(objective, random_weights(objective, 4));
  }
}

TEST(CorpusObjective, RefusesOptionsOutOfRange) {
  const Dataset data = random_data(1, {1, FeatureSet::kObserved, false, false, false});
  EXPECT_THROW(make(data, {}, {.order = 4}), InvalidArgument);
  EXPECT_THROW(make(data, {}, {.order = 2, .prune = 1}), InvalidArgument);
}

TEST(CorpusObjective, RefusesAttributesOfPairsWhereNoPairsAreAtTokens) {
  const Case shape{1, FeatureSet::kObserved, false, false, false, 0, true};
  const Dataset data = random_data(1, shape);
  EXPECT_THROW(make(data, {}, {.order = 0}), InvalidArgument);
  EXPECT_THROW(make(data, {}, {.order = 2}), InvalidArgument);
  EXPECT_THROW(make(data, {}, {.order = 1, .prune = 0.1}), InvalidArgument);
}

// Stochastic passes follow the same gradient: they come near the least value.
TEST(CorpusObjective, StochasticPassesMoveTheWeightsOfPairs) {
  const Case shape{1, FeatureSet::kObserved, false, false, false, 0, true};
  CorpusObjective objective = make(random_data(2, shape), {}, shape.options());
  AlignedVector<float> weights(objective.num_parameters(), 0.0f), gradient(weights.size());
  const double before = objective.evaluate(weights, gradient, Threads(1));
  objective.begin_passes({});
  const std::vector<std::uint32_t> order{0, 1, 2, 3, 4, 5};
  for (int pass = 0; pass < 50; ++pass) objective.pass(order, 0.4, weights, Threads(1));
  EXPECT_LT(objective.evaluate(weights, gradient, Threads(1)), 0.4 * before);
  const std::size_t first = objective.first_pair_parameter();
  EXPECT_TRUE(std::any_of(weights.begin() + static_cast<std::ptrdiff_t>(first),
                          weights.begin() + static_cast<std::ptrdiff_t>(objective.first_part()),
                          [](float weight) { return std::abs(weight) > 0.01f; }));
}

TEST(CorpusObjective, IsTheSameForAnyNumberOfThreads) {
  for (const unsigned order : {1u, 2u, 3u}) {
    const Dataset data = random_data(1, {order, FeatureSet::kAllPairs, true, true, false});
    CorpusObjective objective =
        make(data, {}, {order, FeatureSet::kAllPairs, order > 1 ? 0.1 : 0.0});
    const AlignedVector<float> weights = random_weights(objective, 1);
    AlignedVector<float> one(weights.size()), three(weights.size());
    EXPECT_EQ(objective.evaluate(weights, one, Threads(1)),
              objective.evaluate(weights, three, Threads(3)));
    EXPECT_EQ(one, three);
  }
}

// What a risk does to the parts comes back through both tables, in the stage after the likelihood.
TEST(CorpusObjective, HasTheGradientOfARiskInItsOwnStage) {
  const Dataset data = random_data(3, {1, FeatureSet::kAllPairs, false, true, false});
  const ChainOptions options{1, FeatureSet::kAllPairs};
  CorpusObjective objective = make(data, {}, options, {.goal = learn::ObjectiveKind::kRisk});
  CorpusObjective likelihood = make(data, {}, options);
  const AlignedVector<float> weights = random_weights(objective, 3);
  AlignedVector<float> ignored(weights.size());
  EXPECT_EQ(objective.evaluate(weights, ignored, Threads(1)),
            likelihood.evaluate(weights, ignored, Threads(1)));
  ASSERT_TRUE(objective.objective().advance());
  EXPECT_NE(objective.evaluate(weights, ignored, Threads(1)),
            likelihood.evaluate(weights, ignored, Threads(1)));
  expect_central_differences(objective, weights);
}

TEST(CorpusObjective, RefusesWeightsOfSentencesInALossOfTheCorpus) {
  const Dataset data = random_data(1, {1, FeatureSet::kObserved, false, true, false});
  EXPECT_THROW(
      make(data, {}, {},
           {.goal = learn::ObjectiveKind::kRisk, .loss = learn::LossName::kF, .of_corpus = true}),
      InvalidArgument);
}

TEST(CorpusObjective, NamesTheSentenceThatBreaksTheConstraints) {
  Dataset data;
  data.num_labels = 2;
  data.design.begin = {0, 0, 0};
  data.sentence_begin = {0, 2};
  data.gold_begin = {0, 1, 2};
  data.gold = {0, 1};
  try {
    make(data, {.pairs = {1, 0, 1, 1}, .first = {}, .last = {}});
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "the labels of sentence 1 break the constraints");
  }
}

}  // namespace
}  // namespace coppice::chain

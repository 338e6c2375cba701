// The linear potential agrees with the sum over features spelt out, in both directions.
#include "score/linear.h"

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <set>

#include "base/aligned.h"
#include "coppice/base/random.h"
#include "score/row_adagrad.h"
#include "support/seeds.h"

namespace coppice {

void PrintTo(FeatureSet features, std::ostream* out) {
  *out << (features == FeatureSet::kAllPairs ? "all pairs" : "observed");
}

namespace {

constexpr std::uint32_t kAttributes = 40;  // the last one never occurs

struct Corpus {
  DesignMatrix design;
  std::vector<std::uint32_t> gold_begin{0};
  std::vector<std::uint16_t> gold;
  std::size_t labels = 0;

  TokenLabels token_labels() const { return {gold_begin, gold}; }
};

// Attributes 4 and 21 are copies of 3 and 20; the later an attribute, the rarer.
Corpus random_corpus(std::uint64_t seed, bool with_values) {
  Random random(seed);
  Corpus corpus;
  corpus.labels = 1 + random.below(40);
  corpus.design.num_attributes = kAttributes;
  for (int t = 0; t < 3000; ++t) {  // enough that frequent rows are summed in several runs
    for (std::uint32_t a = 0; a + 1 < kAttributes; ++a) {
      if (a == 4 || a == 21 || random.below(1 + a) > 2) continue;
      const float value = with_values ? static_cast<float>(random.below(4)) / 2 : 1.0f;
      for (std::uint32_t copy = a; copy <= a + (a == 3 || a == 20 ? 1 : 0); ++copy) {
        corpus.design.attributes.push_back(copy);
        if (with_values) corpus.design.values.push_back(value);
      }
    }
    corpus.design.begin.push_back(static_cast<std::uint32_t>(corpus.design.attributes.size()));
    corpus.gold.push_back(static_cast<std::uint16_t>(random.below(corpus.labels)));
    corpus.gold_begin.push_back(static_cast<std::uint32_t>(corpus.gold.size()));
  }
  return corpus;
}

AlignedVector<float> random_weights(const LinearPotential& potential, std::uint64_t seed) {
  Random random(seed, 1);
  AlignedVector<float> weights(potential.num_parameters(), 0.0f);
  for (std::size_t p = 0; p < weights.size(); ++p) {
    if (potential.mask()[p] != 0) weights[p] = static_cast<float>(random.uniform() - 0.5);
  }
  return weights;
}

AlignedVector<float> scores_of(const LinearPotential& potential,
                               const AlignedVector<float>& weights) {
  AlignedVector<float> scores(potential.num_tokens() * potential.stride(), 0.0f);
  potential.score(weights, 0, potential.num_tokens(), scores.data());
  return scores;
}

class LinearPotentialTest : public ::testing::TestWithParam<std::tuple<FeatureSet, bool>> {};

// <gradient(D), w> = <D, score(w)> for all w and D.
TEST_P(LinearPotentialTest, GradientIsTheTransposeOfScore) {
  const auto [features, with_values] = GetParam();
  for (std::uint64_t seed = 0; seed < testing::seeds(20); ++seed) {
    SCOPED_TRACE(seed);
    const Corpus corpus = random_corpus(seed, with_values);
    const LinearPotential potential(corpus.design, corpus.token_labels(), corpus.labels, features);
    const AlignedVector<float> weights = random_weights(potential, seed);
    const AlignedVector<float> scores = scores_of(potential, weights);
    Random random(seed, 2);
    AlignedVector<float> derivatives(scores.size()), gradient(weights.size(), 99.0f);
    for (float& d : derivatives) d = static_cast<float>(random.uniform() - 0.5);
    for (std::size_t b = 0; b < potential.num_blocks(); ++b) {
      potential.gradient(derivatives.data(), b, gradient);
    }
    double by_weights = 0, by_scores = 0;
    for (std::size_t p = 0; p < weights.size(); ++p) by_weights += weights[p] * gradient[p];
    for (std::size_t i = 0; i < scores.size(); ++i) by_scores += scores[i] * derivatives[i];
    EXPECT_NEAR(by_weights, by_scores, 1e-3);
    for (std::size_t p = 0; p < weights.size(); ++p) {
      if (potential.mask()[p] == 0) {
        EXPECT_EQ(gradient[p], 0.0f);
      }
    }
  }
}

// Reads the weights off by attribute and scores again, one feature at a time.
TEST_P(LinearPotentialTest, ScoresAsTheSumOverAttributes) {
  const auto [features, with_values] = GetParam();
  for (std::uint64_t seed = 0; seed < testing::seeds(20); ++seed) {
    SCOPED_TRACE(seed);
    const Corpus corpus = random_corpus(seed, with_values);
    const LinearPotential potential(corpus.design, corpus.token_labels(), corpus.labels, features);
    const AlignedVector<float> weights = random_weights(potential, seed);
    const AlignedVector<float> scores = scores_of(potential, weights);
    std::vector<LinearPotential::Entry> row;
    for (std::size_t t = 0; t < potential.num_tokens(); ++t) {
      std::vector<double> expected(corpus.labels, 0.0);
      for (std::uint32_t k = corpus.design.begin[t]; k < corpus.design.begin[t + 1]; ++k) {
        const std::size_t column = potential.columns().column_of[corpus.design.attributes[k]];
        potential.read_row(weights, column, row);
        const double value = with_values ? corpus.design.values[k] : 1.0;
        for (const auto& entry : row) expected[entry.label] += value * entry.weight;
      }
      for (std::size_t y = 0; y < corpus.labels; ++y) {
        ASSERT_NEAR(scores[t * potential.stride() + y], expected[y], 1e-4);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LinearPotentialTest,
                         ::testing::Combine(::testing::Values(FeatureSet::kObserved,
                                                              FeatureSet::kAllPairs),
                                            ::testing::Bool()));

TEST(LinearPotential, CountsTheObservedPairs) {
  const Corpus corpus = random_corpus(7, false);
  std::set<std::pair<std::uint32_t, std::uint16_t>> pairs;
  for (std::size_t t = 0; t < corpus.gold.size(); ++t) {
    for (std::uint32_t k = corpus.design.begin[t]; k < corpus.design.begin[t + 1]; ++k) {
      pairs.emplace(corpus.design.attributes[k], corpus.gold[t]);
    }
  }
  const LinearPotential potential(corpus.design, corpus.token_labels(), corpus.labels,
                                  FeatureSet::kObserved);
  EXPECT_EQ(potential.num_features(), pairs.size());
}

// Attribute 1 occurs only where there is no label, so it has no parameter.
TEST(LinearPotential, StepsOverAttributesOfUnlabelledTokens) {
  Corpus corpus;
  corpus.labels = 8;
  corpus.design.num_attributes = 2;
  corpus.design.attributes = {0, 1};
  corpus.design.begin = {0, 1, 2};
  corpus.gold = {5};
  corpus.gold_begin = {0, 1, 1};
  const LinearPotential potential(corpus.design, corpus.token_labels(), corpus.labels,
                                  FeatureSet::kObserved);
  ASSERT_EQ(potential.num_features(), 1u);
  RowAdaGrad rows(potential, {.step = 0.5, .l1 = 0, .l2 = 0});
  AlignedVector<float> weights(potential.num_parameters(), 0.0f), scores(2 * potential.stride());
  const AlignedVector<float> derivatives(potential.stride(), -1.0f);
  rows.update(1, derivatives.data(), weights);
  EXPECT_EQ(weights[0], 0);
  rows.update(0, derivatives.data(), weights);
  EXPECT_GT(weights[0], 0);
  potential.score(weights, 0, 2, scores.data());
  EXPECT_EQ(scores[5], weights[0]);
  EXPECT_EQ(scores[potential.stride() + 5], 0);
}

TEST(MergeEqualColumns, FindsCopiesAndOnlyThose) {
  const Corpus corpus = random_corpus(3, true);
  std::map<std::uint32_t, std::map<std::size_t, float>> columns;
  for (std::size_t t = 0; t < corpus.gold.size(); ++t) {
    for (std::uint32_t k = corpus.design.begin[t]; k < corpus.design.begin[t + 1]; ++k) {
      columns[corpus.design.attributes[k]][t] = corpus.design.values[k];
    }
  }
  const MergedColumns merged = merge_equal_columns(corpus.design);
  EXPECT_EQ(merged.column_of[3], merged.column_of[4]);
  for (const auto& [a, column_a] : columns) {
    for (const auto& [b, column_b] : columns) {
      EXPECT_EQ(merged.column_of[a] == merged.column_of[b], column_a == column_b) << a << ' ' << b;
    }
  }
  EXPECT_EQ(merged.column_of[kAttributes - 1], kNoColumn);
}

}  // namespace
}  // namespace coppice

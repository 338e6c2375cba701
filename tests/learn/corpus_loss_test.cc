// Corpus losses against sums over all combinations of the sentences' counts.
#include "coppice/learn/corpus_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/learn/measure.h"
#include "coppice/learn/objective.h"
#include "support/distribution.h"

namespace coppice::learn {
namespace {

CountDistribution random_table(Random& random, std::uint32_t most) {
  CountDistribution table;
  double sum = 0;
  for (std::uint32_t d = 0; d <= most; ++d) {
    for (std::uint32_t n = 0; n <= d; ++n) {
      if (random.below(3) == 0 && !table.empty()) continue;
      table.push_back({{n, d}, random.uniform()});
      sum += table.back().probability;
    }
  }
  for (auto& entry : table) entry.probability /= sum;
  return table;
}

std::vector<CountDistribution> random_tables(std::uint64_t seed, std::size_t sentences,
                                             std::uint32_t most) {
  Random random(seed);
  std::vector<CountDistribution> tables;
  for (std::size_t i = 0; i < sentences; ++i) tables.push_back(random_table(random, most));
  return tables;
}

// E[f], and E[f] with the counts of one sentence fixed, by brute force.
double enumerate(std::span<const CountDistribution> tables, const std::function<double(Counts)>& f,
                 Counts sum = {}) {
  if (tables.empty()) return f(sum);
  double total = 0;
  for (const auto& [counts, probability] : tables.front()) {
    total += probability * enumerate(tables.subspan(1), f, sum + counts);
  }
  return total;
}

double f1_loss(Counts counts) { return loss(Measure{}, counts, 7); }

TEST(CorpusExpectation, AgreesWithEnumeration) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const auto tables = random_tables(seed, 1 + seed % 5, 2);
    const auto found = corpus_expectation(tables, f1_loss);
    EXPECT_NEAR(found.value, enumerate(tables, f1_loss), 1e-11);
    EXPECT_LE(found.cut, 1e-12);
    for (std::size_t i = 0; i < tables.size(); ++i) {
      for (std::size_t j = 0; j < tables[i].size(); ++j) {
        auto fixed = tables;
        fixed[i] = {{tables[i][j].counts, 1.0}};
        ASSERT_NEAR(found.outside[i][j], enumerate(fixed, f1_loss), 1e-11);
      }
    }
  }
}

TEST(CorpusExpectation, CutsNoMoreThanItIsAllowedAndSaysHowMuch) {
  const auto tables = random_tables(3, 60, 3);
  const auto gold = [](Counts counts) { return loss(Measure{}, counts, 150); };
  const auto exact = corpus_expectation(tables, gold, {.mass = 0});
  EXPECT_EQ(exact.cut, 0);
  for (const double mass : {1e-12, 1e-6}) {
    const auto cut = corpus_expectation(tables, gold, {.mass = mass});
    EXPECT_GT(cut.cut, 0);
    EXPECT_LE(cut.cut, mass);
    EXPECT_NEAR(cut.value, exact.value, mass + 1e-12);
    for (std::size_t i = 0; i < tables.size(); ++i) {
      double error = 0;
      for (std::size_t j = 0; j < tables[i].size(); ++j) {
        error += tables[i][j].probability * std::abs(cut.outside[i][j] - exact.outside[i][j]);
      }
      ASSERT_LE(error, mass + 1e-12);
    }
  }
}

TEST(CorpusExpectation, MeansTheSameSeenFromEverySentence) {
  const auto tables = random_tables(5, 100, 2);
  const auto found =
      corpus_expectation(tables, [](Counts counts) { return loss(Measure{}, counts, 100); });
  for (std::size_t i = 0; i < tables.size(); ++i) {
    double mean = 0;
    for (std::size_t j = 0; j < tables[i].size(); ++j) {
      mean += tables[i][j].probability * found.outside[i][j];
    }
    ASSERT_NEAR(mean, found.value, 2e-12);
  }
}

TEST(CorpusSoftmax, AgreesWithEnumerationForSmallAndLargeScales) {
  for (const double tau : {0.0, 1.0, 10.0}) {
    SCOPED_TRACE(tau);
    const auto f = [&](Counts counts) { return std::exp(tau * f1_loss(counts)); };
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(seed);
      const auto tables = random_tables(seed, 1 + seed % 5, 2);
      const auto found = corpus_softmax(tables, f1_loss, tau);
      EXPECT_NEAR(found.value, std::log(enumerate(tables, f)), 1e-9);
      for (std::size_t i = 0; i < tables.size(); ++i) {
        for (std::size_t j = 0; j < tables[i].size(); ++j) {
          auto fixed = tables;
          fixed[i] = {{tables[i][j].counts, 1.0}};
          ASSERT_NEAR(found.outside[i][j], std::log(enumerate(fixed, f)), 1e-9);
        }
      }
    }
  }
}

TEST(CorpusSoftmax, KeepsItsWeightInTheWindowsOfALargeCorpus) {
  // Unlikely errors that a large scale makes likely: tables far from where e^{tau l} looks.
  const std::size_t sentences = 400;
  std::vector<CountDistribution> tables(sentences,
                                        CountDistribution{{{0, 1}, 1e-3}, {{1, 1}, 0.999}});
  const double tau = 4.0 * static_cast<double>(sentences);
  const auto recall_loss = [&](Counts counts) {
    return 1 - static_cast<double>(counts.n) / static_cast<double>(sentences);
  };
  const auto found = corpus_softmax(tables, recall_loss, tau);
  const double one = std::log(1e-3 * std::exp(4.0) + 0.999);  // the loss adds: sentences factor
  EXPECT_NEAR(found.value, one * static_cast<double>(sentences), 1e-6);
  EXPECT_NEAR(found.outside[7][0] - found.outside[7][1], 4.0, 1e-9);
}

// The corpus risk as a function of the scores of one of three sentences.
TEST(CorpusExpectation, GivesEachSentenceTheDerivativesOfTheCorpusRisk) {
  int checked = 0;
  for (std::uint64_t seed = 0; checked < 20; ++seed) {
    SCOPED_TRACE(seed);
    const testing::Example example(seed);
    if (!example.has_derivation() || example.listed.support.size() < 2) continue;
    ++checked;
    EdgeMap<Counts> counts(example.forest.num_edges(), {});
    Random random(seed, 3);
    for (Counts& edge : counts.values()) {
      edge.d = static_cast<std::uint32_t>(random.below(3));
      edge.n = static_cast<std::uint32_t>(random.below(edge.d + 1));
    }
    std::vector<CountDistribution> tables = random_tables(seed, 3, 2);
    const auto corpus_risk = [&](const EdgeMap<double>& scores) {
      auto with = tables;
      with[1] = count_distribution(example.forest, scores, counts);
      return corpus_expectation(with, f1_loss);
    };
    const auto found = corpus_risk(example.scores);
    const auto gradient =
        evaluate({.kind = ObjectiveKind::kRisk}, split_by_counts(example.forest, counts),
                 example.scores, {}, found.outside[1]);
    ASSERT_NEAR(gradient.value, found.value, 1e-10);
    testing::expect_central_differences(
        example.scores, gradient.gradient,
        [&](const EdgeMap<double>& scores) { return corpus_risk(scores).value; });
  }
}

TEST(CorpusExpectation, RefusesASentenceWithoutCounts) {
  const std::vector<CountDistribution> tables(2);
  EXPECT_THROW(corpus_expectation(tables, f1_loss), InvalidArgument);
  EXPECT_EQ(corpus_expectation({}, f1_loss).value, f1_loss({}));
}

TEST(CorpusExpectation, FindsTheBinomialDistributionOfManySentences) {
  // Sentences of one right item of two, or two of two, evenly: n - S is binomial(S, 1/2).
  constexpr std::size_t sentences = 3000;
  const std::vector<CountDistribution> tables(sentences, {{{1, 2}, 0.5}, {{2, 2}, 0.5}});
  for (const std::size_t k : {1400u, 1500u, 1555u}) {
    const auto found = corpus_expectation(
        tables, [&](Counts counts) { return counts.n == sentences + k ? 1.0 : 0.0; });
    const double expected =
        std::exp(std::lgamma(3001.0) - std::lgamma(static_cast<double>(k) + 1) -
                 std::lgamma(static_cast<double>(sentences - k) + 1.0) - 3000 * std::log(2.0));
    EXPECT_NEAR(found.value, expected, 1e-12) << k;
  }
}

TEST(CorpusExpectation, AgreesWithSumsAlsoWhereTablesNeedTransforms) {
  // Few sentences of many counts each: the window is cut only by the mass allowed.
  std::vector<CountDistribution> tables;
  Random random(8);
  for (int i = 0; i < 2; ++i) {
    CountDistribution table;
    for (std::uint32_t n = 0; n < 60; ++n) {
      for (std::uint32_t d = n; d < 60; ++d) table.push_back({{n, d}, random.uniform()});
    }
    double sum = 0;
    for (const auto& entry : table) sum += entry.probability;
    for (auto& entry : table) entry.probability /= sum;
    tables.push_back(std::move(table));
  }
  EXPECT_NEAR(corpus_expectation(tables, f1_loss).value, enumerate(tables, f1_loss), 1e-11);
}

}  // namespace
}  // namespace coppice::learn

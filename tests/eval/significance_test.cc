// P-values against exact enumeration and published numbers; intervals against what theory says.
#include "coppice/eval/significance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "support/seeds.h"

namespace coppice::eval {
namespace {

double accuracy(std::span<const double> totals) { return totals[0] / totals[1]; }

SentenceCounts random_counts(std::size_t sentences, double rate, std::uint64_t seed) {
  Random random(seed);
  SentenceCounts counts(2);
  for (std::size_t i = 0; i < sentences; ++i)
    counts.add(std::vector<double>{random.uniform() < rate ? 1.0 : 0.0, 1.0});
  return counts;
}

TEST(BootstrapInterval, IsNearTheNormalApproximation) {
  const SentenceCounts counts = random_counts(1000, 0.8, 3);
  const Interval interval = bootstrap_interval(counts, accuracy, {.resamples = 2000});
  const double expected = 1.96 * std::sqrt(interval.value * (1 - interval.value) / 1000);
  EXPECT_NEAR(interval.high - interval.value, expected, 0.15 * expected);
  EXPECT_NEAR(interval.value - interval.low, expected, 0.15 * expected);
}

TEST(BootstrapInterval, DependsOnTheSeedOnly) {
  const SentenceCounts counts = random_counts(50, 0.5, 3);
  const auto low = [&](std::uint64_t seed) {
    return bootstrap_interval(counts, accuracy, {.resamples = 101, .seed = seed}).low;
  };
  EXPECT_EQ(low(1), low(1));
  EXPECT_EQ(bootstrap_interval(random_counts(20, 1, 1), accuracy).low, 1);
}

TEST(BootstrapInterval, RefusesNoSentences) {
  try {
    bootstrap_interval(SentenceCounts(1), accuracy);
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "resampling: no sentences");
  }
}

TEST(ApproximateRandomization, IsNearTheExactTest) {
  const SentenceCounts a = random_counts(12, 0.8, 5);
  const SentenceCounts b = random_counts(12, 0.4, 6);
  const double difference = accuracy(a.totals()) - accuracy(b.totals());
  int extreme = 0;
  for (unsigned swaps = 0; swaps < 4096; ++swaps) {
    double sum = 0;
    for (unsigned i = 0; i < 12; ++i) sum += (swaps >> i & 1 ? -1 : 1) * (a[i][0] - b[i][0]);
    extreme += std::abs(sum / 12) >= std::abs(difference) - 1e-12;
  }
  const Comparison found = approximate_randomization(a, b, accuracy, {.resamples = 20000});
  EXPECT_DOUBLE_EQ(found.difference, difference);
  EXPECT_NEAR(found.p, extreme / 4096.0, 0.012);
}

TEST(PairedBootstrap, TellsEqualSystemsFromDifferentOnes) {
  const SentenceCounts a = random_counts(500, 0.9, 1);
  EXPECT_EQ(paired_bootstrap(a, a, accuracy).p, 1);
  EXPECT_LT(paired_bootstrap(a, random_counts(500, 0.7, 2), accuracy).p, 0.005);
  EXPECT_GT(paired_bootstrap(a, random_counts(500, 0.9, 7), accuracy).p, 0.02);
}

TEST(PairedBootstrap, NamesBothShapesWhenTheyDiffer) {
  try {
    paired_bootstrap(random_counts(2, 1, 1), random_counts(3, 1, 1), accuracy);
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "comparison: 2 sentences of 2 counts against 3 of 2");
  }
}

TEST(McNemar, AgreesWithExactFractions) {
  // The table [[101, 121], [59, 33]] of the textbook example, summed in exact fractions.
  EXPECT_NEAR(mcnemar_exact(121, 59), 4.434449263755176e-06, 1e-17);
  EXPECT_NEAR(mcnemar_chi_square(121, 59), 5.450094825427123e-06, 1e-17);
  EXPECT_DOUBLE_EQ(mcnemar_exact(5, 0), 2.0 / 32);
  EXPECT_EQ(mcnemar_exact(0, 0), 1);
  EXPECT_EQ(mcnemar_exact(4, 4), 1);
  EXPECT_EQ(mcnemar_chi_square(0, 0), 1);
}

TEST(Wilcoxon, GivesThePublishedNumberForTheCornData) {
  const std::vector<double> d{6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75};
  EXPECT_DOUBLE_EQ(wilcoxon_signed_rank(d, std::vector<double>(d.size())), 0.041259765625);
}

TEST(Wilcoxon, AgreesWithEnumerationOfSigns) {
  for (std::uint64_t seed = 0; seed < testing::seeds(50); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const unsigned n = 1 + static_cast<unsigned>(random.below(10));
    const auto signs = static_cast<unsigned>(random.below(1U << n));
    std::vector<double> a;
    double observed = 0;
    for (unsigned i = 0; i < n; ++i) {
      a.push_back((signs >> i & 1 ? 1 : -1) * (i + 1.5));
      if (signs >> i & 1) observed += i + 1;
    }
    const double middle = n * (n + 1) / 4.0;
    int extreme = 0;
    for (unsigned other = 0; other < 1U << n; ++other) {
      double sum = 0;
      for (unsigned i = 0; i < n; ++i) sum += other >> i & 1 ? i + 1 : 0;
      extreme += std::abs(sum - middle) >= std::abs(observed - middle);
    }
    EXPECT_NEAR(wilcoxon_signed_rank(a, std::vector<double>(n)), extreme / double(1U << n), 1e-12);
  }
}

TEST(Wilcoxon, CorrectsForTies) {
  // Ranks 2 2 2 4 5 with W = 5 against 10; variance 5*6*11/24 - 24/48.
  const std::vector<double> a{1, -1, 1, 2, -3};
  const double variance = 5 * 6 * 11 / 24.0 - 24 / 48.0;
  EXPECT_NEAR(wilcoxon_signed_rank(a, std::vector<double>(5)),
              std::erfc(std::abs(7 - 7.5) / std::sqrt(2 * variance)), 1e-12);
  EXPECT_EQ(wilcoxon_signed_rank(a, a), 1);
}

}  // namespace
}  // namespace coppice::eval

// The dense kernels agree with enumeration, and with inference in log space where that is too slow.
#include "chain/kernel.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "chain/enumerate_chain.h"
#include "chain/log_space.h"

namespace coppice::chain {
namespace {

using testing::Chain;
using testing::kForbidden;
using testing::random_chain;

AlignedVector<float> no_pairs(const Chain& chain) {
  return AlignedVector<float>((chain.labels + 3) / 4 * 4 * chain.stride, 0.0f);
}

TEST(Kernel, AgreesWithEnumeration) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Chain chain = random_chain(
        seed,
        {.length = 1 + seed % 5, .labels = 1 + seed % 4, .forbid_one_in = seed % 3 ? 0u : 8u});
    double total = 0, best = kForbidden;
    std::vector<double> unary(chain.length * chain.stride, 0.0);
    std::vector<double> pairs(chain.labels * chain.stride, 0.0);
    testing::each_sequence(chain.length, chain.labels, [&](const auto& labels) {
      const double score = testing::score_of(chain, labels);
      total += std::exp(score);
      best = std::max(best, score);
      for (std::size_t t = 0; t < chain.length; ++t) {
        unary[t * chain.stride + labels[t]] += std::exp(score);
        if (t > 0) pairs[labels[t - 1] * chain.stride + labels[t]] += std::exp(score);
      }
    });
    Workspace workspace;
    std::vector<std::uint16_t> labels(chain.length);
    const double z = log_partition(chain.scores.data(), chain.length, chain.transitions, workspace);
    EXPECT_NEAR(std::exp(z), total, 1e-4 * (1 + total));
    const double found =
        best_labels(chain.scores.data(), chain.length, chain.transitions, workspace, labels);
    if (best == kForbidden) {
      EXPECT_EQ(found, best);
    } else {
      EXPECT_NEAR(found, best, 1e-4);
      EXPECT_NEAR(testing::score_of(chain, labels), best, 1e-4);
    }
    AlignedVector<float> posteriors = chain.scores, expected = no_pairs(chain);
    marginals(posteriors.data(), chain.length, chain.transitions, workspace, expected.data());
    for (std::size_t i = 0; i < posteriors.size(); ++i) {
      EXPECT_NEAR(posteriors[i], total > 0 ? unary[i] / total : 0, 1e-5);
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_NEAR(expected[i] * chain.transitions.weights()[i], total > 0 ? pairs[i] / total : 0,
                  1e-5);
    }
  }
}

TEST(Kernel, AgreesWithLogSpaceOnWideLabelSetsAndLongSentences) {
  for (const std::size_t labels : {2u, 7u, 8u, 9u, 22u, 49u, 140u}) {
    SCOPED_TRACE(labels);
    const Chain chain =
        random_chain(labels, {.length = 40, .labels = labels, .spread = 8, .forbid_one_in = 10});
    Workspace workspace;
    AlignedVector<float> fast = chain.scores, slow = chain.scores;
    AlignedVector<float> fast_pairs = no_pairs(chain), slow_pairs = no_pairs(chain);
    const double z =
        marginals(fast.data(), chain.length, chain.transitions, workspace, fast_pairs.data());
    EXPECT_NEAR(
        z, log_space_marginals(slow.data(), chain.length, chain.transitions, slow_pairs.data()),
        1e-3);
    for (std::size_t i = 0; i < fast.size(); ++i) ASSERT_NEAR(fast[i], slow[i], 2e-5);
    for (std::size_t i = 0; i < labels * chain.stride; ++i) {
      const float weight = chain.transitions.weights()[i];
      ASSERT_NEAR(fast_pairs[i] * weight, slow_pairs[i] * weight, 2e-4);
    }
  }
}

TEST(Kernel, SurvivesScoresThatUnderflow) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const double spread = std::array{40.0, 90.0, 150.0, 2000.0}[seed % 4];
    const Chain chain =
        random_chain(seed, {.length = 12, .labels = 3, .spread = spread, .forbid_one_in = 4});
    Workspace workspace;
    AlignedVector<float> fast = chain.scores, slow = chain.scores;
    const double z = marginals(fast.data(), chain.length, chain.transitions, workspace, nullptr);
    const double expected =
        log_space_marginals(slow.data(), chain.length, chain.transitions, nullptr);
    if (expected == kForbidden) {
      EXPECT_EQ(z, expected);
    } else {
      EXPECT_NEAR(z, expected, 1e-2);
    }
    for (std::size_t i = 0; i < fast.size(); ++i) ASSERT_NEAR(fast[i], slow[i], 1e-3);
  }
}

TEST(Kernel, TreatsPositionsApartWithoutTransitions) {
  const Chain chain = random_chain(5, {.length = 4, .labels = 9, .spread = 4});
  const Transitions none(9);
  Workspace workspace;
  AlignedVector<float> fast = chain.scores, slow = chain.scores;
  const double z = marginals(fast.data(), 4, none, workspace, nullptr);
  EXPECT_NEAR(z, log_space_marginals(slow.data(), 4, none, nullptr), 1e-4);
  for (std::size_t i = 0; i < fast.size(); ++i) ASSERT_NEAR(fast[i], slow[i], 1e-5);
}

TEST(Kernel, HandlesAnEmptySentence) {
  Workspace workspace;
  EXPECT_EQ(marginals(nullptr, 0, Transitions(3), workspace, nullptr), 0.0);
}

}  // namespace
}  // namespace coppice::chain

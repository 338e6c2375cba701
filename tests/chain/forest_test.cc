// The dense kernels agree with the generic algorithms on the chain's forest.
#include "coppice/chain/forest.h"

#include <gtest/gtest.h>

#include "chain/enumerate_chain.h"
#include "chain/forest_builder.h"
#include "coppice/forest/kbest.h"
#include "coppice/forest/marginals.h"

namespace coppice::chain {
namespace {

TEST(ChainForest, AgreesWithTheKernels) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    const testing::Chain chain = testing::random_chain(
        seed,
        {.length = 1 + seed % 7, .labels = 2 + seed % 6, .forbid_one_in = seed % 2 ? 0u : 9u});
    const ChainForest packed = chain_forest(chain.scores.data(), chain.length, chain.transitions);
    Workspace workspace;
    AlignedVector<float> posteriors = chain.scores;
    const double z =
        marginals(posteriors.data(), chain.length, chain.transitions, workspace, nullptr);
    if (z == testing::kForbidden) {
      EXPECT_EQ(log_partition(packed.forest, packed.scores), z);
      continue;
    }
    EXPECT_NEAR(log_partition(packed.forest, packed.scores), z, 1e-4);
    const EdgeMap<double> by_edge = edge_marginals(packed.forest, packed.scores);
    std::vector<double> expected(chain.length * chain.stride, 0.0);
    for (const EdgeId edge : packed.forest.edges()) {
      const EdgeLabels& labels = packed.labels[edge];
      if (labels.label == kNoLabel) continue;
      expected[labels.token * chain.stride + labels.label] += by_edge[edge];
    }
    for (std::size_t t = 0; t < chain.length; ++t) {
      for (std::size_t y = 0; y < chain.labels; ++y) {
        EXPECT_NEAR(expected[t * chain.stride + y], posteriors[t * chain.stride + y], 1e-5);
      }
    }
    std::vector<std::uint16_t> best(chain.length);
    best_labels(chain.scores.data(), chain.length, chain.transitions, workspace, best);
    const auto derivations = k_best(packed.forest, packed.scores, 1);
    ASSERT_EQ(derivations.size(), 1u);
    EXPECT_NEAR(derivations[0].score, testing::score_of(chain, best), 1e-4);
    EXPECT_EQ(packed.sequence(derivations[0].edges).size(), chain.length);
    EXPECT_NEAR(testing::score_of(chain, packed.sequence(derivations[0].edges)),
                derivations[0].score, 1e-4);
  }
}

TEST(ChainForest, HasOneAnswerForAnEmptySentence) {
  const ChainForest packed = chain_forest(nullptr, 0, Transitions(3));
  const auto derivations = k_best(packed.forest, packed.scores, 2);
  ASSERT_EQ(derivations.size(), 1u);
  EXPECT_TRUE(packed.sequence(derivations[0].edges).empty());
}

}  // namespace
}  // namespace coppice::chain

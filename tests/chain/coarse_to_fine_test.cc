// Pruning keeps what is likely, what is best and what is annotated.
#include "chain/coarse_to_fine.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chain/enumerate_chain.h"

namespace coppice::chain {
namespace {

using testing::HigherChain;
using testing::random_higher_chain;

LabelLattice pruned(const HigherChain& higher, double prune, const Annotation* gold = nullptr) {
  Workspace workspace;
  return coarse_to_fine(higher.chain.scores.data(), higher.chain.length, higher.model(prune), gold,
                        workspace);
}

TEST(CoarseToFine, KeepsEverythingWithATinyThreshold) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const HigherChain higher =
        random_higher_chain(seed, 1 + seed % 3, {.length = 1 + seed % 5, .labels = 3, .spread = 2});
    const LabelLattice exact = pruned(higher, 0), near = pruned(higher, 1e-30);
    EXPECT_EQ(exact.tail, near.tail);
    EXPECT_EQ(exact.label, near.label);
    EXPECT_EQ(exact.parts, near.parts);
    EXPECT_EQ(exact.history, near.history);
  }
}

TEST(CoarseToFine, LosesNoMoreThanTheThresholdAtAPlace) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const HigherChain higher =
        random_higher_chain(seed, 2, {.length = 5, .labels = 6, .spread = 8});
    const LabelLattice lattice = pruned(higher, 0.01);
    // Every label that order 1 finds likely enough is there.
    AlignedVector<float> coarse = higher.chain.scores;
    Workspace workspace;
    marginals(coarse.data(), 5, higher.chain.transitions, workspace, nullptr);
    for (std::size_t t = 0; t < 5; ++t) {
      for (std::size_t y = 0; y < 6; ++y) {
        bool found = false;
        for (std::size_t e = lattice.first_edge(t); e < lattice.first_edge(t + 1); ++e) {
          found = found || lattice.label[e] == y;
        }
        // A pair can be as rare as the rarer label, so a label may lose its pairs near 0.01.
        const float posterior = coarse[t * higher.chain.stride + y];
        if (posterior >= 0.06f) {
          EXPECT_TRUE(found);
        } else if (posterior < 0.001f) {
          EXPECT_FALSE(found);
        }
      }
    }
  }
}

TEST(CoarseToFine, AlwaysLeavesAPath) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const HigherChain higher = random_higher_chain(
        seed, 1 + seed % 3, {.length = 6, .labels = 4, .spread = 30, .forbid_one_in = 3});
    const LabelLattice exact = pruned(higher, 0), narrow = pruned(higher, 0.4);
    LatticeWorkspace workspace;
    const double all = log_partition(exact, higher.scores(), workspace);
    const double kept = log_partition(narrow, higher.scores(), workspace);
    EXPECT_EQ(std::isfinite(all), std::isfinite(kept));
    EXPECT_LE(narrow.num_edges(), exact.num_edges());
    EXPECT_LE(kept, all + 1e-9);
  }
}

TEST(CoarseToFine, KeepsTheAnnotatedSequence) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const HigherChain higher =
        random_higher_chain(seed, 1 + seed % 3, {.length = 5, .labels = 5, .spread = 20});
    Random random(seed, 3);
    const std::vector<std::uint32_t> begin{0, 1, 2, 3, 4, 5};
    std::vector<std::uint16_t> gold;
    for (int t = 0; t < 5; ++t) gold.push_back(static_cast<std::uint16_t>(random.below(5)));
    const Annotation annotation{begin, gold, true};
    EXPECT_EQ(path_of(pruned(higher, 0.1, &annotation), gold).size(), 5u);
  }
}

TEST(CoarseToFine, KeepsASequenceThatAPartialAnnotationAllows) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    const HigherChain higher = random_higher_chain(
        seed, 1 + seed % 3, {.length = 5, .labels = 5, .spread = 20, .forbid_one_in = 6});
    Random random(seed, 3);
    std::vector<std::uint32_t> begin{0};
    std::vector<std::uint16_t> labels;
    for (int t = 0; t < 5; ++t) {
      for (std::uint16_t y = 0; y < 5; ++y) {
        if (random.below(3) == 0) labels.push_back(y);
      }
      begin.push_back(static_cast<std::uint32_t>(labels.size()));
    }
    const Annotation annotation{begin, labels, false};
    const AlignedVector<float> allowed = annotation.restricted(higher.chain.scores.data(), 5);
    const LatticeScores scores{allowed.data(), higher.chain.stride, higher.parts};
    LatticeWorkspace workspace;
    const double all = log_partition(pruned(higher, 0), scores, workspace);
    const double kept = log_partition(pruned(higher, 0.3, &annotation), scores, workspace);
    EXPECT_EQ(std::isfinite(all), std::isfinite(kept));
  }
}

TEST(CoarseToFine, BoundsTheStatesWhateverTheNumberOfLabels) {
  const testing::Chain chain =
      testing::random_chain(1, {.length = 12, .labels = 150, .spread = 1e-3});
  const LabelNgrams none;
  for (const unsigned order : {1u, 2u, 3u}) {
    const LabelModel model{order,
                           0.01,
                           chain.transitions,
                           none,
                           {chain.transitions.scores(), chain.labels * chain.stride}};
    Workspace workspace;
    const LabelLattice lattice = coarse_to_fine(chain.scores.data(), 12, model, nullptr, workspace);
    LatticeWorkspace inner;
    EXPECT_LE(lattice.num_nodes(), 12u * 101 + 1);
    EXPECT_TRUE(std::isfinite(
        log_partition(lattice, {chain.scores.data(), chain.stride, model.parts}, inner)));
  }
}

}  // namespace
}  // namespace coppice::chain

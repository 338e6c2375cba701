// A lattice has each label sequence once, and inference on it agrees with enumeration.
#include "chain/label_lattice.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chain/coarse_to_fine.h"
#include "chain/enumerate_chain.h"
#include "chain/forest_builder.h"
#include "coppice/base/error.h"
#include "coppice/chain/forest.h"
#include "coppice/forest/kbest.h"
#include "coppice/forest/marginals.h"

namespace coppice::chain {
namespace {

using testing::HigherChain;
using testing::random_higher_chain;

LabelLattice exact(const HigherChain& higher) {
  Workspace workspace;
  return coarse_to_fine(higher.chain.scores.data(), higher.chain.length, higher.model(), nullptr,
                        workspace);
}

struct Expected {
  double log_z = 0, best = testing::kForbidden;
  std::vector<double> posteriors;  // by token and label
};

Expected by_enumeration(const HigherChain& higher) {
  const testing::Chain& chain = higher.chain;
  Expected expected;
  expected.posteriors.assign(chain.length * chain.labels, 0.0);
  double z = 0;
  testing::each_sequence(chain.length, chain.labels, [&](const std::vector<std::uint16_t>& labels) {
    const double score = higher.score_of(labels);
    z += std::exp(score);
    expected.best = std::max(expected.best, score);
    for (std::size_t t = 0; t < chain.length; ++t) {
      expected.posteriors[t * chain.labels + labels[t]] += std::exp(score);
    }
  });
  expected.log_z = std::log(z);
  for (double& p : expected.posteriors) p = z > 0 ? p / z : 0;
  return expected;
}

std::vector<double> label_posteriors(const LabelLattice& lattice, const std::vector<double>& edges,
                                     std::size_t labels) {
  std::vector<double> posteriors(lattice.length() * labels, 0.0);
  for (std::size_t t = 0; t < lattice.length(); ++t) {
    for (std::size_t e = lattice.first_edge(t); e < lattice.first_edge(t + 1); ++e) {
      posteriors[t * labels + lattice.label[e]] += edges[e];
    }
  }
  return posteriors;
}

TEST(LabelLattice, AgreesWithEnumeration) {
  for (std::uint64_t seed = 0; seed < 90; ++seed) {
    SCOPED_TRACE(seed);
    const HigherChain higher = random_higher_chain(
        seed, 1 + seed % 3, {.length = 1 + seed % 6, .labels = 2 + seed % 2, .forbid_one_in = 12});
    const LabelLattice lattice = exact(higher);
    LatticeWorkspace workspace;
    const Expected expected = by_enumeration(higher);
    const double log_z = marginals(lattice, higher.scores(), workspace);
    const std::vector<double> posteriors =
        label_posteriors(lattice, workspace.posterior, higher.chain.labels);
    std::vector<std::uint32_t> path;
    const double best = best_path(lattice, higher.scores(), workspace, path);
    if (expected.best == testing::kForbidden) {
      EXPECT_EQ(log_z, testing::kForbidden);
      EXPECT_EQ(best, testing::kForbidden);
      EXPECT_TRUE(path.empty());
      continue;
    }
    EXPECT_NEAR(log_z, expected.log_z, 1e-6);
    EXPECT_NEAR(log_partition(lattice, higher.scores(), workspace), expected.log_z, 1e-6);
    EXPECT_NEAR(best, expected.best, 1e-6);
    for (std::size_t k = 0; k < posteriors.size(); ++k) {
      EXPECT_NEAR(posteriors[k], expected.posteriors[k], 1e-6);
    }
  }
}

TEST(LabelLattice, HasEachAllowedSequenceAsOnePath) {
  for (const unsigned order : {1u, 2u, 3u}) {
    const HigherChain higher =
        random_higher_chain(order, order, {.length = 5, .labels = 3, .forbid_one_in = 10});
    const LabelLattice lattice = exact(higher);
    std::size_t paths = 0;
    testing::each_sequence(5, 3, [&](const std::vector<std::uint16_t>& labels) {
      const bool allowed = higher.score_of(labels) != testing::kForbidden;
      const std::vector<std::uint32_t> path = path_of(lattice, labels);
      EXPECT_EQ(path.size(), allowed ? 5u : 0u);
      double score = 0;
      for (std::size_t t = 0; t < path.size(); ++t)
        score += higher.scores().of(lattice, t, path[t]);
      EXPECT_NEAR(score, allowed ? higher.score_of(labels) : 0, 1e-5);
      paths += allowed ? 1 : 0;
    });
    const ChainForest forest = chain_forest(lattice, higher.scores());
    EXPECT_EQ(k_best(forest.forest, forest.scores, 1000).size(), paths);
  }
}

TEST(LabelLattice, IsDoneAgainWhereSumsUnderflow) {
  // The first token's likely label leads nowhere, and the other is e^-2000 as likely.
  testing::Chain chain{2, 2, 8, AlignedVector<float>(16, 0.0f), Transitions(2)};
  std::vector<float> pairs(16, 0.0f);
  pairs[0] = pairs[1] = testing::kForbidden;
  chain.scores[0] = 2000;
  chain.scores[8] = 1;
  chain.scores[9] = 2;
  chain.transitions = Transitions(2, pairs);
  const HigherChain higher{chain, {}, pairs, 1};
  const LabelLattice lattice = exact(higher);
  LatticeWorkspace workspace;
  const double log_z = std::log(std::exp(1) + std::exp(2));
  EXPECT_NEAR(log_partition(lattice, higher.scores(), workspace), log_z, 1e-9);
  EXPECT_NEAR(marginals(lattice, higher.scores(), workspace), log_z, 1e-9);
  const std::vector<double> posteriors = label_posteriors(lattice, workspace.posterior, 2);
  EXPECT_NEAR(posteriors[1], 1, 1e-9);
  EXPECT_NEAR(posteriors[3], std::exp(2 - log_z), 1e-9);
}

TEST(LabelLattice, AddsScoresOfSingleEdges) {
  const HigherChain higher = random_higher_chain(5, 2, {.length = 4, .labels = 3});
  const LabelLattice lattice = exact(higher);
  LatticeScores scores = higher.scores();
  LatticeWorkspace workspace;
  const double all = marginals(lattice, scores, workspace);
  const std::size_t edge = lattice.first_edge(2) + 4;
  const double posterior = workspace.posterior[edge];
  std::vector<float> own(lattice.num_edges(), 0.0f);
  own[edge] = testing::kForbidden;
  scores.edges = own;
  EXPECT_NEAR(log_partition(lattice, scores, workspace), all + std::log1p(-posterior), 1e-6);
}

TEST(LabelLattice, RefusesToGrowWithoutBound) {
  const testing::Chain chain = testing::random_chain(1, {.length = 4, .labels = 120});
  const LabelNgrams none;
  const LabelModel model{
      3, 0, chain.transitions, none, {chain.transitions.scores(), chain.labels * chain.stride}};
  Workspace workspace;
  EXPECT_THROW(coarse_to_fine(chain.scores.data(), 4, model, nullptr, workspace), InvalidArgument);
}

}  // namespace
}  // namespace coppice::chain

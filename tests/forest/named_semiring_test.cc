// Semirings by name, counts and their distribution, against all derivations.
#include "coppice/forest/named_semiring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "coppice/base/error.h"
#include "coppice/forest/count.h"
#include "coppice/forest/count_distribution.h"
#include "coppice/forest/entropy.h"
#include "coppice/forest/marginals.h"
#include "coppice/forest/moments.h"
#include "support/enumerate.h"
#include "support/extremes.h"
#include "support/random_forest.h"
#include "support/seeds.h"

namespace coppice {
namespace {

struct Example {
  Forest forest;
  EdgeMap<double> scores{};
  EdgeMap<double> values{};
  std::vector<double> all{};  // scores of the root's derivations, best first
};

Example example(std::uint64_t seed) {
  Example result{.forest = testing::random_forest(seed)};
  result.scores = testing::random_scores(result.forest, seed);
  result.values = testing::random_scores(result.forest, seed + 1000);
  Random random(seed, 9);
  for (double& score : result.scores.values())
    if (random.below(10) == 0) score = kNever;
  for (const auto& edges : testing::derivations(result.forest, result.forest.root())) {
    double score = 0;
    for (EdgeId edge : edges) score += result.scores[edge];
    if (score != kNever) result.all.push_back(score);
  }
  std::sort(result.all.rbegin(), result.all.rend());
  return result;
}

SemiringValue root(const Example& in, const std::string& name) {
  return NamedSemiring::find(name)->inside(in.forest, in.scores, in.values)[in.forest.root()];
}

double number(const Example& in, const std::string& name) {
  return std::get<double>(root(in, name));
}

TEST(NamedSemiring, AgreesWithAllDerivations) {
  for (std::uint64_t seed = 0; seed < testing::seeds(300); ++seed) {
    const Example in = example(seed);
    const double best = in.all.empty() ? kNever : in.all[0];
    double sum = 0;
    for (double score : in.all) sum += std::exp(score);
    EXPECT_EQ(std::get<bool>(root(in, "boolean")), !in.all.empty());
    EXPECT_EQ(std::get<BigCount>(root(in, "counting")), BigCount(in.all.size()));
    EXPECT_EQ(std::get<BigCount>(root(in, "saturating")), BigCount(in.all.size()));
    EXPECT_EQ(count_derivations(in.forest, in.scores), BigCount(in.all.size()));
    EXPECT_NEAR(number(in, "real"), sum, 1e-12 * sum);
    if (in.all.empty()) {
      EXPECT_EQ(number(in, "log"), kNever);
    } else {
      EXPECT_NEAR(number(in, "log"), std::log(sum), 1e-12 * (1 + std::abs(best)));
    }
    EXPECT_NEAR(number(in, "viterbi"), std::exp(best), 1e-12 * std::exp(best));
    EXPECT_EQ(number(in, "max-plus"), best);
    EXPECT_EQ(number(in, "tropical"), 0 - best);
    std::vector<double> first = in.all;
    first.resize(std::min<std::size_t>(first.size(), 5));
    EXPECT_EQ(std::get<std::vector<double>>(root(in, "top:5")), first);
  }
}

TEST(NamedSemiring, GivesMeansAndEntropies) {
  for (std::uint64_t seed = 0; seed < testing::seeds(300); ++seed) {
    const Example in = example(seed);
    if (in.all.empty()) {
      EXPECT_TRUE(std::isnan(number(in, "entropy")));
      EXPECT_TRUE(std::isnan(number(in, "expectation")));
      continue;
    }
    EXPECT_NEAR(number(in, "entropy"), entropy(in.forest, in.scores), 1e-10);
    EXPECT_NEAR(number(in, "expectation"), expectation(in.forest, in.scores, in.values), 1e-10);
  }
}

TEST(NamedSemiring, MultipliesInsideAndOutsideToMarginals) {
  const auto log = *NamedSemiring::find("log");
  for (std::uint64_t seed = 0; seed < testing::seeds(100); ++seed) {
    const Example in = example(seed);
    if (in.all.empty()) continue;
    const auto inside = log.inside(in.forest, in.scores);
    const auto outside = log.outside(in.forest, in.scores);
    const auto marginals = node_marginals(in.forest, in.scores);
    const double log_z = std::get<double>(inside[in.forest.root()]);
    for (NodeId node : in.forest.nodes()) {
      const double product = std::get<double>(inside[node]) + std::get<double>(outside[node]);
      EXPECT_NEAR(std::exp(product - log_z), marginals[node], 1e-12);
    }
  }
}

TEST(NamedSemiring, KnowsItsNames) {
  for (const std::string& name : semiring_names()) {
    EXPECT_EQ(NamedSemiring::find(name).has_value(), name != "top:K") << name;
  }
  EXPECT_TRUE(NamedSemiring::find("top:64"));
  for (const char* name : {"", "top", "top:", "top:0", "top:65", "top:1x", "Log"}) {
    EXPECT_FALSE(NamedSemiring::find(name)) << name;
  }
  EXPECT_FALSE(NamedSemiring::find("entropy")->has_outside());
  EXPECT_THROW(NamedSemiring::find("top:2")->outside(Forest(), {}), InvalidArgument);
}

TEST(CountDerivations, IsExactBeyondAWord) {
  ForestBuilder builder;  // node i + 1 uses node i twice, in two ways: 2^(2^10 - 1) and more
  NodeId node = builder.add_node();
  builder.add_edge(node, {});
  BigCount expected(1);
  for (int i = 0; i < 10; ++i) {
    const NodeId next = builder.add_node();
    builder.add_edge(next, {node, node});
    builder.add_edge(next, {node, node});
    expected = BigCount(2) * expected * expected;
    node = next;
  }
  EXPECT_EQ(count_derivations(std::move(builder).build()), expected);
  EXPECT_EQ(count_derivations(Forest()), BigCount(0));
}

TEST(CountDistribution, AgreesWithAllDerivations) {
  for (std::uint64_t seed = 0; seed < testing::seeds(200); ++seed) {
    const Forest forest = testing::random_forest(seed);
    const EdgeMap<double> scores = testing::random_scores(forest, seed);
    Random random(seed, 5);
    EdgeMap<double> n(forest.num_edges(), 0.0), d(forest.num_edges(), 0.0);
    for (double& count : n.values()) count = static_cast<double>(random.below(3));
    for (double& count : d.values()) count = static_cast<double>(random.below(3));
    std::map<Counts, double> expected;
    double total = 0;
    for (const auto& edges : testing::derivations(forest, forest.root())) {
      Counts sum;
      double score = 0;
      for (EdgeId edge : edges) {
        sum =
            sum + Counts{static_cast<std::uint32_t>(n[edge]), static_cast<std::uint32_t>(d[edge])};
        score += scores[edge];
      }
      expected[sum] += std::exp(score);
      total += std::exp(score);
    }
    if (expected.empty()) {
      EXPECT_THROW(count_distribution(forest, scores, edge_counts(n, d)), InvalidArgument);
      continue;
    }
    const auto found = count_distribution(forest, scores, edge_counts(n, d));
    ASSERT_EQ(found.size(), expected.size());
    auto pair = expected.begin();
    for (const CountProbability& entry : found) {
      EXPECT_EQ(entry.counts, pair->first);
      EXPECT_NEAR(entry.probability, pair++->second / total, 1e-12);
    }
  }
}

TEST(CountDistribution, RefusesWhatIsNoCount) {
  for (double bad : {-1.0, 0.5, 5e9, kNever}) {
    EXPECT_THROW(edge_counts(EdgeMap<double>(1, bad), EdgeMap<double>(1, 0)), InvalidArgument);
  }
}

}  // namespace
}  // namespace coppice

// Scores of edges are sums over their parts, and derivatives go back the same way.
#include "coppice/forest/part_forest.h"

#include <gtest/gtest.h>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/forest/marginals.h"
#include "support/random_forest.h"

namespace coppice {
namespace {

PartForest random_parts(std::uint64_t seed, std::size_t num_parts) {
  PartForest made{testing::random_forest(seed, {.nodes = 6, .max_edges_per_node = 3}), {}};
  Random random(seed, 4);
  for (std::size_t e = 0; e < made.forest.num_edges(); ++e) {
    std::vector<PartId> parts(random.below(4));  // none, shared ones, the same twice
    for (PartId& part : parts) part = static_cast<PartId>(random.below(num_parts));
    made.parts.add_edge(parts);
  }
  return made;
}

TEST(PartForest, DerivativesOfPartsAreThoseOfCentralDifferences) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const PartForest forest = random_parts(seed, 5);
    std::vector<float> scores;
    Random random(seed, 5);
    for (int i = 0; i < 5; ++i) scores.push_back(static_cast<float>(random.uniform()));
    const auto value = [&](const std::vector<float>& at) {
      return log_partition(forest.forest, edge_scores(forest, at));
    };
    if (!std::isfinite(value(scores))) continue;
    const EdgeGradient found = log_partition_gradient(forest.forest, edge_scores(forest, scores));
    std::vector<float> derivatives(5);
    part_derivatives(forest.parts, found.gradient, derivatives);
    const auto marginals = part_marginals(forest, edge_scores(forest, scores), 5);
    for (std::size_t part = 0; part < 5; ++part) {
      auto above = scores, below = scores;
      above[part] += 0.01f;
      below[part] -= 0.01f;
      const double step = static_cast<double>(above[part]) - static_cast<double>(below[part]);
      EXPECT_NEAR(derivatives[part], (value(above) - value(below)) / step,
                  1e-3 * (1 + std::abs(marginals[part])));
      EXPECT_NEAR(derivatives[part], marginals[part], 1e-5 * (1 + marginals[part]));
    }
  }
}

TEST(PartForest, RefusesTablesThatDoNotFit) {
  const PartForest forest = random_parts(1, 5);
  EXPECT_THROW(edge_scores({forest.forest, {}}, std::vector<float>(5)), InvalidArgument);
  EXPECT_THROW(edge_scores(forest, std::vector<float>(0)), InvalidArgument);
}

}  // namespace
}  // namespace coppice

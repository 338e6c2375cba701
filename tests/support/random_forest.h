// Small random forests. The same seed gives the same forest on every machine.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "coppice/base/random.h"
#include "coppice/forest/forest.h"

namespace coppice::testing {

struct RandomForestOptions {
  std::uint32_t nodes = 6;
  std::uint32_t max_edges_per_node = 3;
  std::uint32_t max_tails = 2;  // drawn with repetition: an edge may use one node twice
};

inline Forest random_forest(std::uint64_t seed, const RandomForestOptions& options = {}) {
  Random random(seed);
  ForestBuilder builder;
  for (std::uint32_t i = 0; i < options.nodes; ++i) {
    const NodeId head = builder.add_node();
    const auto edges = random.below(options.max_edges_per_node + 1);  // may be none
    for (std::uint64_t e = 0; e < edges; ++e) {
      std::vector<NodeId> tails;
      const auto arity = i == 0 ? 0 : random.below(options.max_tails + 1);
      for (std::uint64_t t = 0; t < arity; ++t) {
        tails.push_back(static_cast<NodeId>(random.below(i)));
      }
      builder.add_edge(head, tails);
    }
  }
  return std::move(builder).build();
}

// Scores in [-4, 4), in eighths, so that sums of a few are exact.
inline EdgeMap<double> random_scores(const Forest& forest, std::uint64_t seed) {
  Random random(seed, 1);
  EdgeMap<double> scores(forest.num_edges(), 0.0);
  for (EdgeId edge : forest.edges()) {
    scores[edge] = static_cast<double>(random.below(64)) / 8.0 - 4;
  }
  return scores;
}

}  // namespace coppice::testing

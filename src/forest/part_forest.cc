#include "coppice/forest/part_forest.h"

#include <algorithm>

#include "coppice/base/error.h"
#include "coppice/forest/marginals.h"

namespace coppice {

namespace {

// What the edges' values add up to by part.
std::vector<double> sums_by_part(const EdgeParts& parts, const EdgeMap<double>& by_edge,
                                 std::size_t num_parts) {
  require(by_edge.size() == parts.size(), "parts of ", parts.size(), " edges, and values of ",
          by_edge.size());
  std::vector<double> sums(num_parts, 0.0);
  for (const EdgeId edge : IdRange<EdgeId>(parts.size())) {
    for (const PartId part : parts[edge]) {
      require(index(part) < num_parts, "edge ", index(edge), " has part ", index(part), " of ",
              num_parts);
      sums[index(part)] += by_edge[edge];
    }
  }
  return sums;
}

}  // namespace

EdgeMap<double> edge_scores(const PartForest& forest, std::span<const float> part_scores) {
  require(forest.parts.size() == forest.forest.num_edges(), "parts of ", forest.parts.size(),
          " edges for a forest of ", forest.forest.num_edges());
  EdgeMap<double> scores(forest.forest.num_edges(), 0.0);
  for (const EdgeId edge : forest.forest.edges()) {
    double score = 0;
    for (const PartId part : forest.parts[edge]) {
      require(index(part) < part_scores.size(), "edge ", index(edge), " has part ", index(part),
              " of ", part_scores.size());
      score += static_cast<double>(part_scores[index(part)]);
    }
    scores[edge] = score;
  }
  return scores;
}

void part_derivatives(const EdgeParts& parts, const EdgeMap<double>& by_edge,
                      std::span<float> by_part) {
  const std::vector<double> sums = sums_by_part(parts, by_edge, by_part.size());
  std::transform(sums.begin(), sums.end(), by_part.begin(),
                 [](double sum) { return static_cast<float>(sum); });
}

std::vector<double> part_marginals(const PartForest& forest, const EdgeMap<double>& scores,
                                   std::size_t num_parts) {
  return sums_by_part(forest.parts, edge_marginals(forest.forest, scores), num_parts);
}

}  // namespace coppice

#include "coppice/forest/count_distribution.h"

#include <cmath>
#include <limits>

#include "coppice/base/error.h"
#include "coppice/forest/marginals.h"

namespace coppice {

namespace {

std::uint32_t count_of(double number, EdgeId edge) {
  require(number >= 0 && number <= std::numeric_limits<std::uint32_t>::max() &&
              number == std::floor(number),
          "edge ", index(edge), ": a count of ", number, "; expected a whole number from 0 up");
  return static_cast<std::uint32_t>(number);
}

}  // namespace

EdgeMap<Counts> edge_counts(const EdgeMap<double>& n, const EdgeMap<double>& d) {
  require(n.size() == d.size(), "counts: tables of ", n.size(), " and of ", d.size(), " edges");
  EdgeMap<Counts> counts(n.size(), Counts());
  for (EdgeId edge : IdRange<EdgeId>(n.size())) {
    counts[edge] = {count_of(n[edge], edge), count_of(d[edge], edge)};
  }
  return counts;
}

std::vector<CountProbability> count_distribution(const Forest& forest,
                                                 const EdgeMap<double>& scores,
                                                 const EdgeMap<Counts>& counts) {
  const SplitForest split = split_by_counts(forest, counts);
  const auto marginals = edge_marginals(split.forest, split_weights(split, scores, 0.0));
  std::vector<CountProbability> distribution;
  const auto goal_edges = split.forest.incoming(split.forest.root());
  distribution.reserve(goal_edges.size());
  for (std::size_t i = 0; i < goal_edges.size(); ++i) {
    distribution.push_back({split.goal_counts[i], marginals[goal_edges[i]]});
  }
  return distribution;
}

}  // namespace coppice

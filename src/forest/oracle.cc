#include "coppice/forest/oracle.h"

#include <cmath>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/forest/best.h"
#include "coppice/semiring/selective.h"

namespace coppice {

std::optional<Oracle> oracle(const SplitForest& split, const EdgeMap<double>& scores,
                             const std::function<double(Counts)>& value) {
  if (split.forest.empty()) return std::nullopt;
  const auto best = best_edges<MaxPlusSemiring>(split.forest, split_weights(split, scores, 0.0));
  std::optional<Oracle> found;
  NodeId top{};
  const IdRange<EdgeId> goal_edges = split.forest.incoming(split.forest.root());
  for (std::size_t i = 0; i < goal_edges.size(); ++i) {
    const NodeId node = split.forest.tails(goal_edges[i]).front();
    if (best.edge[node] == kNoEdge) continue;
    const Counts counts = split.goal_counts[i];
    const double worth = value(counts);
    require(!std::isnan(worth), "oracle: the value of counts (", counts.n, ", ", counts.d,
            ") is not a number");
    const double score = best.weight[node];
    if (found && std::pair(worth, score) <= std::pair(found->value, found->derivation.score)) {
      continue;
    }
    found = Oracle{{{}, score}, counts, worth};
    top = node;
  }
  if (found) found->derivation.edges = unsplit(split, follow(split.forest, best.edge, top));
  return found;
}

std::optional<Oracle> oracle(const Forest& forest, const EdgeMap<double>& scores,
                             const EdgeMap<Counts>& counts,
                             const std::function<double(Counts)>& value,
                             const SplitOptions& options) {
  require(scores.size() == forest.num_edges(), "oracle: ", scores.size(),
          " scores for a forest of ", forest.num_edges(), " edges");
  return oracle(split_by_counts(forest, counts, options), scores, value);
}

double f_measure(Counts counts, std::uint32_t gold, double beta) {
  const double weight = beta * beta;
  const double denominator = counts.d + weight * gold;
  return denominator == 0 ? 1 : (1 + weight) * counts.n / denominator;
}

}  // namespace coppice

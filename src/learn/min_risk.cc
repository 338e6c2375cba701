#include "coppice/learn/min_risk.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/forest/best.h"
#include "coppice/forest/marginals.h"
#include "coppice/semiring/selective.h"

namespace coppice::learn {

std::optional<MinRisk> min_risk(const Forest& forest, const EdgeMap<double>& scores,
                                const EdgeFeatures& items, const ErrorCosts& costs) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  require(items.size() == forest.num_edges(), "min_risk: ", items.size(),
          " rows of items for a forest of ", forest.num_edges(), " edges");
  if (log_partition(forest, scores) == -infinity) return std::nullopt;
  const std::vector<double> posterior = weighted_sum(items, edge_marginals(forest, scores));
  std::vector<double> worth(posterior.size());
  double expected_items = 0;
  for (std::size_t i = 0; i < posterior.size(); ++i) {
    expected_items += posterior[i];
    worth[i] = (costs.false_positive + costs.false_negative) * posterior[i] - costs.false_positive;
  }
  EdgeMap<double> edge_worth(forest.num_edges(), -infinity);
  for (EdgeId edge : forest.edges()) {
    if (scores[edge] != -infinity) edge_worth[edge] = dot(items[edge], worth);
  }
  std::optional<Derivation> best = best_derivation<MaxPlusSemiring>(forest, edge_worth);
  if (!best) return std::nullopt;
  const double risk = costs.false_negative * expected_items - best->score;
  best->score = weight_of<MaxPlusSemiring>(best->edges, scores);
  return MinRisk{std::move(*best), risk};
}

}  // namespace coppice::learn

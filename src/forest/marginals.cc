#include "coppice/forest/marginals.h"

#include "coppice/forest/conditionals.h"
#include "forest/conditional_sweep.h"

namespace coppice {

double log_partition(const Forest& forest, const EdgeMap<double>& scores) {
  return log(detail::sweep_conditionals(forest, scores, 1, [](const detail::NodeEdges&) {}));
}

EdgeGradient log_partition_gradient(const Forest& forest, const EdgeMap<double>& scores) {
  auto [value, marginals] = edge_conditionals(forest, scores);
  const NodeMap<double> uses = expected_uses(forest, marginals);
  for (NodeId node : forest.nodes()) {
    for (EdgeId edge : forest.incoming(node)) marginals[edge] *= uses[node];
  }
  return {value, std::move(marginals)};
}

EdgeMap<double> edge_marginals(const Forest& forest, const EdgeMap<double>& scores) {
  return log_partition_gradient(forest, scores).gradient;
}

NodeMap<double> node_marginals(const Forest& forest, const EdgeMap<double>& scores) {
  return expected_uses(forest, edge_conditionals(forest, scores).probability);
}

}  // namespace coppice

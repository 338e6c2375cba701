#include "coppice/forest/sample.h"

#include <cmath>
#include <vector>

#include "coppice/base/assert.h"
#include "coppice/base/error.h"
#include "coppice/forest/best.h"
#include "coppice/semiring/log.h"

namespace coppice {

namespace {

// Requires inside[node] above -inf.
EdgeId sample_edge(const Forest& forest, const EdgeMap<double>& scores,
                   const NodeMap<double>& inside, NodeId node, double uniform) {
  EdgeId chosen = kNoEdge;
  double cumulative = 0;
  for (EdgeId edge : forest.incoming(node)) {
    double score = scores[edge] - inside[node];
    for (NodeId tail : forest.tails(edge)) score += inside[tail];
    if (score == LogSemiring::zero()) continue;
    chosen = edge;  // the last one stands where rounding keeps the sum below one
    cumulative += std::exp(score);
    if (uniform < cumulative) break;
  }
  COPPICE_ASSERT(chosen != kNoEdge);
  return chosen;
}

}  // namespace

std::optional<Derivation> sample_derivation(const Forest& forest, const EdgeMap<double>& scores,
                                            const NodeMap<double>& inside, Random& random) {
  require(scores.size() == forest.num_edges(), "sample: ", scores.size(),
          " scores for a forest of ", forest.num_edges(), " edges");
  require(inside.size() == forest.num_nodes(), "sample: ", inside.size(),
          " inside weights for a forest of ", forest.num_nodes(), " nodes");
  if (forest.empty() || inside[forest.root()] == LogSemiring::zero()) return std::nullopt;
  Derivation sample;
  std::vector<NodeId> expected{forest.root()};
  while (!expected.empty()) {
    const EdgeId edge = sample_edge(forest, scores, inside, expected.back(), random.uniform());
    expected.pop_back();
    sample.edges.push_back(edge);
    sample.score += scores[edge];
    const auto tails = forest.tails(edge);
    expected.insert(expected.end(), tails.rbegin(), tails.rend());
  }
  return sample;
}

}  // namespace coppice

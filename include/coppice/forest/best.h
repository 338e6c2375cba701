// The best derivation (Viterbi), in any semiring whose plus picks one of its two arguments.
//
//     best[v] = the edge e into v whose   w[e] (x) weight[u1] (x) ... (x) weight[uk]   is best
//
// Of equally good edges the one with the smallest id is taken. An edge of weight zero() is never
// taken, nor one with a tail that derives nothing.
//
// Cost: that of inside, and the length of the derivation. No recursion.
#pragma once

#include <concepts>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/forest/derivation.h"
#include "coppice/forest/forest.h"
#include "coppice/forest/inside.h"
#include "coppice/semiring/selective.h"
#include "coppice/semiring/semiring.h"

namespace coppice {

// Stands where there is no edge: a node that derives nothing, an edge that no old one became.
inline constexpr EdgeId kNoEdge{std::numeric_limits<std::uint32_t>::max()};

// The inside weights, and for each node the edge that they came by: kNoEdge where weight is zero.
template <class Value>
struct BackPointers {
  NodeMap<Value> weight;
  NodeMap<EdgeId> edge;
};

// Requires one weight per edge; throws InvalidArgument otherwise.
template <SelectiveSemiring S, EdgeWeights<S> W>
BackPointers<typename S::Value> best_edges(const Forest& forest, const W& weights) {
  using Value = typename S::Value;
  require(weights.size() == forest.num_edges(), "best_edges: ", weights.size(),
          " weights for a forest of ", forest.num_edges(), " edges");
  BackPointers<Value> best{{forest.num_nodes(), S::zero()}, {forest.num_nodes(), kNoEdge}};
  for (NodeId node : forest.nodes()) {  // bottom-up, by invariant (1) of Forest
    for (EdgeId edge : forest.incoming(node)) {
      Value product = weights[edge];
      for (NodeId tail : forest.tails(edge)) product = S::times(product, best.weight[tail]);
      Value chosen = S::plus(best.weight[node], product);
      if (chosen == best.weight[node]) continue;  // not better
      best.weight[node] = std::move(chosen);
      best.edge[node] = edge;
    }
  }
  return best;
}

// Follows one edge a node from `node` down, in prefix order. Requires that edge[v] != kNoEdge for
// every node v that is met.
std::vector<EdgeId> follow(const Forest& forest, const NodeMap<EdgeId>& edge, NodeId node);

// Returns nothing when the root derives nothing. The score is the weight of the derivation in S.
// Throws InvalidArgument unless there is one weight per edge.
template <SelectiveSemiring S = MaxPlusSemiring, EdgeWeights<S> W>
requires std::convertible_to<typename S::Value, double> std::optional<Derivation> best_derivation(
    const Forest& forest, const W& weights) {
  const auto best = best_edges<S>(forest, weights);
  if (forest.empty() || best.edge[forest.root()] == kNoEdge) return std::nullopt;
  return Derivation{follow(forest, best.edge, forest.root()),
                    static_cast<double>(best.weight[forest.root()])};
}

}  // namespace coppice

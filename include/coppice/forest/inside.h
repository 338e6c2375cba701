// Inside weights: for every node, the sum over its derivations of the product of their edges.
//
//     inside[v] = (+) over edges e into v of   w[e] (x) inside[u1] (x) ... (x) inside[uk]
//
// where u1..uk are the tails of e, left to right (so times need not commute). A leaf is an edge
// without tails; a node that derives nothing gets S::zero(). The weight of the forest is
// inside[root].
//
// Cost: one times per tail, one plus per edge (or one sum per node, where S has one); one
// allocation, and one more as long as the most edges into a node where S has a sum.
// Goodman (1999), "Semiring Parsing", Computational Linguistics 25(4).
#pragma once

#include <concepts>
#include <span>
#include <utility>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/forest/forest.h"
#include "coppice/semiring/semiring.h"

namespace coppice {

// Anything that gives a weight for an edge: an EdgeMap, or a view that computes it.
template <class W, class S>
concept EdgeWeights = Semiring<S> && requires(const W& weights, EdgeId edge) {
  { weights[edge] } -> std::convertible_to<typename S::Value>;
  { weights.size() } -> std::convertible_to<std::size_t>;
};

namespace detail {

// w[e] (x) the chart's values of e's tails, left to right.
template <Semiring S, class W>
typename S::Value edge_product(const Forest& forest, const W& weights,
                               const NodeMap<typename S::Value>& chart, EdgeId edge) {
  typename S::Value product = weights[edge];
  for (NodeId tail : forest.tails(edge)) product = S::times(product, chart[tail]);
  return product;
}

}  // namespace detail

// Requires one weight per edge; throws InvalidArgument otherwise.
template <Semiring S, EdgeWeights<S> W>
NodeMap<typename S::Value> inside(const Forest& forest, const W& weights) {
  using Value = typename S::Value;
  require(weights.size() == forest.num_edges(), "inside: ", weights.size(),
          " weights for a forest of ", forest.num_edges(), " edges");
  NodeMap<Value> chart(forest.num_nodes(), S::zero());
  [[maybe_unused]] std::vector<Value> products;  // of the edges into one node
  for (NodeId node : forest.nodes()) {           // bottom-up, by invariant (1) of Forest
    if constexpr (SummableSemiring<S>) {
      const auto edges = forest.incoming(node);
      if (products.size() < edges.size()) products.resize(edges.size());
      for (std::size_t i = 0; i < edges.size(); ++i) {
        products[i] = detail::edge_product<S>(forest, weights, chart, edges[i]);
      }
      chart[node] = S::sum(std::span<const Value>(products.data(), edges.size()));
    } else {
      Value sum = S::zero();
      for (EdgeId edge : forest.incoming(node)) {
        sum = S::plus(sum, detail::edge_product<S>(forest, weights, chart, edge));
      }
      chart[node] = std::move(sum);
    }
  }
  return chart;
}

}  // namespace coppice

// Outside weights: for every node, the sum over the contexts in which derivations of the root use
// it, of the product of all that is not below it.
//
//     outside[root] = one
//     outside[u] = (+) over edges e into v and places of u among the tails of e, of
//                  outside[v] (x) w[e] (x) inside of the tails in the other places
//
// so that outside[u] (x) inside[u] is the sum over derivations and their uses of u: a node that
// stands twice in one tail is two uses. A node that no derivation of the root reaches has zero().
//
// The semiring must commute. What surrounds a node is a left and a right context, and only where
// times commutes is their product one value that says what they do; for others the formula would
// be well-typed and wrong.
//
// Cost: at most three times per tail, by products from the left and from the right, never a
// division; one plus per tail; one allocation, and one as long as the longest tail.
// Goodman (1999), "Semiring Parsing", Computational Linguistics 25(4).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/forest/forest.h"
#include "coppice/forest/inside.h"
#include "coppice/semiring/semiring.h"

namespace coppice {

namespace detail {

// Adds `context` times the inside weights of all other tails to the outside weight of each tail.
// `from_right` is room to work in.
template <CommutativeSemiring S>
void add_to_tails(std::span<const NodeId> tails, typename S::Value context,
                  const NodeMap<typename S::Value>& inside_chart,
                  NodeMap<typename S::Value>& outside_chart,
                  std::vector<typename S::Value>& from_right) {
  if (tails.size() > from_right.size()) from_right.resize(tails.size());
  for (std::size_t i = tails.size() - 1; i > 0; --i) {  // product of the tails from i on
    from_right[i] = i + 1 == tails.size() ? inside_chart[tails[i]]
                                          : S::times(inside_chart[tails[i]], from_right[i + 1]);
  }
  for (std::size_t i = 0; i < tails.size(); ++i) {  // context: also the tails before i
    auto& outside = outside_chart[tails[i]];
    if (i + 1 == tails.size()) {
      outside = S::plus(outside, context);
    } else {
      outside = S::plus(outside, S::times(context, from_right[i + 1]));
      context = S::times(context, inside_chart[tails[i]]);
    }
  }
}

}  // namespace detail

// Requires one weight per edge and the chart that inside gave for them; throws InvalidArgument
// when a size differs. The empty forest has an empty chart.
template <CommutativeSemiring S, EdgeWeights<S> W>
NodeMap<typename S::Value> outside(const Forest& forest, const W& weights,
                                   const NodeMap<typename S::Value>& inside_chart) {
  using Value = typename S::Value;
  require(weights.size() == forest.num_edges(), "outside: ", weights.size(),
          " weights for a forest of ", forest.num_edges(), " edges");
  require(inside_chart.size() == forest.num_nodes(), "outside: ", inside_chart.size(),
          " inside weights for a forest of ", forest.num_nodes(), " nodes");
  NodeMap<Value> chart(forest.num_nodes(), S::zero());
  if (forest.empty()) return chart;
  std::vector<Value> from_right;
  chart[forest.root()] = S::one();
  for (std::size_t i = index(forest.root()) + 1; i-- > 0;) {  // heads before their tails
    const auto node = static_cast<NodeId>(i);
    for (EdgeId edge : forest.incoming(node)) {
      const auto tails = forest.tails(edge);
      if (tails.empty()) continue;
      detail::add_to_tails<S>(tails, S::times(chart[node], weights[edge]), inside_chart, chart,
                              from_right);
    }
  }
  return chart;
}

}  // namespace coppice

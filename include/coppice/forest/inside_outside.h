// Inside-outside with sums on the side: the expectation semiring's answer without its vectors in
// the charts (Li & Eisner 2009, Figure 4).
//
// Every edge has k_e in a cheap semiring K and x_e in a K-module X. With
//     exclusive_e = outside[head] (x) inside[u1] (x) ... (x) inside[uk]
// the answer is
//     total = inside[root],   gathered = sum over e of exclusive_e x_e,
// which is inside[root] in Expectation<K, X> of weights (k_e, x_e): there every derivation adds,
// for each of its edges, x_e times the k of all others.
//
// Order 1: K real, X the gradient of p_e or any quantity times p_e. Order 2, by the lifting trick:
// K = Expectation<P, R> and X = LiftedModule<P, R, S, T>.
//
// Cost: inside and outside in K, and for each edge one X::add_scaled, which for sparse vectors is
// x_e's own nonzeros, however many features there are.
#pragma once

#include <utility>

#include "coppice/base/error.h"
#include "coppice/forest/forest.h"
#include "coppice/forest/inside.h"
#include "coppice/forest/outside.h"
#include "coppice/semiring/module.h"
#include "coppice/semiring/semiring.h"

namespace coppice {

template <Semiring K, Module<K> X>
struct InsideOutside {
  typename K::Value total;
  typename X::Value gathered;
};

// `xs[edge]` gives what X::add_scaled takes: X::Value, or a view that stands for one. Throws
// InvalidArgument unless there is one k and one x per edge. The empty forest, and one without a
// derivation, has (zero, zero).
template <CommutativeSemiring K, Module<K> X, EdgeWeights<K> Weights, class Xs>
InsideOutside<K, X> inside_outside(const Forest& forest, const Weights& weights, const Xs& xs) {
  require(xs.size() == forest.num_edges(), "inside_outside: ", xs.size(),
          " module values for a forest of ", forest.num_edges(), " edges");
  const auto inside_chart = inside<K>(forest, weights);
  const auto outside_chart = outside<K>(forest, weights, inside_chart);
  typename X::Sum sum{};
  for (NodeId node : forest.nodes()) {
    if (outside_chart[node] == K::zero()) continue;
    for (EdgeId edge : forest.incoming(node)) {
      auto exclusive = outside_chart[node];
      for (NodeId tail : forest.tails(edge)) {
        exclusive = K::times(exclusive, inside_chart[tail]);
      }
      X::add_scaled(sum, exclusive, xs[edge]);
    }
  }
  return {forest.empty() ? K::zero() : inside_chart[forest.root()], X::value(std::move(sum))};
}

}  // namespace coppice

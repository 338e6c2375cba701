// Inside weights of a hypergraph with cycles: sums over infinitely many derivations, where a
// closed semiring can take them.
//
//     x[v] = (+) over edges e into v of   w[e] (x) x[u1] (x) ... (x) x[uk]
//
// is solved component by component (components.h), tails first. Within a component an edge may
// have one tail of the component at most, so that the equations are linear there; they are solved
// by elimination with star (Lehmann 1977). On a lattice this is the shortest distance of weighted
// automata; on an acyclic graph it is inside().
//
// Edges of weight zero(), and edges that no finite derivation can use, count as absent: cycles
// through them do no harm, and a node that derives nothing gets zero().
//
// times must commute, unless the cyclic tail is always the last one, as in lattices.
//
// Cost: linear outside cycles. A component of n nodes takes n^3 products at worst; equations are
// kept sparse, so that a ring of n nodes takes O(n log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/forest/components.h"
#include "coppice/forest/hypergraph.h"
#include "coppice/forest/inside.h"
#include "coppice/semiring/semiring.h"

namespace coppice {

namespace detail {

// x[i] = constant[i] (+) the sum over j of coefficient[i][j] (x) x[j], in sparse rows.
template <ClosedSemiring S>
class LinearSystem {
 public:
  using Value = typename S::Value;

  explicit LinearSystem(std::size_t size)
      : constant_(size, S::zero()), row_(size), rows_of_(size) {}

  void add_constant(std::size_t i, const Value& value) {
    constant_[i] = S::plus(constant_[i], value);
  }
  void add_coefficient(std::size_t i, std::size_t j, const Value& value) {
    const auto [entry, is_new] = row_[i].try_emplace(j, value);
    if (is_new) {
      rows_of_[j].push_back(i);
    } else {
      entry->second = S::plus(entry->second, value);
    }
  }

  // The least solution. Throws what star throws. Uses the system up.
  std::vector<Value> solve() && {
    for (std::size_t pivot = 0; pivot < row_.size(); ++pivot) eliminate(pivot);
    for (std::size_t i = row_.size(); i-- > 0;) {
      for (const auto& [j, value] : row_[i]) add_constant(i, S::times(value, constant_[j]));
    }
    return std::move(constant_);
  }

 private:
  // Solves equation `pivot` for its own variable and puts that into the later equations.
  void eliminate(std::size_t pivot) {
    if (auto loop = row_[pivot].extract(pivot)) {
      const Value star = S::star(loop.mapped());
      for (auto& [j, value] : row_[pivot]) value = S::times(star, value);
      constant_[pivot] = S::times(star, constant_[pivot]);
    }
    for (std::size_t i : rows_of_[pivot]) {
      if (i <= pivot) continue;
      const Value factor = row_[i].extract(pivot).mapped();
      for (const auto& [j, value] : row_[pivot]) add_coefficient(i, j, S::times(factor, value));
      add_constant(i, S::times(factor, constant_[pivot]));
    }
  }

  std::vector<Value> constant_;
  std::vector<std::map<std::size_t, Value>> row_;
  std::vector<std::vector<std::size_t>> rows_of_;  // column -> rows with an entry there
};

[[noreturn]] void refuse_branching_cycle(const Hypergraph& graph, EdgeId edge,
                                         std::span<const NodeId> component);
[[noreturn]] void refuse_divergence(std::span<const NodeId> component, const Error& reason);

// What an edge adds to its head: a value, to be multiplied by the node `factor` if there is one.
template <class Value>
struct LinearTerm {
  Value value;
  std::optional<NodeId> factor;
};

template <ClosedSemiring S, EdgeWeights<S> W>
LinearTerm<typename S::Value> linear_term(const Hypergraph& graph, const Components& components,
                                          const W& weights, const NodeMap<typename S::Value>& chart,
                                          EdgeId edge) {
  const std::size_t here = components.component_of(graph.head(edge));
  LinearTerm<typename S::Value> term{weights[edge], std::nullopt};
  for (NodeId tail : graph.tails(edge)) {
    if (components.component_of(tail) != here) {
      term.value = S::times(term.value, chart[tail]);
    } else if (!term.factor) {
      term.factor = tail;
    } else {
      refuse_branching_cycle(graph, edge, components[here]);
    }
  }
  return term;
}

}  // namespace detail

// Returns the weight of every node; that of the graph is at graph.root().
//
// Requires one weight per edge. Throws InvalidArgument, naming nodes, where a cycle branches (an
// edge has two tails in the component of its head) and where star diverges.
template <ClosedSemiring S, EdgeWeights<S> W>
NodeMap<typename S::Value> closure(const Hypergraph& graph, const W& weights) {
  require(weights.size() == graph.num_edges(), "closure: ", weights.size(),
          " weights for a graph of ", graph.num_edges(), " edges");
  EdgeMap<unsigned char> present(graph.num_edges(), 0);
  for (EdgeId edge : graph.edges()) present[edge] = !(weights[edge] == S::zero());
  present = productive_edges(graph, present);
  const Components components(graph, present);
  const IncomingEdges incoming(graph);
  NodeMap<typename S::Value> chart(graph.num_nodes(), S::zero());
  for (std::size_t i = 0; i < components.size(); ++i) {
    const std::span<const NodeId> component = components[i];
    detail::LinearSystem<S> system(component.size());
    for (NodeId node : component) {
      for (EdgeId edge : incoming[node]) {
        if (!present[edge]) continue;
        const auto term = detail::linear_term<S>(graph, components, weights, chart, edge);
        if (term.factor) {
          system.add_coefficient(components.position(node), components.position(*term.factor),
                                 term.value);
        } else {
          system.add_constant(components.position(node), term.value);
        }
      }
    }
    try {
      const auto solution = std::move(system).solve();
      for (NodeId node : component) chart[node] = solution[components.position(node)];
    } catch (const InvalidArgument& reason) {
      detail::refuse_divergence(component, reason);
    }
  }
  return chart;
}

// The sum over all derivations of the graph's root; zero() for a graph without nodes. Throws as
// closure does.
template <ClosedSemiring S, EdgeWeights<S> W>
typename S::Value total_weight(const Hypergraph& graph, const W& weights) {
  const auto chart = closure<S>(graph, weights);
  return graph.num_nodes() == 0 ? S::zero() : chart[graph.root()];
}

}  // namespace coppice

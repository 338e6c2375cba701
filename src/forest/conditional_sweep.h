// The two sweeps that every quantity of a weighted forest is made of.
//
// Bottom-up (sweep_conditionals): inside weights in WideFloat; at each node, as soon as its total
// is known, the conditionals of its edges (conditionals.h) go to a visitor. What the visitor sums
// over derivations of a node is formed from what it has for the tails.
//
// Top-down (expectation_gradient): let r be additive, mean[v] its expectation over derivations of
// v,
//     rho_e = r_e + sum of mean[u] over tails u,     mean[v] = sum of conditional_e rho_e.
// The derivative of mean[root] by score_e is Cov(r, n_e). It reaches score_e in two ways: through
// mean[v], which the root's mean contains uses[v] times, and through inside[v], which changes the
// conditionals of all edges above. With pull[v] = d mean[root] / d ln inside[v],
//     gradient_e = uses[v] conditional_e (rho_e - mean[v]) + pull[v] conditional_e
//     pull[u]    = sum of gradient_e over the places of u in tails.
// rho_e - mean[v] is centred where it arises, so nothing of the size of E[r] E[n_e] is subtracted,
// as the quotient rule on sums over derivations would.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/wide_float.h"
#include "coppice/forest/edge_gradient.h"
#include "coppice/forest/forest.h"

namespace coppice::detail {

inline void require_entries(const Forest& forest, std::size_t size, const char* what) {
  require(size == forest.num_edges(), size, ' ', what, " for a forest of ", forest.num_edges(),
          " edges");
}

void require_finite(std::span<const double> values, const char* what);
void require_derivation(const WideFloat& total);
[[noreturn]] void throw_bad_score(EdgeId edge, double score);

inline WideFloat edge_weight(const EdgeMap<double>& scores, EdgeId edge, double scale) {
  const double score = scale * scores[edge];
  if (!(score <= 0x1p50)) [[unlikely]]
    throw_bad_score(edge, score);
  return WideFloat::exp(score);
}

// The edges into one node with their weights, p_e times the inside weights of e's tails.
struct NodeEdges {
  NodeId node;
  IdRange<EdgeId> edges;
  std::span<const WideFloat> weights;
  WideFloat total;  // their sum: the node's inside weight

  std::size_t size() const noexcept { return weights.size(); }
  // A quotient, not a product with 1 / total: one edge alone must have exactly 1.
  WideFloat wide_conditional(std::size_t i) const noexcept {
    return weights[i] == WideFloat() ? WideFloat() : weights[i] / total;
  }
  double conditional(std::size_t i) const noexcept {
    return static_cast<double>(wide_conditional(i));
  }
};

// Calls visit(const NodeEdges&) for every node up to the root; returns the root's inside weight.
// The root is the last one that matters: nothing above it is one of its tails.
template <class Visit>
WideFloat sweep_conditionals(const Forest& forest, const EdgeMap<double>& scores, double scale,
                             Visit visit) {
  require_entries(forest, scores.size(), "scores");
  require(scale > 0 && std::isfinite(scale), "scale ", scale, " of the scores; expected a positive",
          " number");
  if (forest.empty()) return {};
  NodeMap<WideFloat> chart(forest.num_nodes(), WideFloat());
  std::vector<WideFloat> weights;
  for (NodeId node : IdRange<NodeId>(index(forest.root()) + 1)) {
    const auto edges = forest.incoming(node);
    if (weights.size() < edges.size()) weights.resize(edges.size());
    WideFloat total;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      WideFloat weight = edge_weight(scores, edges[i], scale);
      for (NodeId tail : forest.tails(edges[i])) weight *= chart[tail];
      weights[i] = weight;
      total += weight;
    }
    chart[node] = total;
    visit(NodeEdges{node, edges, {weights.data(), edges.size()}, total});
  }
  return chart[forest.root()];
}

// E[r] with r_e = value(edge, conditional_e), which is asked only where the conditional is not 0.
template <class Value>
double expectation(const Forest& forest, const EdgeMap<double>& scores, Value value) {
  NodeMap<double> mean(forest.num_nodes(), 0.0);
  const auto total = sweep_conditionals(forest, scores, 1, [&](const NodeEdges& at) {
    double sum = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double conditional = at.conditional(i);
      if (conditional == 0) continue;
      double rho = value(at.edges[i], conditional);
      for (NodeId tail : forest.tails(at.edges[i])) rho += mean[tail];
      sum += conditional * rho;
    }
    mean[at.node] = sum;
  });
  require_derivation(total);
  return mean[forest.root()];
}

// Turns conditionals into gradients, in place. centred_e = conditional_e (rho_e - mean[head]).
void descend(const Forest& forest, const EdgeMap<double>& centred, EdgeMap<double>& gradient);

// E[r] and its derivatives by the scores, r as above and held fixed, of p_e = exp(scale score_e).
// The derivative is by (scale score_e).
template <class Value>
EdgeGradient expectation_gradient(const Forest& forest, const EdgeMap<double>& scores, double scale,
                                  Value value) {
  NodeMap<double> mean(forest.num_nodes(), 0.0);
  EdgeMap<double> centred(forest.num_edges(), 0.0);
  EdgeMap<double> gradient(forest.num_edges(), 0.0);
  const auto total = sweep_conditionals(forest, scores, scale, [&](const NodeEdges& at) {
    double sum = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const EdgeId edge = at.edges[i];
      const double conditional = gradient[edge] = at.conditional(i);
      if (conditional == 0) continue;
      double rho = value(edge, conditional);
      for (NodeId tail : forest.tails(edge)) rho += mean[tail];
      centred[edge] = rho;
      sum += conditional * rho;
    }
    mean[at.node] = sum;
    for (EdgeId edge : at.edges) centred[edge] = gradient[edge] * (centred[edge] - sum);
  });
  require_derivation(total);
  descend(forest, centred, gradient);
  return {mean[forest.root()], std::move(gradient)};
}

}  // namespace coppice::detail

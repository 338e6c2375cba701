#include "chain/lattice_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chain/forbidden.h"
#include "chain/forest_builder.h"
#include "coppice/chain/forest.h"
#include "coppice/forest/marginals.h"

namespace coppice::chain {

namespace {

constexpr double kLeastSum = 1e-200;  // of a token's forward weights before they are scaled

// weight[e] = exp(score - shift) for the edges of a token; returns the shift, their largest score.
double exponentiate(const LabelLattice& lattice, const LatticeScores& scores, std::size_t token,
                    std::vector<double>& weight) {
  const std::size_t begin = lattice.first_edge(token), end = lattice.first_edge(token + 1);
  double shift = kLogZero;
  for (std::size_t e = begin; e < end; ++e) {
    weight[e] = scores.of(lattice, token, e);
    shift = std::max(shift, weight[e]);
  }
  if (shift == kLogZero) return shift;
  for (std::size_t e = begin; e < end; ++e) weight[e] = std::exp(weight[e] - shift);
  return shift;
}

// Forward weights that sum to one at every token. Returns ln Z, -inf where a token has no edge that
// is allowed, NaN where a sum underflows.
double forward_pass(const LabelLattice& lattice, const LatticeScores& scores, LatticeWorkspace& w) {
  w.weight.resize(lattice.num_edges());
  w.forward.resize(lattice.num_nodes());
  w.scale.resize(lattice.length());
  w.forward[0] = 1;
  double log_z = 0;
  for (std::size_t t = 0; t < lattice.length(); ++t) {
    const double shift = exponentiate(lattice, scores, t, w.weight);
    if (shift == kLogZero) return kLogZero;
    double total = 0;
    for (std::size_t v = lattice.node_begin[t]; v < lattice.node_begin[t + 1]; ++v) {
      double sum = 0;
      for (std::size_t e = lattice.edge_begin[v]; e < lattice.edge_begin[v + 1]; ++e) {
        sum += w.weight[e] * w.forward[lattice.tail[e]];
      }
      w.forward[v] = sum;
      total += sum;
    }
    if (!(total > kLeastSum)) return std::numeric_limits<double>::quiet_NaN();
    w.scale[t] = 1 / total;
    for (std::size_t v = lattice.node_begin[t]; v < lattice.node_begin[t + 1]; ++v) {
      w.forward[v] *= w.scale[t];
    }
    log_z += shift + std::log(total);
  }
  return log_z;
}

void backward_pass(const LabelLattice& lattice, LatticeWorkspace& w) {
  w.backward.assign(lattice.num_nodes(), 0.0);
  const std::size_t length = lattice.length();
  std::fill(w.backward.begin() + lattice.node_begin[length - 1], w.backward.end(), 1.0);
  for (std::size_t t = length; t-- > 0;) {
    for (std::size_t v = lattice.node_begin[t]; v < lattice.node_begin[t + 1]; ++v) {
      const double after = w.backward[v] * w.scale[t];
      for (std::size_t e = lattice.edge_begin[v]; e < lattice.edge_begin[v + 1]; ++e) {
        const double weight = w.weight[e] * after;
        w.posterior[e] = w.forward[lattice.tail[e]] * weight;
        w.backward[lattice.tail[e]] += weight;
      }
    }
  }
}

double generic_marginals(const LabelLattice& lattice, const LatticeScores& scores,
                         LatticeWorkspace& w) {
  const ChainForest chain = chain_forest(lattice, scores);
  const double log_z = coppice::log_partition(chain.forest, chain.scores);
  if (log_z == kLogZero) return log_z;
  const EdgeMap<double> posteriors = edge_marginals(chain.forest, chain.scores);
  for (const EdgeId edge : chain.forest.edges()) {
    if (chain.labels[edge].label != kNoLabel) {
      w.posterior[chain.labels[edge].lattice_edge] = posteriors[edge];
    }
  }
  return log_z;
}

}  // namespace

double marginals(const LabelLattice& lattice, const LatticeScores& scores,
                 LatticeWorkspace& workspace) {
  workspace.posterior.assign(lattice.num_edges(), 0.0);
  if (lattice.length() == 0) return 0;
  const double log_z = forward_pass(lattice, scores, workspace);
  if (std::isnan(log_z)) return generic_marginals(lattice, scores, workspace);
  if (log_z != kLogZero) backward_pass(lattice, workspace);
  return log_z;
}

double log_partition(const LabelLattice& lattice, const LatticeScores& scores,
                     LatticeWorkspace& workspace) {
  const double log_z = forward_pass(lattice, scores, workspace);
  if (!std::isnan(log_z)) return log_z;
  const ChainForest chain = chain_forest(lattice, scores);
  return coppice::log_partition(chain.forest, chain.scores);
}

double best_path(const LabelLattice& lattice, const LatticeScores& scores,
                 LatticeWorkspace& workspace, std::vector<std::uint32_t>& edges) {
  std::vector<double>& best = workspace.forward;
  std::vector<std::uint32_t>& from = workspace.from;
  best.assign(lattice.num_nodes(), kLogZero);
  from.assign(lattice.num_nodes(), 0);
  best[0] = 0;
  for (std::size_t t = 0; t < lattice.length(); ++t) {
    for (std::size_t v = lattice.node_begin[t]; v < lattice.node_begin[t + 1]; ++v) {
      for (std::uint32_t e = lattice.edge_begin[v]; e < lattice.edge_begin[v + 1]; ++e) {
        const double score = best[lattice.tail[e]] + scores.of(lattice, t, e);
        if (score > best[v]) {
          best[v] = score;
          from[v] = e;
        }
      }
    }
  }
  edges.clear();
  if (lattice.length() == 0) return 0;
  const auto last = best.begin() + lattice.node_begin[lattice.length() - 1];
  const auto winner = std::max_element(last, best.end());
  if (winner == best.end() || *winner == kLogZero) return kLogZero;
  edges.resize(lattice.length());
  auto node = static_cast<std::uint32_t>(winner - best.begin());
  for (std::size_t t = lattice.length(); t-- > 0; node = lattice.tail[from[node]]) {
    edges[t] = from[node];
  }
  return *winner;
}

}  // namespace coppice::chain

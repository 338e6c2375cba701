// Inference on lattices: forward-backward and Viterbi for chains of any order, pruned or not.
//
// An edge's score is that of its token's label plus those of its other parts plus one of its own,
// for potentials that score label sequences by where they stand, or to forbid it. Forward and
// backward sums are kept in double, scaled at every token; where they underflow all the same, the
// sentence is done again by the algorithms for any forest (chain/forest.h).
//
// Cost: an exponential and a few operations an edge. Threads: a LatticeWorkspace belongs to one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "chain/label_lattice.h"

namespace coppice::chain {

struct LatticeScores {
  const float* labels;  // rows of `stride` floats, by token; -inf forbids
  std::size_t stride;
  std::span<const float> parts;    // by number, see LabelModel
  std::span<const float> edges{};  // by edge; empty: all 0

  double of(const LabelLattice& lattice, std::size_t token, std::size_t edge) const noexcept {
    double score = labels[token * stride + lattice.label[edge]];
    for (const std::uint32_t part : lattice.parts_of(edge)) {
      if (part != LabelLattice::kNoPart) score += parts[part];
    }
    return edges.empty() ? score : score + edges[edge];
  }
};

// ln Z, and the posterior of every edge in workspace.posterior; -inf, and posteriors of 0, when
// every path is forbidden.
double marginals(const LabelLattice& lattice, const LatticeScores& scores,
                 LatticeWorkspace& workspace);

// ln Z alone.
double log_partition(const LabelLattice& lattice, const LatticeScores& scores,
                     LatticeWorkspace& workspace);

// The best path, as its edges, and its score. Returns -inf, and no edges, when every path is
// forbidden; of equally good ones the first.
double best_path(const LabelLattice& lattice, const LatticeScores& scores,
                 LatticeWorkspace& workspace, std::vector<std::uint32_t>& edges);

}  // namespace coppice::chain

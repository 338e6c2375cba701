// Forward and backward messages of a lattice as logarithms, in double (as chain/messages.h for
// chains of order 0 and 1): for explanations.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chain/lattice_kernel.h"

namespace coppice::chain {

class LatticeMessages {
 public:
  // Views the lattice, which must outlive this.
  LatticeMessages(const LabelLattice& lattice, const LatticeScores& scores);

  const LabelLattice& lattice() const noexcept { return *lattice_; }
  double score(std::size_t edge) const noexcept { return score_[edge]; }
  std::size_t head(std::size_t edge) const noexcept { return head_[edge]; }
  // ln of the sum over paths from the start to the node, and from it to the end.
  double forward(std::size_t node) const noexcept { return forward_[node]; }
  double backward(std::size_t node) const noexcept { return backward_[node]; }
  double log_partition() const noexcept { return log_z_; }

  // ln p(y_t = label); -inf where no path has it.
  double log_posterior(std::size_t token, std::size_t label) const;

  // Forward messages of the tokens from `token` on, up to `last`, over paths with this label at
  // `token`, by node; nodes of other tokens have -inf.
  std::vector<double> forward_from(std::size_t token, std::size_t label, std::size_t last) const;

 private:
  void step(std::size_t token, std::vector<double>& forward) const;

  const LabelLattice* lattice_;
  std::vector<double> score_;
  std::vector<std::size_t> head_;
  std::vector<double> forward_, backward_;
  double log_z_ = 0;
};

}  // namespace coppice::chain

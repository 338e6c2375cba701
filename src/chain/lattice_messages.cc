#include "chain/lattice_messages.h"

#include <algorithm>

#include "chain/forbidden.h"
#include "chain/messages.h"

namespace coppice::chain {

LatticeMessages::LatticeMessages(const LabelLattice& lattice, const LatticeScores& scores)
    : lattice_(&lattice),
      score_(lattice.num_edges()),
      head_(lattice.num_edges()),
      forward_(lattice.num_nodes(), kLogZero),
      backward_(lattice.num_nodes(), kLogZero) {
  const std::size_t length = lattice.length();
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t v = lattice.node_begin[t]; v < lattice.node_begin[t + 1]; ++v) {
      for (std::size_t e = lattice.edge_begin[v]; e < lattice.edge_begin[v + 1]; ++e) {
        head_[e] = v;
        score_[e] = scores.of(lattice, t, e);
      }
    }
  }
  forward_[0] = 0;
  for (std::size_t t = 0; t < length; ++t) step(t, forward_);
  const std::size_t first_of_last = length == 0 ? 0 : lattice.node_begin[length - 1];
  std::fill(backward_.begin() + static_cast<std::ptrdiff_t>(first_of_last), backward_.end(), 0.0);
  for (std::size_t e = lattice.num_edges(); e-- > 0;) {
    double& before = backward_[lattice.tail[e]];
    const double terms[] = {before, score_[e] + backward_[head_[e]]};
    before = log_sum(terms);
  }
  log_z_ = backward_[0];
}

// The nodes of a token, from those of the one before.
void LatticeMessages::step(std::size_t token, std::vector<double>& forward) const {
  std::vector<double> terms;
  for (std::size_t v = lattice_->node_begin[token]; v < lattice_->node_begin[token + 1]; ++v) {
    terms.clear();
    for (std::size_t e = lattice_->edge_begin[v]; e < lattice_->edge_begin[v + 1]; ++e) {
      terms.push_back(forward[lattice_->tail[e]] + score_[e]);
    }
    forward[v] = log_sum(terms);
  }
}

double LatticeMessages::log_posterior(std::size_t token, std::size_t label) const {
  std::vector<double> terms;
  for (std::size_t e = lattice_->first_edge(token); e < lattice_->first_edge(token + 1); ++e) {
    if (lattice_->label[e] != label) continue;
    terms.push_back(forward_[lattice_->tail[e]] + score_[e] + backward_[head_[e]]);
  }
  const double sum = log_sum(terms);
  return sum == kLogZero ? kLogZero : sum - log_z_;
}

std::vector<double> LatticeMessages::forward_from(std::size_t token, std::size_t label,
                                                  std::size_t last) const {
  std::vector<double> forward(forward_.size(), kLogZero);
  for (std::size_t v = lattice_->node_begin[token]; v < lattice_->node_begin[token + 1]; ++v) {
    if (last_label(lattice_->history[v]) == label) forward[v] = forward_[v];
  }
  for (std::size_t t = token + 1; t <= last; ++t) step(t, forward);
  return forward;
}

}  // namespace coppice::chain

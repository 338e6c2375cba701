// Inference on chains whose pair scores differ from token to token, as those of boosted trees do.
//
//     p(y | x) = 1/Z  exp( sum over t of  F[t][y_{t-1}][y_t] )
//
// Scores of a sentence are blocks of `states` rows of `labels` floats, a block a token. A row is
// what the label depends on: in a chain of order 0 there is one row; in one of order 1 a row for
// each label before, and a last one, the start, which only the first token has. Rows that a token
// does not have are never read, and are 0 in what is written. A score of -inf forbids.
//
// Forward and backward vectors are probabilities in double, scaled at every token and shifted by
// its largest score. Scores of one token further apart than 700 count as forbidden.
//
// Cost of a token: labels^2 exponentials and 3 labels^2 multiply-adds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "chain/kernel.h"
#include "coppice/chain/forest.h"

namespace coppice::chain {

struct EdgeShape {
  std::size_t labels = 0;
  std::size_t states = 1;

  static EdgeShape of_order(unsigned order, std::size_t labels) noexcept {
    return {labels, order == 0 ? 1 : labels + 1};
  }
  std::size_t block() const noexcept { return labels * states; }
  bool has_pairs() const noexcept { return states > 1; }
  // The rows that a token has: [first_state, last_state).
  std::size_t first_state(std::size_t token) const noexcept {
    return has_pairs() && token == 0 ? labels : 0;
  }
  std::size_t last_state(std::size_t token) const noexcept {
    return has_pairs() && token > 0 ? labels : states;
  }
  // The row of a token whose label before is `previous`, which is not read at the first token.
  std::size_t state_after(std::size_t token, std::size_t previous) const noexcept {
    if (!has_pairs()) return 0;
    return token == 0 ? labels : previous;
  }
  std::size_t place(std::size_t token, std::size_t state, std::size_t label) const noexcept {
    return token * block() + state * labels + label;
  }
};

// Writes the scores of a chain whose labels and label pairs are scored apart: labels has rows of
// transitions.stride() floats, one a token.
void fill_edges(const EdgeShape& shape, const float* labels, const Transitions& transitions,
                std::span<float> edges);

// Writes the probability of every pair (row, label) at every token, in the layout of the scores;
// returns ln Z, -inf (and zeros) when every path is forbidden. In a chain of order 0 the pair is
// the label alone. p may be the scores themselves.
double edge_marginals(const EdgeShape& shape, std::span<const float> scores, std::span<float> p,
                      EdgeWorkspace& workspace);

// The best label sequence and its score; -inf, and label 0 throughout, when all are forbidden. Of
// equally good ones the first in order of labels.
double edge_best_labels(const EdgeShape& shape, std::span<const float> scores,
                        std::vector<std::uint16_t>& labels);

// p(label) at a token, from the probabilities of its pairs.
void edge_posterior(const EdgeShape& shape, std::span<const float> p, std::size_t token,
                    std::span<float> posterior);

// The score of a label sequence.
double edge_score(const EdgeShape& shape, std::span<const float> scores,
                  std::span<const std::uint16_t> labels);

// The sentence as a forest (chain/forest.h).
ChainForest edge_forest(const EdgeShape& shape, std::span<const float> scores);

}  // namespace coppice::chain

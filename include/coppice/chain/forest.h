// A chain's answers as a packed forest, for everything that the kernels do not answer: k-best
// sequences, samples, drawings, any objective, and the tests that hold the kernels to the generic
// algorithms.
//
// The forest is the lattice of the sentence's label sequences: a node for each of its nodes but
// the start, an edge for each of its edges that is not forbidden (-inf), with the sum of its parts
// as score. One more node, the root, collects the last token. An empty sentence gives a root with
// one edge without tails.
//
// Size: length * labels nodes and up to length * labels^2 edges at order 1, length and length *
// labels at order 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/forest/forest.h"

namespace coppice::chain {

inline constexpr std::uint16_t kNoLabel = 0xffff;

// What an edge stands for: a token's label, and the labels before it.
struct EdgeLabels {
  std::uint32_t token = 0;
  std::uint16_t label = kNoLabel;     // kNoLabel: an edge into the root, which has no part
  std::uint16_t previous = kNoLabel;  // kNoLabel at the first token, and at order 0
  std::uint32_t lattice_edge = 0;     // which knows the others
};

struct ChainForest {
  Forest forest;
  EdgeMap<double> scores;
  EdgeMap<EdgeLabels> labels;

  // The label sequence of a derivation, given as its edges in prefix order.
  std::vector<std::uint16_t> sequence(std::span<const EdgeId> edges) const;
};

}  // namespace coppice::chain

// A chain's answers as a packed forest, for everything that the dense kernels do not answer:
// k-best sequences, samples, drawings, and the tests that hold the kernels to the generic
// algorithms.
//
// There is a node for each label at each position, with an edge from each node before it; its score
// is the label's plus the pair's. One more node, the root, collects the last position. What is
// forbidden (-inf) has no edge. An empty sentence gives a root with one edge without tails.
//
// Size: length * labels nodes, up to length * labels^2 edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/chain/kernel.h"
#include "coppice/forest/forest.h"

namespace coppice::chain {

inline constexpr std::uint16_t kNoLabel = 0xffff;

// The parts that an edge is made of: the label of a token, and its pair with the label before.
struct EdgeParts {
  std::uint32_t token = 0;
  std::uint16_t label = kNoLabel;     // kNoLabel: an edge into the root, which has no part
  std::uint16_t previous = kNoLabel;  // kNoLabel at the first token
};

struct ChainForest {
  Forest forest;
  EdgeMap<double> scores;
  EdgeMap<EdgeParts> parts;

  // The label sequence of a derivation, given as its edges in prefix order.
  std::vector<std::uint16_t> sequence(std::span<const EdgeId> edges) const;
};

ChainForest chain_forest(const float* scores, std::size_t length, const Transitions& transitions);

}  // namespace coppice::chain

// Forests that are long or large, for tests of depth and for benchmarks.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "coppice/forest/forest.h"

namespace coppice::testing {

// Every node but the first has one edge, from the node before; the first has `leaves` edges.
inline Forest chain_forest(std::uint32_t nodes, std::uint32_t leaves) {
  ForestBuilder builder;
  NodeId last = builder.add_node();
  for (std::uint32_t i = 0; i < leaves; ++i) builder.add_edge(last, {});
  for (std::uint32_t i = 1; i < nodes; ++i) {
    const NodeId node = builder.add_node();
    builder.add_edge(node, {last});
    last = node;
  }
  return std::move(builder).build();
}

// All binary bracketings of `words` words: a node for each span, an edge for each split of it,
// and one for each word. About words^3 / 6 edges; every derivation has 2 words - 1.
inline Forest bracketing_forest(std::uint32_t words) {
  ForestBuilder builder;
  std::vector<std::vector<NodeId>> span(words + 1, std::vector<NodeId>(words + 1));
  for (std::uint32_t length = 1; length <= words; ++length) {
    for (std::uint32_t begin = 0; begin + length <= words; ++begin) {
      const std::uint32_t end = begin + length;
      const NodeId node = span[begin][end] = builder.add_node();
      if (length == 1) builder.add_edge(node, {});
      for (std::uint32_t middle = begin + 1; middle < end; ++middle) {
        builder.add_edge(node, {span[begin][middle], span[middle][end]});
      }
    }
  }
  return std::move(builder).build();
}

}  // namespace coppice::testing

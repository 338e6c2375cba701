// Forests of the shapes that break algorithms.
#pragma once

#include <cstdint>
#include <utility>

#include "coppice/forest/forest.h"

namespace coppice::testing {

// a <- leaf (2 ways), root <- a a: four derivations, and the node stands twice in one tail.
inline Forest node_used_twice() {
  ForestBuilder builder;
  const NodeId a = builder.add_node();
  builder.add_edge(a, {});
  builder.add_edge(a, {});
  const NodeId root = builder.add_node();
  builder.add_edge(root, {a, a});
  return std::move(builder).build();
}

// One node, one edge without tails: one derivation.
inline Forest one_leaf() {
  ForestBuilder builder;
  builder.add_edge(builder.add_node(), {});
  return std::move(builder).build();
}

// The root's only edge needs a node without edges: no derivation.
inline Forest no_derivation() {
  ForestBuilder builder;
  const NodeId barren = builder.add_node();
  const NodeId leaf = builder.add_node();
  builder.add_edge(leaf, {});
  const NodeId root = builder.add_node();
  builder.add_edge(root, {leaf, barren});
  return std::move(builder).build();
}

// A lattice of `nodes` nodes in a row, `width` edges from each to the next.
inline Forest long_chain(std::uint32_t nodes, std::uint32_t width) {
  ForestBuilder builder;
  builder.reserve(nodes, std::size_t{nodes} * width, std::size_t{nodes} * width);
  NodeId last = builder.add_node();
  builder.add_edge(last, {});
  for (std::uint32_t i = 1; i < nodes; ++i) {
    const NodeId next = builder.add_node();
    for (std::uint32_t edge = 0; edge < width; ++edge) builder.add_edge(next, {last});
    last = next;
  }
  return std::move(builder).build();
}

}  // namespace coppice::testing

// Strongly connected components of a hypergraph: the sets of nodes that lie on cycles together.
//
// A node leads to the tails of the edges into it. Components come out in topological order: an
// edge's tails lie in the component of its head or in an earlier one. A node on no cycle is a
// component of its own.
//
// Cost: O(nodes + edges + tails), no recursion. Tarjan (1972).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/forest/hypergraph.h"

namespace coppice {

class Components {
 public:
  // Only edges with a flag in `present` count. Requires one flag per edge.
  Components(const Hypergraph& graph, const EdgeMap<unsigned char>& present);

  std::size_t size() const noexcept { return begin_.size() - 1; }
  // The nodes of component i, ascending.
  std::span<const NodeId> operator[](std::size_t i) const noexcept {
    return {nodes_.data() + begin_[i], begin_[i + 1] - begin_[i]};
  }
  std::size_t component_of(NodeId node) const noexcept { return component_of_[node]; }
  // The position of `node` within its component.
  std::size_t position(NodeId node) const noexcept { return position_[node]; }

 private:
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> begin_{0};
  NodeMap<std::uint32_t> component_of_;
  NodeMap<std::uint32_t> position_;
};

// Of the edges `present`, those that can take part in a finite derivation: all their tails derive
// something by such edges. O(nodes + edges + tails).
EdgeMap<unsigned char> productive_edges(const Hypergraph& graph,
                                        const EdgeMap<unsigned char>& present);

}  // namespace coppice

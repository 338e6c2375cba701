// A directed hypergraph as it comes: nodes and edges in any order, cycles allowed.
//
// It is what files and users bring. sort_topologically turns an acyclic one into a Forest, on
// which everything else works; closure.h gives the total weight of a cyclic one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "coppice/forest/forest.h"

namespace coppice {

class Hypergraph {
 public:
  // Each throws InvalidArgument when there is no 32-bit id left, or an id given is not a node.
  NodeId add_node();
  EdgeId add_edge(NodeId head, std::span<const NodeId> tails);
  EdgeId add_edge(NodeId head, std::initializer_list<NodeId> tails) {
    return add_edge(head, std::span(tails.begin(), tails.size()));
  }
  void set_root(NodeId root);

  std::size_t num_nodes() const noexcept { return num_nodes_; }
  std::size_t num_edges() const noexcept { return heads_.size(); }
  IdRange<NodeId> nodes() const noexcept { return IdRange<NodeId>(num_nodes()); }
  IdRange<EdgeId> edges() const noexcept { return IdRange<EdgeId>(num_edges()); }

  NodeId head(EdgeId edge) const noexcept { return heads_[index(edge)]; }
  std::span<const NodeId> tails(EdgeId edge) const noexcept {
    const std::size_t begin = tails_begin_[index(edge)];
    return {tails_.data() + begin, tails_begin_[index(edge) + 1] - begin};
  }
  // The node set last by set_root; at first the node added last. Requires a node.
  NodeId root() const noexcept { return root_; }

 private:
  std::size_t num_nodes_ = 0;
  bool root_is_set_ = false;
  NodeId root_{};
  std::vector<NodeId> heads_;
  std::vector<std::uint32_t> tails_begin_{0};
  std::vector<NodeId> tails_;
};

// The edges into each node, in the order in which they were added. O(nodes + edges).
class IncomingEdges {
 public:
  explicit IncomingEdges(const Hypergraph& graph);
  std::span<const EdgeId> operator[](NodeId node) const noexcept {
    const std::size_t begin = begin_[index(node)];
    return {edges_.data() + begin, begin_[index(node) + 1] - begin};
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<EdgeId> edges_;
};

struct SortedForest {
  Forest forest;
  NodeMap<NodeId> node_of;  // the graph's node -> the forest's
  EdgeMap<EdgeId> edge_of;  // the graph's edge -> the forest's
};

// Renumbers nodes so that tails come before heads, and groups edges by head; what is in order
// already keeps its ids. Throws InvalidArgument naming the nodes of a cycle where there is one.
// O(nodes + edges + tails), no recursion.
SortedForest sort_topologically(const Hypergraph& graph);

}  // namespace coppice

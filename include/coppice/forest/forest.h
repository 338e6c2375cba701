// A packed forest: an acyclic hypergraph whose derivations are trees.
//
// A Forest is topology only. Scores, labels and features live in arrays beside it, indexed by
// the same ids, so that one forest serves many models and many semirings.
//
// Invariants, established by ForestBuilder and relied on everywhere:
//   (1) node ids are a topological order: every tail of an edge is smaller than its head;
//   (2) edge ids are grouped by head, heads ascending, so that the edges into a node are a range
//       of ids and one sweep over the edges is a bottom-up sweep over the nodes;
//   (3) a leaf is a node with an incoming edge of no tails; a node without incoming edges derives
//       nothing;
//   (4) there is one root, the node whose derivations the forest stands for; an empty forest has
//       none.
// A Forest never changes after it is built, so any number of threads may read it.
//
// Memory: 4 bytes a node, 4 an edge, 4 a tail.
// Edges in another order, or cyclic: see hypergraph.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "coppice/base/id.h"

namespace coppice {

enum class NodeId : std::uint32_t {};
enum class EdgeId : std::uint32_t {};

template <class T>
using NodeMap = IdMap<NodeId, T>;
template <class T>
using EdgeMap = IdMap<EdgeId, T>;

class Forest {
 public:
  Forest() = default;  // empty: no nodes, no root

  std::size_t num_nodes() const noexcept { return edges_begin_.size() - 1; }
  std::size_t num_edges() const noexcept { return tails_begin_.size() - 1; }
  std::size_t num_tails() const noexcept { return tails_.size(); }
  bool empty() const noexcept { return num_nodes() == 0; }

  // Bottom-up, by invariant (1).
  IdRange<NodeId> nodes() const noexcept { return IdRange<NodeId>(num_nodes()); }
  IdRange<EdgeId> edges() const noexcept { return IdRange<EdgeId>(num_edges()); }

  // Requires a forest that is not empty.
  NodeId root() const noexcept { return root_; }

  // The edges whose head is `node`, in the order in which they were added.
  IdRange<EdgeId> incoming(NodeId node) const noexcept {
    return {edges_begin_[index(node)], edges_begin_[index(node) + 1]};
  }
  // The tails of `edge`, left to right; a node may occur more than once.
  std::span<const NodeId> tails(EdgeId edge) const noexcept {
    const std::size_t begin = tails_begin_[index(edge)];
    return {tails_.data() + begin, tails_begin_[index(edge) + 1] - begin};
  }
  // The node that `edge` goes into. O(log nodes): sweeps know the head already.
  NodeId head(EdgeId edge) const noexcept;

  bool operator==(const Forest &) const = default;

 private:
  friend class ForestBuilder;

  // Compressed rows: row i is [begin[i], begin[i + 1]).
  std::vector<std::uint32_t> edges_begin_{0};
  std::vector<std::uint32_t> tails_begin_{0};
  std::vector<NodeId> tails_;
  NodeId root_{};
};

// Builds a forest bottom-up: a node, then its edges, then the next node.
class ForestBuilder {
 public:
  // Throws InvalidArgument when there is no 32-bit id left; so do the functions below.
  NodeId add_node();

  // Adds an edge into `head`. Requires that every tail precedes head, and that no edge has been
  // added into a node after head; throws InvalidArgument otherwise and changes nothing.
  EdgeId add_edge(NodeId head, std::span<const NodeId> tails);
  EdgeId add_edge(NodeId head, std::initializer_list<NodeId> tails) {
    return add_edge(head, std::span(tails.begin(), tails.size()));
  }

  std::size_t num_nodes() const noexcept { return num_nodes_; }
  std::size_t num_edges() const noexcept { return forest_.num_edges(); }

  void reserve(std::size_t nodes, std::size_t edges, std::size_t tails);

  // Consumes the builder; the root is `root`, or the node added last. Throws InvalidArgument when
  // `root` is not a node. O(nodes).
  Forest build() &&;
  Forest build(NodeId root) &&;

 private:
  void close_nodes(std::size_t count);

  std::size_t num_nodes_ = 0;
  Forest forest_;
};

}  // namespace coppice

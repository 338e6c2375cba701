#include "coppice/forest/forest.h"

#include <algorithm>
#include <utility>

#include "coppice/base/error.h"

namespace coppice {

namespace {

void require_room(std::size_t count, const char* what) {
  require(count < kMaxIds, "forest: more than ", kMaxIds, ' ', what);
}

}  // namespace

NodeId Forest::head(EdgeId edge) const noexcept {
  const auto after = std::upper_bound(edges_begin_.begin(), edges_begin_.end(), index(edge));
  return static_cast<NodeId>(after - edges_begin_.begin() - 1);
}

NodeId ForestBuilder::add_node() {
  require_room(num_nodes_, "nodes");
  return static_cast<NodeId>(num_nodes_++);
}

// Fixes the first edge of every node before number `count`.
void ForestBuilder::close_nodes(std::size_t count) {
  forest_.edges_begin_.resize(count + 1, static_cast<std::uint32_t>(forest_.num_edges()));
}

EdgeId ForestBuilder::add_edge(NodeId head, std::span<const NodeId> tails) {
  const std::size_t node = index(head);
  require(node < num_nodes_, "add_edge: head ", node, " of ", num_nodes_, " nodes");
  require(node + 1 >= forest_.edges_begin_.size(), "add_edge: head ", node,
          " after an edge into a later node");
  for (NodeId tail : tails) {
    require(tail < head, "add_edge: tail ", index(tail), " must precede its head ", node);
  }
  require_room(forest_.num_edges(), "edges");
  require_room(forest_.num_tails() + tails.size(), "tails");

  const auto edge = static_cast<EdgeId>(forest_.num_edges());
  close_nodes(node);
  forest_.tails_.insert(forest_.tails_.end(), tails.begin(), tails.end());
  forest_.tails_begin_.push_back(static_cast<std::uint32_t>(forest_.tails_.size()));
  return edge;
}

void ForestBuilder::reserve(std::size_t nodes, std::size_t edges, std::size_t tails) {
  forest_.edges_begin_.reserve(nodes + 1);
  forest_.tails_begin_.reserve(edges + 1);
  forest_.tails_.reserve(tails);
}

Forest ForestBuilder::build() && {
  if (num_nodes_ == 0) return {};
  return std::move(*this).build(static_cast<NodeId>(num_nodes_ - 1));
}

Forest ForestBuilder::build(NodeId root) && {
  require(index(root) < num_nodes_, "forest: root ", index(root), " of ", num_nodes_, " nodes");
  close_nodes(num_nodes_);
  forest_.root_ = root;
  num_nodes_ = 0;
  return std::exchange(forest_, {});
}

}  // namespace coppice

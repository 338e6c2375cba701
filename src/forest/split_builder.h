// What every split of a forest does: of the versions of an old node's edges, each with the state
// that it makes, one new node for each state; and at last the goal. The limits of SplitOptions
// hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/forest/split.h"

namespace coppice::detail {

// A node of the new forest, and what all its derivations have in common.
template <class State>
struct Split {
  State state;
  NodeId node;
};

// Edges to be, once the nodes of their states exist.
template <class State>
struct ProposedEdges {
  struct Edge {
    State state;
    EdgeId old;
    std::size_t first_tail;
    std::size_t num_tails;
  };
  std::vector<Edge> edges;
  std::vector<NodeId> tails;
};

template <class State>
class SplitBuilder {
 public:
  using Splits = std::vector<Split<State>>;

  // `caller` is named in errors; it and the options must outlive the builder.
  SplitBuilder(std::string_view caller, const SplitOptions& options)
      : caller_(caller), options_(options) {}

  void propose(ProposedEdges<State>& proposed, const State& state, EdgeId old,
               std::span<const NodeId> tails) const {
    require(builder_.num_edges() + proposed.edges.size() < options_.max_edges, caller_,
            ": more than ", options_.max_edges,
            " edges; prune the forest first, or raise max_edges");
    proposed.edges.push_back({state, old, proposed.tails.size(), tails.size()});
    proposed.tails.insert(proposed.tails.end(), tails.begin(), tails.end());
  }

  // Makes a node for each state, in ascending order, with its edges in the order in which they
  // were proposed; calls placed(i) for proposal i when its edge is made. Empties `proposed`.
  template <class Placed>
  Splits add(ProposedEdges<State>& proposed, Placed placed) {
    const auto state = [&](std::size_t i) -> const State& { return proposed.edges[i].state; };
    std::vector<std::size_t> order(proposed.edges.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return state(a) < state(b); });
    Splits made;
    for (std::size_t i : order) {
      if (made.empty() || made.back().state != state(i)) made.push_back({state(i), add_node()});
      const auto& edge = proposed.edges[i];
      builder_.add_edge(made.back().node,
                        std::span(proposed.tails).subspan(edge.first_tail, edge.num_tails));
      edge_of_.push_back(edge.old);
      placed(i);
    }
    proposed.edges.clear();
    proposed.tails.clear();
    return made;
  }

  // The same for all edges of an old node, which counts for the number of splits.
  template <class Placed>
  Splits add_old_node(ProposedEdges<State>& proposed, Placed placed) {
    Splits made = add(proposed, placed);
    ++old_nodes_;
    total_splits_ += made.size();
    largest_splits_ = std::max(largest_splits_, made.size());
    return made;
  }

  // With the goal above the splits of the old root; the empty forest if there are none.
  RefinedForest build(const Splits& root) && {
    if (root.empty()) return {};
    const NodeId goal = add_node();
    for (const Split<State>& split : root) {
      builder_.add_edge(goal, {split.node});
      edge_of_.push_back(kNoEdge);
    }
    return {std::move(builder_).build(), std::move(edge_of_),
            static_cast<double>(total_splits_) / static_cast<double>(old_nodes_), largest_splits_};
  }

 private:
  NodeId add_node() {
    require(builder_.num_nodes() < options_.max_nodes, caller_, ": more than ", options_.max_nodes,
            " nodes; prune the forest first, or raise max_nodes");
    return builder_.add_node();
  }

  std::string_view caller_;
  const SplitOptions& options_;
  ForestBuilder builder_;
  EdgeMap<EdgeId> edge_of_;
  std::size_t old_nodes_ = 0;
  std::size_t total_splits_ = 0;
  std::size_t largest_splits_ = 0;
};

}  // namespace coppice::detail

#include "coppice/forest/split.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "coppice/forest/prune.h"

namespace coppice {

namespace {

// A node of the new forest, and what its derivations count.
struct Split {
  Counts counts;
  NodeId node;
};

// An edge to be, once the node of its counts exists.
struct Proposal {
  Counts counts;
  EdgeId old;
  NodeId tails[2];
  std::size_t num_tails;
};

class Splitter {
 public:
  Splitter(const Forest& forest, const EdgeMap<Counts>& counts, const SplitOptions& options)
      : forest_(forest),
        counts_(counts),
        options_(options),
        useful_(useful_edges(forest)),
        splits_(forest.num_nodes(), {}) {}

  SplitForest split() {
    for (NodeId node : forest_.nodes()) split_node(node);
    if (nodes_in_use_ == 0) return {};
    add_goal();
    result_.average_splits =
        static_cast<double>(total_splits_) / static_cast<double>(nodes_in_use_);
    result_.forest = std::move(builder_).build();
    return std::move(result_);
  }

 private:
  void split_node(NodeId node) {
    proposals_.clear();
    for (EdgeId edge : forest_.incoming(node)) {
      if (useful_[edge]) split_edge(edge);
    }
    if (proposals_.empty()) return;
    splits_[node] = add_proposed();
    ++nodes_in_use_;
    total_splits_ += splits_[node].size();
    result_.largest_splits = std::max(result_.largest_splits, splits_[node].size());
  }

  // Proposes the versions of one edge; gathers all its tails but the last in helper nodes first.
  void split_edge(EdgeId edge) {
    const auto tails = forest_.tails(edge);
    if (tails.empty()) return propose({counts_[edge], edge, {}, 0});
    if (tails.size() == 1) return propose_unary(edge, splits_[tails[0]]);
    std::vector<Split> gathered = splits_[tails[0]];
    if (tails.size() > 2) {
      std::vector<Proposal> waiting = std::exchange(proposals_, {});
      for (std::size_t i = 1; i + 1 < tails.size(); ++i) {
        propose_binary({}, kNoEdge, gathered, splits_[tails[i]]);
        gathered = add_proposed();
      }
      proposals_ = std::move(waiting);
    }
    propose_binary(counts_[edge], edge, gathered, splits_[tails.back()]);
  }

  void propose_unary(EdgeId edge, const std::vector<Split>& tail) {
    for (const Split& only : tail) {
      propose({counts_[edge] + only.counts, edge, {only.node, NodeId{}}, 1});
    }
  }

  void propose_binary(Counts counts, EdgeId old, const std::vector<Split>& left,
                      const std::vector<Split>& right) {
    for (const Split& first : left) {
      const Counts so_far = counts + first.counts;
      for (const Split& second : right) {
        propose({so_far + second.counts, old, {first.node, second.node}, 2});
      }
    }
  }

  void propose(const Proposal& proposal) {
    require(builder_.num_edges() + proposals_.size() < options_.max_edges,
            "split_by_counts: more than ", options_.max_edges,
            " edges; prune the forest first, or raise max_edges");
    proposals_.push_back(proposal);
  }

  // Makes a node for each pair of counts proposed, in ascending order, with its edges.
  std::vector<Split> add_proposed() {
    std::sort(proposals_.begin(), proposals_.end(), [](const Proposal& a, const Proposal& b) {
      return std::tie(a.counts, a.old, a.tails[0], a.tails[1]) <
             std::tie(b.counts, b.old, b.tails[0], b.tails[1]);
    });
    std::vector<Split> made;
    for (const Proposal& proposal : proposals_) {
      if (made.empty() || made.back().counts != proposal.counts) {
        made.push_back({proposal.counts, add_node()});
      }
      builder_.add_edge(made.back().node, std::span(proposal.tails, proposal.num_tails));
      result_.edge_of.push_back(proposal.old);
    }
    proposals_.clear();
    return made;
  }

  NodeId add_node() {
    require(builder_.num_nodes() < options_.max_nodes, "split_by_counts: more than ",
            options_.max_nodes, " nodes; prune the forest first, or raise max_nodes");
    return builder_.add_node();
  }

  void add_goal() {
    const NodeId goal = add_node();
    for (const Split& split : splits_[forest_.root()]) {
      builder_.add_edge(goal, {split.node});
      result_.edge_of.push_back(kNoEdge);
      result_.goal_counts.push_back(split.counts);
    }
  }

  const Forest& forest_;
  const EdgeMap<Counts>& counts_;
  const SplitOptions& options_;
  EdgeMap<unsigned char> useful_;
  NodeMap<std::vector<Split>> splits_;
  std::vector<Proposal> proposals_;
  ForestBuilder builder_;
  SplitForest result_;
  std::size_t nodes_in_use_ = 0;
  std::size_t total_splits_ = 0;
};

}  // namespace

Counts operator+(Counts a, Counts b) {
  Counts sum;
  const bool overflow =
      __builtin_add_overflow(a.n, b.n, &sum.n) || __builtin_add_overflow(a.d, b.d, &sum.d);
  require(!overflow, "counts: a sum of more than 32 bits");
  return sum;
}

SplitForest split_by_counts(const Forest& forest, const EdgeMap<Counts>& counts,
                            const SplitOptions& options) {
  require(counts.size() == forest.num_edges(), "split_by_counts: ", counts.size(),
          " counts for a forest of ", forest.num_edges(), " edges");
  return Splitter(forest, counts, options).split();
}

std::vector<EdgeId> unsplit(const SplitForest& split, std::span<const EdgeId> edges) {
  std::vector<EdgeId> old;
  for (EdgeId edge : edges) {
    if (split.edge_of[edge] != kNoEdge) old.push_back(split.edge_of[edge]);
  }
  return old;
}

}  // namespace coppice

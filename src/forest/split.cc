#include "coppice/forest/split.h"

#include <utility>

#include "coppice/forest/prune.h"
#include "forest/split_builder.h"

namespace coppice {

namespace {

class Splitter {
 public:
  Splitter(const Forest& forest, const EdgeMap<Counts>& counts, const SplitOptions& options)
      : forest_(forest),
        counts_(counts),
        useful_(useful_edges(forest)),
        splits_(forest.num_nodes(), {}),
        builder_("split_by_counts", options) {}

  SplitForest split() {
    for (NodeId node : forest_.nodes()) split_node(node);
    if (forest_.empty()) return {};
    std::vector<Counts> goal_counts;
    for (const auto& split : splits_[forest_.root()]) goal_counts.push_back(split.state);
    return {std::move(builder_).build(splits_[forest_.root()]), std::move(goal_counts)};
  }

 private:
  using Splits = detail::SplitBuilder<Counts>::Splits;
  using Proposed = detail::ProposedEdges<Counts>;

  void split_node(NodeId node) {
    for (EdgeId edge : forest_.incoming(node)) {
      if (useful_[edge]) split_edge(edge);
    }
    if (proposed_.edges.empty()) return;
    splits_[node] = builder_.add_old_node(proposed_, [](std::size_t) {});
  }

  // Proposes the versions of one edge; gathers all its tails but the last in helper nodes first.
  void split_edge(EdgeId edge) {
    const auto tails = forest_.tails(edge);
    if (tails.empty()) return builder_.propose(proposed_, counts_[edge], edge, {});
    if (tails.size() == 1) return propose_unary(edge, splits_[tails[0]]);
    Splits gathered = splits_[tails[0]];
    for (std::size_t i = 1; i + 1 < tails.size(); ++i) {
      propose_binary(helpers_, {}, kNoEdge, gathered, splits_[tails[i]]);
      gathered = builder_.add(helpers_, [](std::size_t) {});
    }
    propose_binary(proposed_, counts_[edge], edge, gathered, splits_[tails.back()]);
  }

  void propose_unary(EdgeId edge, const Splits& tail) {
    for (const auto& only : tail) {
      builder_.propose(proposed_, counts_[edge] + only.state, edge, std::span(&only.node, 1));
    }
  }

  void propose_binary(Proposed& proposed, Counts counts, EdgeId old, const Splits& left,
                      const Splits& right) {
    for (const auto& first : left) {
      const Counts so_far = counts + first.state;
      for (const auto& second : right) {
        const NodeId tails[] = {first.node, second.node};
        builder_.propose(proposed, so_far + second.state, old, tails);
      }
    }
  }

  const Forest& forest_;
  const EdgeMap<Counts>& counts_;
  EdgeMap<unsigned char> useful_;
  NodeMap<Splits> splits_;
  detail::SplitBuilder<Counts> builder_;
  Proposed proposed_;  // of the node at hand
  Proposed helpers_;   // of the helper node at hand
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

std::vector<EdgeId> unsplit(const RefinedForest& split, std::span<const EdgeId> edges) {
  std::vector<EdgeId> old;
  for (EdgeId edge : edges) {
    if (split.edge_of[edge] != kNoEdge) old.push_back(split.edge_of[edge]);
  }
  return old;
}

}  // namespace coppice

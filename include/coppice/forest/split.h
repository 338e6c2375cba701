// Splitting by counts: a forest whose nodes know two counts that add over edges.
//
// Measures such as F1 = 2n / (d + gold) do not add over edges, but n (right items) and d (items)
// do. Every edge e brings counts (n+, d+); node v becomes one node (v, n, d) for each pair that
// really occurs among its derivations; and a new root, the goal, has an edge from each
// (root, n, d). On that edge any function of (n, d) may be scored, and then inside, outside and
// the rest give exact answers about it (Auli and Lopez 2011; Huang 2008).
//
// Derivations stay one to one: leave out the edges that are no old edge (edge_of == kNoEdge) and
// a derivation of the split forest is one of the old forest, in prefix order too. Such edges are
// the goal's and, where an edge has more than two tails, the helper edges that gather its tails
// one by one: tails with s splits each then cost about s^2 edges a tail instead of s^tails.
//
// Only what some derivation of the root uses is split. A forest without derivations becomes the
// empty forest.
//
// Cost: for each edge the product of two tails' splits; so bound the forest where counts may be
// many, with SplitOptions or by pruning first.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/forest/best.h"
#include "coppice/forest/forest.h"

namespace coppice {

struct Counts {
  std::uint32_t n = 0;
  std::uint32_t d = 0;

  auto operator<=>(const Counts&) const = default;
};

// Throws InvalidArgument where a sum needs more than 32 bits.
Counts operator+(Counts a, Counts b);

struct SplitOptions {
  std::size_t max_nodes = std::numeric_limits<std::uint32_t>::max();
  std::size_t max_edges = std::numeric_limits<std::uint32_t>::max();
};

// A forest whose nodes are the versions of an old forest's nodes, and a goal above them.
struct RefinedForest {
  Forest forest;                   // its root is the goal
  EdgeMap<EdgeId> edge_of;         // new edge -> old edge, or kNoEdge
  double average_splits = 0;       // over the old nodes that are in use
  std::size_t largest_splits = 0;  // of one old node
};

struct SplitForest : RefinedForest {
  std::vector<Counts> goal_counts;  // of each edge into the goal, in order; ascending
};

// Throws InvalidArgument unless there are counts for each edge, and when the result would pass
// the limits of the options.
SplitForest split_by_counts(const Forest& forest, const EdgeMap<Counts>& counts,
                            const SplitOptions& options = {});

// Weights of the old edges, on the new ones; `one` where there is no old edge.
template <class Value>
EdgeMap<Value> split_weights(const RefinedForest& split, const EdgeMap<Value>& weights,
                             const Value& one) {
  EdgeMap<Value> result(split.forest.num_edges(), one);
  for (EdgeId edge : split.forest.edges()) {
    const EdgeId old = split.edge_of[edge];
    if (old == kNoEdge) continue;
    require(index(old) < weights.size(), "split: ", weights.size(),
            " weights for a forest with an edge ", index(old));
    result[edge] = weights[old];
  }
  return result;
}

// The derivation of the old forest that one of the split forest stands for.
std::vector<EdgeId> unsplit(const RefinedForest& split, std::span<const EdgeId> edges);

}  // namespace coppice

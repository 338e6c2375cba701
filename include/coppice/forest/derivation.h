// A derivation: one tree of a forest, as the list of its edges in prefix order.
//
// Prefix order means an edge, then the derivation of its first tail, then that of its second, and
// so on; since every edge knows its tails, the list alone determines the tree. The subtree at
// position i is a run of positions [i, end(i)), so trees are walked by arithmetic:
//
//     children of i:   i + 1,  end(i + 1),  end(end(i + 1)),  ...   one for each tail
//
// A node that several edges of the derivation use occurs once for each use, so a derivation can be
// longer than the forest. Nothing here recurses.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/forest/forest.h"
#include "coppice/forest/inside.h"
#include "coppice/semiring/semiring.h"

namespace coppice {

struct Derivation {
  std::vector<EdgeId> edges;  // prefix order
  double score = 0;           // in the semiring that it was found in; a sum of edges' scores mostly

  bool operator==(const Derivation&) const = default;
};

// Do the edges, in prefix order, form a derivation of `node` (or of the root)? O(edges).
bool is_derivation(const Forest& forest, std::span<const EdgeId> edges, NodeId node);
bool is_derivation(const Forest& forest, std::span<const EdgeId> edges);

// The product of the edges' weights in prefix order; the sum of scores in MaxPlusSemiring.
template <Semiring S, EdgeWeights<S> W>
typename S::Value weight_of(std::span<const EdgeId> edges, const W& weights) {
  auto product = S::one();
  for (EdgeId edge : edges) product = S::times(product, weights[edge]);
  return product;
}

// The parent of the top.
inline constexpr std::size_t kNoPosition = static_cast<std::size_t>(-1);

// The tree over the positions 0 .. size() - 1 of a derivation's edges; position 0 is the top.
class DerivationTree {
 public:
  // Throws InvalidArgument unless is_derivation(forest, edges). O(edges), two words an edge.
  DerivationTree(const Forest& forest, std::span<const EdgeId> edges);

  std::size_t size() const noexcept { return end_.size(); }
  // The position after the subtree at `position`.
  std::size_t end(std::size_t position) const noexcept { return end_[position]; }
  // kNoPosition at the top.
  std::size_t parent(std::size_t position) const noexcept { return parent_[position]; }

  // Calls visit(child) for the children of `position`, left to right.
  template <class Visit>
  void for_each_child(std::size_t position, Visit visit) const {
    for (std::size_t child = position + 1; child < end_[position]; child = end_[child]) {
      visit(child);
    }
  }

 private:
  std::vector<std::size_t> end_;
  std::vector<std::size_t> parent_;
};

}  // namespace coppice

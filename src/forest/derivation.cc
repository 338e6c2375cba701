#include "coppice/forest/derivation.h"

namespace coppice {

bool is_derivation(const Forest& forest, std::span<const EdgeId> edges, NodeId node) {
  std::vector<NodeId> expected{node};
  for (EdgeId edge : edges) {
    if (expected.empty() || index(edge) >= forest.num_edges()) return false;
    const IdRange<EdgeId> incoming = forest.incoming(expected.back());
    if (incoming.empty() || edge < incoming[0] || edge > incoming[incoming.size() - 1]) {
      return false;
    }
    expected.pop_back();
    const auto tails = forest.tails(edge);
    expected.insert(expected.end(), tails.rbegin(), tails.rend());
  }
  return expected.empty();
}

bool is_derivation(const Forest& forest, std::span<const EdgeId> edges) {
  return !forest.empty() && is_derivation(forest, edges, forest.root());
}

DerivationTree::DerivationTree(const Forest& forest, std::span<const EdgeId> edges)
    : end_(edges.size()), parent_(edges.size(), kNoPosition) {
  require(is_derivation(forest, edges), "derivation: ", edges.size(),
          " edges that are no derivation of the root");
  for (std::size_t position = edges.size(); position-- > 0;) {  // children come after parents
    std::size_t after = position + 1;
    for (std::size_t tail = 0; tail < forest.tails(edges[position]).size(); ++tail) {
      parent_[after] = position;
      after = end_[after];
    }
    end_[position] = after;
  }
}

}  // namespace coppice

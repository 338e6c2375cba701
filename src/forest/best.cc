#include "coppice/forest/best.h"

#include "coppice/base/assert.h"

namespace coppice {

std::vector<EdgeId> follow(const Forest& forest, const NodeMap<EdgeId>& edge, NodeId node) {
  std::vector<EdgeId> edges;
  std::vector<NodeId> expected{node};
  while (!expected.empty()) {
    const EdgeId chosen = edge[expected.back()];
    COPPICE_ASSERT(chosen != kNoEdge);
    expected.pop_back();
    edges.push_back(chosen);
    const auto tails = forest.tails(chosen);
    expected.insert(expected.end(), tails.rbegin(), tails.rend());
  }
  return edges;
}

}  // namespace coppice

#include "coppice/chain/forest.h"

#include <limits>
#include <utility>

namespace coppice::chain {

namespace {

constexpr double kForbidden = -std::numeric_limits<double>::infinity();

}  // namespace

ChainForest chain_forest(const float* scores, std::size_t length, const Transitions& transitions) {
  const std::size_t labels = transitions.labels(), stride = transitions.stride();
  ForestBuilder builder;
  ChainForest chain;
  const auto add_edge = [&](NodeId head, std::span<const NodeId> tails, EdgeParts parts,
                            double score) {
    if (score == kForbidden) return;
    builder.add_edge(head, tails);
    chain.scores.push_back(score);
    chain.parts.push_back(parts);
  };
  const auto node_at = [&](std::size_t t, std::size_t y) {
    return static_cast<NodeId>(t * labels + y);
  };
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t y = 0; y < labels; ++y) {
      const NodeId node = builder.add_node();
      const double score = scores[t * stride + y];
      EdgeParts parts{static_cast<std::uint32_t>(t), static_cast<std::uint16_t>(y)};
      if (t == 0) add_edge(node, {}, parts, score);
      for (std::size_t u = 0; t > 0 && u < labels; ++u) {
        const NodeId previous = node_at(t - 1, u);
        parts.previous = static_cast<std::uint16_t>(u);
        add_edge(node, std::span(&previous, 1), parts, score + transitions.score(u, y));
      }
    }
  }
  const NodeId root = builder.add_node();
  if (length == 0) add_edge(root, {}, {}, 0);
  for (std::size_t y = 0; length > 0 && y < labels; ++y) {
    const NodeId last = node_at(length - 1, y);
    add_edge(root, std::span(&last, 1), {}, 0);
  }
  chain.forest = std::move(builder).build(root);
  return chain;
}

std::vector<std::uint16_t> ChainForest::sequence(std::span<const EdgeId> edges) const {
  std::vector<std::uint16_t> reversed;
  for (const EdgeId edge : edges) {
    if (parts[edge].label != kNoLabel) reversed.push_back(parts[edge].label);
  }
  return {reversed.rbegin(), reversed.rend()};
}

}  // namespace coppice::chain

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
  const auto add_node = [&](std::uint16_t label) {
    chain.labels.push_back(label);
    return builder.add_node();
  };
  const auto add_edge = [&](NodeId head, std::span<const NodeId> tails, double score) {
    if (score == kForbidden) return;
    builder.add_edge(head, tails);
    chain.scores.push_back(score);
  };
  const auto node_at = [&](std::size_t t, std::size_t y) {
    return static_cast<NodeId>(t * labels + y);
  };
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t y = 0; y < labels; ++y) {
      const NodeId node = add_node(static_cast<std::uint16_t>(y));
      const double score = scores[t * stride + y];
      if (t == 0) add_edge(node, {}, score);
      for (std::size_t u = 0; t > 0 && u < labels; ++u) {
        const NodeId previous = node_at(t - 1, u);
        add_edge(node, std::span(&previous, 1), score + transitions.score(u, y));
      }
    }
  }
  const NodeId root = add_node(kNoLabel);
  if (length == 0) add_edge(root, {}, 0);
  for (std::size_t y = 0; length > 0 && y < labels; ++y) {
    const NodeId last = node_at(length - 1, y);
    add_edge(root, std::span(&last, 1), 0);
  }
  chain.forest = std::move(builder).build(root);
  return chain;
}

std::vector<std::uint16_t> ChainForest::sequence(std::span<const EdgeId> edges) const {
  std::vector<std::uint16_t> reversed;
  for (const EdgeId edge : edges) {
    const std::uint16_t label = labels[forest.head(edge)];
    if (label != kNoLabel) reversed.push_back(label);
  }
  return {reversed.rbegin(), reversed.rend()};
}

}  // namespace coppice::chain

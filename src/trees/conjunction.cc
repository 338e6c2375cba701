#include "trees/conjunction.h"

#include <algorithm>

namespace coppice::trees {

namespace {

using Literal = std::vector<std::uint32_t>;

Literal literal_of(const Schema& schema, const Ensemble& tree, const Node& node, bool right) {
  Literal literal{node.feature, right ? 1u : 0u};
  if (schema.kind(node.feature) == FeatureKind::kBinary) return literal;
  literal.push_back(node.default_right);
  if (node.has_set == 0) {
    literal.push_back(node.split);
    return literal;
  }
  for (std::size_t i = 0; i < set_words(schema.bins(node.feature).size()); ++i) {
    const std::uint64_t word = tree.sets[node.split + i];
    literal.push_back(static_cast<std::uint32_t>(word));
    literal.push_back(static_cast<std::uint32_t>(word >> 32));
  }
  return literal;
}

}  // namespace

std::vector<Conjunction> conjunctions(const Schema& schema, const Ensemble& tree) {
  std::vector<std::vector<Literal>> paths(tree.nodes.size());
  std::vector<Conjunction> words(tree.nodes.size());
  for (std::size_t at = 0; at < tree.nodes.size(); ++at) {  // parents come first
    const Node& node = tree.nodes[at];
    if (!node.is_leaf()) {
      for (const bool right : {false, true}) {
        auto& path = paths[right ? node.right() : node.left];
        path = paths[at];
        path.push_back(literal_of(schema, tree, node, right));
      }
      paths[at] = {};
      continue;
    }
    std::sort(paths[at].begin(), paths[at].end());
    for (const Literal& literal : paths[at]) {
      words[at].push_back(static_cast<std::uint32_t>(literal.size()));
      words[at].insert(words[at].end(), literal.begin(), literal.end());
    }
    paths[at] = {};
  }
  return words;
}

}  // namespace coppice::trees

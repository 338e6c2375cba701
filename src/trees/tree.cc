#include "coppice/trees/tree.h"

#include <cmath>
#include <limits>

#include "coppice/base/error.h"

namespace coppice::trees {

namespace {

// The way of a bin that the example is in.
bool bin_goes_right(const Schema& schema, const EnsembleView& trees, std::uint32_t feature,
                    std::uint32_t split, std::uint32_t bin) {
  switch (schema.kind(feature)) {
    case FeatureKind::kBinary:
      return true;
    case FeatureKind::kOrdered:
      return bin > split;
    case FeatureKind::kCategorical:
      return set_has(trees.sets.subspan(split), bin - schema.bins(feature).begin);
  }
  return false;
}

void check_question(const Schema& schema, const EnsembleView& trees, std::uint32_t feature,
                    std::uint32_t split, bool has_set, std::size_t states) {
  const bool is_state = feature == kStateFeature;
  require(is_state || feature < schema.num_features(), "trees: no feature ", feature);
  const bool needs_set = is_state || schema.kind(feature) == FeatureKind::kCategorical;
  require(needs_set == has_set, "trees: feature ", feature, " with the wrong kind of question");
  if (!has_set) return;
  const std::size_t words = set_words(is_state ? states : schema.bins(feature).size());
  require(split + words <= trees.sets.size(), "trees: a set past the end of all sets");
}

void check_node(const Schema& schema, const EnsembleView& trees, std::span<const Node> tree,
                std::size_t at, std::size_t states) {
  const Node& node = tree[at];
  if (node.is_leaf()) {
    require(std::isfinite(node.value), "trees: a leaf's value is not finite");
    return;
  }
  require(node.left > at && node.left + std::size_t{1} < tree.size(),
          "trees: the children of node ", at, " do not stand after it");
  check_question(schema, trees, node.feature, node.split, node.has_set != 0, states);
  const std::size_t end = std::size_t{node.surrogate_begin} + node.num_surrogates;
  require(end <= trees.surrogates.size(), "trees: a surrogate past the end of all");
  for (std::size_t i = node.surrogate_begin; i < end; ++i) {
    const Surrogate& surrogate = trees.surrogates[i];
    require(surrogate.feature != kStateFeature, "trees: a state as surrogate");
    check_question(schema, trees, surrogate.feature, surrogate.split, surrogate.has_set != 0,
                   states);
  }
}

}  // namespace

void Ensemble::append(const EnsembleView& other) {
  constexpr std::size_t limit = std::numeric_limits<std::uint32_t>::max();
  require(nodes.size() + other.nodes.size() < limit && sets.size() + other.sets.size() < limit,
          "trees: more than 2^32 - 1 nodes or words of sets");
  const auto node_shift = static_cast<std::uint32_t>(nodes.size());
  const auto set_shift = static_cast<std::uint32_t>(sets.size());
  const auto surrogate_shift = static_cast<std::uint32_t>(surrogates.size());
  for (std::size_t i = 0; i < other.num_trees(); ++i)
    begin.push_back(other.begin[i + 1] + node_shift);
  output.insert(output.end(), other.output.begin(), other.output.end());
  for (Node node : other.nodes) {
    node.surrogate_begin += surrogate_shift;
    if (node.has_set != 0) node.split += set_shift;
    nodes.push_back(node);
  }
  for (Surrogate surrogate : other.surrogates) {
    if (surrogate.has_set != 0) surrogate.split += set_shift;
    surrogates.push_back(surrogate);
  }
  sets.insert(sets.end(), other.sets.begin(), other.sets.end());
}

bool goes_right(const Schema& schema, const EnsembleView& trees, const Node& node,
                std::span<const std::uint32_t> row, std::size_t state) {
  if (node.feature == kStateFeature) return set_has(trees.sets.subspan(node.split), state);
  const std::uint32_t bin = find_bin(row, schema.bins(node.feature));
  if (bin != kNoBin) return bin_goes_right(schema, trees, node.feature, node.split, bin);
  if (schema.kind(node.feature) == FeatureKind::kBinary) return false;
  for (const Surrogate& surrogate :
       trees.surrogates.subspan(node.surrogate_begin, node.num_surrogates)) {
    const std::uint32_t other = find_bin(row, schema.bins(surrogate.feature));
    const bool is_binary = schema.kind(surrogate.feature) == FeatureKind::kBinary;
    if (other == kNoBin && !is_binary) continue;
    return goes_right(schema, trees, surrogate, other);
  }
  return node.default_right != 0;
}

bool goes_right(const Schema& schema, const EnsembleView& trees, const Surrogate& surrogate,
                std::uint32_t bin) {
  const bool right =
      bin != kNoBin && bin_goes_right(schema, trees, surrogate.feature, surrogate.split, bin);
  return right != (surrogate.reversed != 0);
}

std::uint32_t leaf_of(const Schema& schema, const EnsembleView& trees, std::size_t tree,
                      std::span<const std::uint32_t> row, std::size_t state) {
  const std::span<const Node> nodes = trees.tree(tree);
  std::uint32_t at = 0;
  while (!nodes[at].is_leaf()) {
    at = goes_right(schema, trees, nodes[at], row, state) ? nodes[at].right() : nodes[at].left;
  }
  return at;
}

StateClasses state_classes(const EnsembleView& trees, std::size_t tree, std::size_t states) {
  StateClasses classes;
  classes.of_state.assign(states, 0);
  classes.first.assign(1, 0);
  for (const Node& node : trees.tree(tree)) {
    if (node.feature != kStateFeature) continue;
    const auto set = trees.sets.subspan(node.split);
    // A class whose first state is on the other side than this one is split.
    constexpr std::uint16_t none = 0xffff;
    std::vector<std::uint16_t> split_off(classes.size(), none);
    for (std::size_t state = 0; state < states; ++state) {
      std::uint16_t& own = classes.of_state[state];
      if (set_has(set, state) == set_has(set, classes.first[own])) continue;
      std::uint16_t& other = split_off[own];
      if (other == none) {
        other = static_cast<std::uint16_t>(classes.size());
        classes.first.push_back(static_cast<std::uint16_t>(state));
      }
      own = other;
    }
  }
  return classes;
}

void check(const Schema& schema, const EnsembleView& trees, std::size_t states,
           std::size_t outputs) {
  require(!trees.begin.empty() && trees.begin.front() == 0 &&
              trees.begin.back() == trees.nodes.size() && trees.output.size() == trees.num_trees(),
          "trees: arrays of different lengths");
  for (std::size_t i = 0; i < trees.num_trees(); ++i) {
    require(trees.begin[i] < trees.begin[i + 1], "trees: tree ", i, " has no node");
    require(trees.output[i] < outputs, "trees: tree ", i, " adds to output ", trees.output[i]);
  }
  std::vector<unsigned char> is_child;
  for (std::size_t i = 0; i < trees.num_trees(); ++i) {
    const std::span<const Node> tree = trees.tree(i);
    is_child.assign(tree.size(), 0);
    for (std::size_t at = 0; at < tree.size(); ++at) {
      check_node(schema, trees, tree, at, states);
      if (tree[at].is_leaf()) continue;
      require(is_child[tree[at].left]++ == 0 && is_child[tree[at].right()]++ == 0,
              "trees: a node of tree ", i, " has two parents");
    }
  }
}

}  // namespace coppice::trees

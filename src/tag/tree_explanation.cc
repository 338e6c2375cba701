#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "coppice/score/frozen_trees.h"
#include "tag/left_side.h"
#include "tag/token_attributes.h"

namespace coppice::tag {

namespace {

// What the trees of one label add at a token, averaged over the states before it.
struct TreeAmounts {
  double base = 0;
  double state = 0;                          // by questions about the label before
  std::map<std::uint32_t, double> features;  // by questions about these
};

struct TreeInput {
  const trees::Schema& schema;
  const trees::EnsembleView& trees;
  std::span<const std::uint32_t> row;
};

// Adds `factor` times the amounts on the path of one tree.
void add_path(const TreeInput& input, std::size_t tree, std::size_t state, double factor,
              TreeAmounts& amounts) {
  const std::span<const trees::Node> nodes = input.trees.tree(tree);
  std::uint32_t at = 0;
  amounts.base += factor * static_cast<double>(nodes[0].value);
  while (!nodes[at].is_leaf()) {
    const trees::Node& node = nodes[at];
    at = goes_right(input.schema, input.trees, node, input.row, state) ? node.right() : node.left;
    const double change =
        factor * (static_cast<double>(nodes[at].value) - static_cast<double>(node.value));
    if (node.feature == trees::kStateFeature) {
      amounts.state += change;
    } else {
      amounts.features[node.feature] += change;
    }
  }
}

// `q` has the probability of each state; a factor of 0 is not walked.
TreeAmounts amounts_of(const TreeInput& input, std::size_t label, std::span<const double> q,
                       double factor) {
  TreeAmounts amounts;
  for (std::size_t tree = 0; tree < input.trees.num_trees(); ++tree) {
    if (input.trees.output[tree] != label) continue;
    for (std::size_t state = 0; state < q.size(); ++state) {
      if (q[state] > 0) add_path(input, tree, state, factor * q[state], amounts);
    }
  }
  return amounts;
}

// What the token answers to questions about a feature.
std::string answer_name(const TreeInput& input, std::uint32_t feature,
                        const trees::FeatureNames& names) {
  const std::uint32_t bin = trees::find_bin(input.row, input.schema.bins(feature));
  const std::string name = feature_name(input.schema, feature, names);
  switch (input.schema.kind(feature)) {
    case trees::FeatureKind::kBinary:
      return bin == trees::kNoBin ? "not " + name : name;
    case trees::FeatureKind::kOrdered:
      return bin == trees::kNoBin ? "no " + name : name;
    case trees::FeatureKind::kCategorical:
      break;
  }
  if (bin == trees::kNoBin) return "no " + name;
  return names.bins[bin].empty() ? name : names.bins[bin];
}

void add_amount(Explanation& result, const std::string& name, double amount, double temperature) {
  if (amount == 0) return;
  auto found =
      std::find_if(result.features.begin(), result.features.end(),
                   [&](const FeatureContribution& feature) { return feature.name == name; });
  if (found == result.features.end()) {
    result.features.push_back({.name = name});
    found = result.features.end() - 1;
  }
  found->trees += amount;
  found->amount += amount / temperature;
}

}  // namespace

void Explainer::add_tree_features(Explanation& result, const LeftSide& side) {
  const double temperature = tagger_.config().temperature;
  std::vector<std::uint64_t> keys;
  std::vector<float> values;
  std::vector<std::uint32_t> row;
  token_attributes(attributes_.states, *sentence_, result.token, keys, values);
  const FrozenTrees& trees = *tagger_.trees();
  trees.inputs().encode(keys, values, row);
  const TreeInput input{trees.inputs().schema(), trees.trees(), row};
  const TreeAmounts amounts = amounts_of(input, side.label, side.q, side.sign);
  result.base += amounts.base / temperature;
  for (const auto& [feature, amount] : amounts.features) {
    add_amount(result, answer_name(input, feature, tree_names_), amount, temperature);
  }
  if (side.has_label) {
    result.left.transition += amounts.state / temperature;
  } else {  // questions about the start of the sentence
    add_amount(result, "label before=start", amounts.state, temperature);
  }
}

}  // namespace coppice::tag

#include "coppice/trees/draw.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "coppice/base/error.h"

namespace coppice::trees {

namespace {

constexpr std::size_t kMaxMembers = 4;  // of a set, that a question names

std::string bin_name(std::uint32_t bin, const FeatureNames& names) {
  if (bin < names.bins.size() && !names.bins[bin].empty()) return names.bins[bin];
  return concat("input ", bin);
}

using StateFactor = FeatureNames::StateFactor;

std::size_t value_of(std::size_t state, const StateFactor& factor) {
  return factor.of_state.empty() ? state : factor.of_state[state];
}

// The length of "form[0]=", the beginning up to a "=" that all names share; 0 for none.
std::size_t shared_beginning(const std::vector<std::string>& all) {
  const std::size_t end = all.front().find('=');
  if (end == std::string::npos) return 0;
  const std::string_view beginning = std::string_view(all.front()).substr(0, end + 1);
  const bool is_shared = std::all_of(all.begin(), all.end(), [&](const std::string& name) {
    return std::string_view(name).substr(0, end + 1) == beginning;
  });
  return is_shared ? end + 1 : 0;
}

std::vector<std::string> category_names(const Schema& schema, std::uint32_t feature,
                                        const FeatureNames& names) {
  std::vector<std::string> all;
  const BinRange bins = schema.bins(feature);
  for (std::uint32_t bin = bins.begin; bin < bins.end; ++bin) all.push_back(bin_name(bin, names));
  return all;
}

// "feature=a" for one member, "feature in {a, b, 3 others}" for several.
std::string membership(const std::string& feature, const std::vector<std::string>& members) {
  if (members.size() == 1) return feature + '=' + members[0];
  std::string text = feature + " in {";
  for (std::size_t i = 0; i < std::min(kMaxMembers, members.size()); ++i) {
    text += (i > 0 ? ", " : "") + members[i];
  }
  const std::size_t others = members.size() - std::min(kMaxMembers, members.size());
  if (others > 0) text += concat(", ", others, others == 1 ? " other" : " others");
  return text + '}';
}

// The values of a factor whose states the set has; none where it has some states of a value only.
std::optional<std::vector<std::size_t>> values_in(std::span<const std::uint64_t> set,
                                                  const StateFactor& factor) {
  enum : unsigned char { kUnseen, kOut, kIn };
  std::vector<unsigned char> side(factor.values.size(), kUnseen);
  const std::size_t states =
      factor.of_state.empty() ? factor.values.size() : factor.of_state.size();
  for (std::size_t state = 0; state < states; ++state) {
    const unsigned char here = set_has(set, state) ? kIn : kOut;
    unsigned char& known = side[value_of(state, factor)];
    if (known != kUnseen && known != here) return std::nullopt;
    known = here;
  }
  std::vector<std::size_t> values;
  for (std::size_t value = 0; value < side.size(); ++value) {
    if (side[value] == kIn) values.push_back(value);
  }
  return values;
}

std::string state_question(const EnsembleView& trees, const Node& node, const FeatureNames& names) {
  for (const StateFactor& factor : names.factors) {
    const auto values = values_in(trees.sets.subspan(node.split), factor);
    if (!values) continue;
    std::vector<std::string> members;
    for (const std::size_t value : *values) members.push_back(factor.values[value]);
    return membership(factor.name, members);
  }
  return names.state_feature;
}

std::string category_question(const Schema& schema, const EnsembleView& trees, const Node& node,
                              const FeatureNames& names) {
  const auto all = category_names(schema, node.feature, names);
  const std::size_t cut = shared_beginning(all);
  std::vector<std::string> members;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (set_has(trees.sets.subspan(node.split), i)) members.push_back(all[i].substr(cut));
  }
  return membership(feature_name(schema, node.feature, names), members);
}

std::string threshold_question(const Schema& schema, const Node& node, const FeatureNames& names) {
  const auto cuts = schema.cuts(node.feature);
  const std::size_t cut = node.split - schema.bins(node.feature).begin;
  const std::string name = feature_name(schema, node.feature, names);
  if (cut >= cuts.size()) return "no " + name;  // all values that there are stand on one side
  return concat(name, " > ", cuts[cut]);
}

}  // namespace

std::string feature_name(const Schema& schema, std::uint32_t feature, const FeatureNames& names) {
  if (feature == kStateFeature) return names.state_feature;
  if (schema.kind(feature) != FeatureKind::kCategorical) {
    return bin_name(schema.bins(feature).begin, names);
  }
  const auto all = category_names(schema, feature, names);
  const std::size_t cut = shared_beginning(all);
  return cut > 0 ? all.front().substr(0, cut - 1) : concat("feature ", feature);
}

std::string question(const Schema& schema, const EnsembleView& trees, const Node& node,
                     const FeatureNames& names) {
  if (node.feature == kStateFeature) return state_question(trees, node, names);
  const FeatureKind kind = schema.kind(node.feature);
  if (kind == FeatureKind::kBinary) return feature_name(schema, node.feature, names);
  const std::string text = kind == FeatureKind::kCategorical
                               ? category_question(schema, trees, node, names)
                               : threshold_question(schema, node, names);
  return node.default_right != 0 && !text.starts_with("no ") ? text + " or absent" : text;
}

std::string signed_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.4g", value);
  return text;
}

std::string draw_text(const Schema& schema, const EnsembleView& trees, std::size_t tree,
                      const FeatureNames& names) {
  struct Line {
    std::uint32_t node;
    std::string indent;  // of the lines below it
    std::string lead;    // of its own
  };
  const std::span<const Node> nodes = trees.tree(tree);
  std::string out;
  std::vector<Line> open{{0, "", ""}};
  while (!open.empty()) {
    const Line line = std::move(open.back());
    open.pop_back();
    const Node& node = nodes[line.node];
    out += line.lead;
    if (node.is_leaf()) {
      out += signed_number(static_cast<double>(node.value)) + '\n';
      continue;
    }
    out += question(schema, trees, node, names) + "?\n";
    open.push_back({node.right(), line.indent + "   ", line.indent + "`- yes: "});
    open.push_back({node.left, line.indent + "|  ", line.indent + "|- no: "});
  }
  return out;
}

std::vector<FeatureUse> feature_uses(const Schema& schema, const EnsembleView& trees,
                                     const FeatureNames& names,
                                     std::optional<std::uint32_t> output) {
  std::map<std::uint32_t, FeatureUse> found;
  for (std::size_t tree = 0; tree < trees.num_trees(); ++tree) {
    if (output && trees.output[tree] != *output) continue;
    const std::span<const Node> nodes = trees.tree(tree);
    std::set<std::uint32_t> here;
    for (const Node& node : nodes) {
      if (node.is_leaf()) continue;
      ++found[node.feature].questions;
      here.insert(node.feature);
    }
    for (const std::uint32_t feature : here) ++found[feature].trees;
    if (!nodes[0].is_leaf()) ++found[nodes[0].feature].roots;
  }
  std::vector<FeatureUse> uses;
  for (auto& [feature, use] : found) {
    use.feature = feature;
    use.name = feature_name(schema, feature, names);
    uses.push_back(std::move(use));
  }
  std::stable_sort(uses.begin(), uses.end(), [](const FeatureUse& a, const FeatureUse& b) {
    return a.questions != b.questions ? a.questions > b.questions : a.roots > b.roots;
  });
  return uses;
}

}  // namespace coppice::trees

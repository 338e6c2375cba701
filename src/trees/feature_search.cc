#include "trees/feature_search.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace coppice::trees {

namespace {

// A weight that is fitted has a derivative of lambda, but for what the fit leaves over.
constexpr double kSlack = 1e-3;

struct Answer {
  Node question;
  bool right = false;
};

// A tree that is a single path: its value is 1 where all answers are these.
Ensemble path_tree(std::span<const Answer> answers) {
  Ensemble path;
  path.output.push_back(0);
  path.nodes.emplace_back();
  std::uint32_t at = 0;
  for (const Answer& answer : answers) {
    const auto left = static_cast<std::uint32_t>(path.nodes.size());
    path.nodes[at] = answer.question;
    path.nodes[at].left = left;
    path.nodes.resize(path.nodes.size() + 2);
    at = left + (answer.right ? 1 : 0);
  }
  path.nodes[at].value = 1;
  path.begin.push_back(static_cast<std::uint32_t>(path.nodes.size()));
  return path;
}

// The answers that lead to each node of a tree, which all follow `first`.
std::vector<std::vector<Answer>> answers_to(const Ensemble& tree, const Answer& first) {
  std::vector<std::vector<Answer>> answers(tree.nodes.size());
  answers[0] = {first};
  for (std::size_t at = 0; at < tree.nodes.size(); ++at) {  // parents come first
    const Node& node = tree.nodes[at];
    if (node.is_leaf()) continue;
    for (const bool right : {false, true}) {
      auto& below = answers[right ? node.right() : node.left];
      below = answers[at];
      below.push_back({node, right});
    }
  }
  return answers;
}

Conjunction name_of(const Schema& schema, const Ensemble& path) {
  std::vector<Conjunction> names = conjunctions(schema, path);
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (path.nodes[at].value != 0) return std::move(names[at]);
  }
  return {};
}

}  // namespace

HeldFeature constant_feature(std::size_t examples) {
  HeldFeature constant;
  constant.path = path_tree({});
  constant.rows.resize(examples);
  std::iota(constant.rows.begin(), constant.rows.end(), 0u);
  return constant;
}

FeatureSearch::FeatureSearch(const Schema& schema, const BinMatrix& matrix,
                             std::shared_ptr<const RowIndex> index)
    : schema_(schema), matrix_(matrix), index_(std::move(index)) {}

std::vector<std::uint32_t> FeatureSearch::smaller_side(
    const TreeGrower::FirstQuestion& question) const {
  const bool is_binary = schema_.kind(question.node.feature) == FeatureKind::kBinary;
  if (is_binary && question.right_is_smaller) {
    const auto rows = index_->rows(schema_.bins(question.node.feature).begin);
    return {rows.begin(), rows.end()};
  }
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < matrix_.size(); ++row) {
    if (goes_right(schema_, {}, question.node, matrix_.row(row)) == question.right_is_smaller) {
      rows.push_back(static_cast<std::uint32_t>(row));
    }
  }
  return rows;
}

std::vector<FeatureSearch::Found> FeatureSearch::search(TreeGrower& grower, const Targets& targets,
                                                        const Criterion& criterion,
                                                        const GrowOptions& options,
                                                        const CompoundFeatures& held,
                                                        const Threads& threads) const {
  std::vector<Found> found;
  if (options.max_leaves == 1) return found;
  GrowOptions below = options;
  below.first_depth = 1;
  if (options.max_leaves > 0) --below.max_leaves;
  std::set<Conjunction> names;
  const double least = criterion.penalty * (1 - kSlack);
  for (const auto& first : grower.first_questions(targets, least, threads)) {
    const GrownTree grown = grower.grow(smaller_side(first), targets, criterion, below, threads);
    const auto answers = answers_to(grown.tree, {first.node, first.right_is_smaller});
    for (const GrownLeaf& leaf : grown.leaves) {
      const Criterion own = criterion.at(answers[leaf.node].size());
      const double gain = own(leaf.gradient, leaf.curvature);
      if (gain <= 0) continue;
      Ensemble path = path_tree(answers[leaf.node]);
      Conjunction name = name_of(schema_, path);
      if (held.has(name) || !names.insert(name).second) continue;
      const auto begin = grown.rows.begin();
      found.push_back({{std::move(name),
                        std::move(path),
                        {begin + static_cast<std::ptrdiff_t>(leaf.begin),
                         begin + static_cast<std::ptrdiff_t>(leaf.end)},
                        own.penalty / criterion.penalty},
                       gain});
    }
  }
  return found;
}

}  // namespace coppice::trees

#include "coppice/learn/forest_engine.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/forest/count_distribution.h"
#include "coppice/forest/marginals.h"
#include "coppice/forest/split.h"

namespace coppice::learn {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

// No derivation at all, or none that the annotation allows: ordinary outcomes of this interface.
bool is_about_no_derivation(const Error& error) {
  return error.code() == "E301" || error.code() == "E302";
}

SplitStatistics statistics_of(const Forest& forest, const SplitForest& split) {
  SplitStatistics statistics{.nodes = forest.num_nodes(), .largest_splits = split.largest_splits};
  statistics.splits =
      static_cast<std::uint64_t>(split.average_splits * static_cast<double>(statistics.nodes));
  return statistics;
}

// The losses of `counts`, where the ascending `table` has them; of others, whose probability is 0,
// any.
std::vector<double> matched(std::span<const Counts> counts, const CountDistribution& table,
                            std::span<const double> losses) {
  std::vector<double> found(counts.size(), losses[0]);
  for (std::size_t i = 0, k = 0; i < counts.size(); ++i) {
    while (k < table.size() && table[k].counts < counts[i]) ++k;
    if (k < table.size() && table[k].counts == counts[i]) found[i] = losses[k];
  }
  return found;
}

}  // namespace

const PartLoss& ForestEngine::loss() const {
  require(loss_ != nullptr, "a loss was asked for, and none was given");
  return *loss_;
}

void ForestEngine::require_complete() const {
  const auto& gold = target_.gold;
  if (gold.size() != forest_.forest.num_edges()) refuse_partial("an example", "all of its answer");
  // Right edges into each node whose tails are derived by such edges: 0, 1 or more.
  const Forest& forest = forest_.forest;
  NodeMap<unsigned> ways(forest.num_nodes(), 0);
  const auto is_right = [&](EdgeId edge) {
    const auto tails = forest.tails(edge);
    return gold[edge] != 0 &&
           std::all_of(tails.begin(), tails.end(), [&](NodeId tail) { return ways[tail] > 0; });
  };
  for (const NodeId node : forest.nodes()) {
    for (const EdgeId edge : forest.incoming(node)) ways[node] += is_right(edge) ? 1 : 0;
  }
  NodeMap<unsigned char> used(forest.num_nodes(), 0);
  if (!forest.empty()) used[forest.root()] = 1;
  for (std::size_t i = forest.num_nodes(); i-- > 0;) {  // top-down
    const auto node = static_cast<NodeId>(i);
    if (used[node] == 0) continue;
    if (ways[node] > 1) refuse_partial("an example", "all of its answer");
    for (const EdgeId edge : forest.incoming(node)) {
      if (!is_right(edge)) continue;
      for (const NodeId tail : forest.tails(edge)) used[tail] = 1;
    }
  }
}

double ForestEngine::ask(const std::function<EdgeGradient(const EdgeMap<double>& scores)>& question,
                         double factor) {
  try {
    EdgeGradient found = question(edge_scores(forest_, scores_));
    for (double& derivative : found.gradient.values()) derivative *= factor;
    part_derivatives(forest_.parts, found.gradient, scores_);
    return found.value;
  } catch (const InvalidArgument& error) {
    if (is_about_no_derivation(error)) return kNone;
    throw;
  }
}

double ForestEngine::likelihood() {
  if (!is_annotated()) {  // any answer is right
    std::fill(scores_.begin(), scores_.end(), 0.0f);
    return 0;
  }
  return ask([&](const EdgeMap<double>& scores) {
    return evaluate(Objective{}, forest_.forest, scores, {target_.gold, {}, {}});
  });
}

double ForestEngine::pseudo_likelihood() {
  return ask([&](const EdgeMap<double>& scores) {
    return evaluate({.kind = ObjectiveKind::kPseudoLikelihood}, forest_.forest, scores, {});
  });
}

double ForestEngine::with_loss(const Objective& objective) {
  require_complete();
  return ask([&](const EdgeMap<double>& scores) {
    if (!loss().is_measure()) {
      return evaluate(objective, forest_.forest, scores,
                      {target_.gold, loss().of_edges(target_), {}});
    }
    const SplitForest split = split_by_counts(forest_.forest, target_.counts);
    statistics_ = statistics_of(forest_.forest, split);
    const auto& gold = objective.needs_gold() ? target_.gold : EdgeMap<unsigned char>{};
    return evaluate(objective, split, scores, gold,
                    [&](Counts counts) { return loss().of_counts(counts, target_.num_gold); });
  });
}

// The losses have their factor tau already, and so has the temperature.
double ForestEngine::margin() { return with_loss({.kind = ObjectiveKind::kSoftmaxMargin}); }

double ForestEngine::risk(const AnnealedRiskOptions& annealing) {
  return with_loss({.kind = ObjectiveKind::kAnnealedRisk, .annealing = annealing});
}

double ForestEngine::entropy(double weight) {
  return weight *
         ask(
             [&](const EdgeMap<double>& scores) {
               return evaluate({.kind = ObjectiveKind::kEntropy}, forest_.forest, scores, {});
             },
             weight);
}

double ForestEngine::teacher() {
  require(target_.teacher.size() > 0, "the example has no soft targets of a teacher");
  return ask([&](const EdgeMap<double>& scores) {
    return evaluate({.kind = ObjectiveKind::kTeacher}, forest_.forest, scores,
                    {{}, {}, target_.teacher});
  });
}

double ForestEngine::parts() {
  const double value = ask([&](const EdgeMap<double>& scores) {
    return evaluate({.kind = ObjectiveKind::kParts}, forest_.forest, scores,
                    {target_.gold, {}, {}});
  });
  // An edge without parts is no decision: its -ln sigma(0) is left out.
  std::size_t undecided = 0;
  for (const EdgeId edge : forest_.forest.edges()) undecided += forest_.parts[edge].empty() ? 1 : 0;
  return value - static_cast<double>(undecided) * std::numbers::ln2;
}

ExampleCounts ForestEngine::counts() {
  require_complete();
  ExampleCounts found{.gold = target_.num_gold};
  const EdgeMap<double> scores = edge_scores(forest_, scores_);
  if (log_partition(forest_.forest, scores) == -kNone) return found;
  found.table = count_distribution(forest_.forest, scores, target_.counts);
  return found;
}

double ForestEngine::of_counts(const Objective& objective, const CountDistribution& table,
                               std::span<const double> losses) {
  return ask([&](const EdgeMap<double>& scores) {
    const SplitForest split = split_by_counts(forest_.forest, target_.counts);
    const auto& gold = objective.needs_gold() ? target_.gold : EdgeMap<unsigned char>{};
    return evaluate(objective, split, scores, gold, matched(split.goal_counts, table, losses));
  });
}

// Of the corpus only ln Z_i - s(gold_i) is this example's: the expectation is added where the
// counts have been put together (learn/staged_objective.h).
double ForestEngine::margin_of_counts(const CountDistribution& table,
                                      std::span<const double> losses) {
  const EdgeMap<double> scores = edge_scores(forest_, scores_);
  EdgeMap<double> allowed = scores;
  for (const EdgeId edge : forest_.forest.edges()) {
    if (target_.gold[edge] == 0) allowed[edge] = -kNone;
  }
  const double value =
      log_partition(forest_.forest, scores) - log_partition(forest_.forest, allowed);
  of_counts({.kind = ObjectiveKind::kSoftmaxMargin}, table, losses);
  return value;
}

void ForestEngine::risk_of_counts(const CountDistribution& table, std::span<const double> losses) {
  of_counts({.kind = ObjectiveKind::kRisk}, table, losses);
}

double ForestEngine::posteriors() {
  return ask([&](const EdgeMap<double>& scores) {
    return log_partition_gradient(forest_.forest, scores);
  });
}

}  // namespace coppice::learn

#include "chain/engine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "chain/item_graph.h"
#include "coppice/base/error.h"

namespace coppice::chain {

namespace {

// Of a node with counts.
constexpr double kLeastProbability = 1e-10;

// A loss that adds over steps, times tau: what each costs, and what every path costs.
struct StepLosses {
  std::vector<double> by_step;
  double constant = 0;
};

StepLosses step_losses(const ItemGraph& graph, const GoldItems& gold, const LossTables& tables) {
  const ChainLoss& loss = tables.loss();
  StepLosses losses{std::vector<double>(graph.steps.size(), 0.0)};
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    const auto& [labels, n, d] = graph.steps[i];
    double& cost = losses.by_step[i];
    if (loss.kind == ChainLoss::Kind::kLabelCosts) {
      if (labels.label == kNoLabel) continue;
      cost = loss.matrix[gold.labels[labels.token] * tables.rules().num_labels() + labels.label];
      continue;
    }
    if (d > 0) cost += loss.errors[labels.label].false_positive;
    if (n > 0) {  // the item that was met is the gold one that ended just before
      const std::size_t last = labels.label == kNoLabel ? gold.labels.size() - 1 : labels.token - 1;
      const learn::ErrorCosts& met = loss.errors[gold.labels[last]];
      cost -= met.false_positive + met.false_negative;
    }
  }
  if (loss.kind == ChainLoss::Kind::kErrorCosts) {
    for (std::size_t t = 0; t < gold.labels.size(); ++t) {
      if (gold.begins[t] != 0) losses.constant += loss.errors[gold.labels[t]].false_negative;
    }
  }
  for (double& cost : losses.by_step) cost *= tables.scale();
  losses.constant *= tables.scale();
  return losses;
}

// r of each edge: `losses` of the steps, or of the goal's edges where the paths are split, plus
// temperature * ln conditional.
std::vector<double> edge_values(const Paths& paths, const Forward& swept,
                                std::span<const double> of_steps, std::span<const double> of_goal,
                                double temperature) {
  std::vector<double> values(paths.edges.size(), 0.0);
  const std::size_t first_goal = paths.edges.size() - of_goal.size();
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (e >= first_goal) {
      values[e] = of_goal[e - first_goal];
    } else if (!of_steps.empty()) {
      values[e] = of_steps[paths.edges[e].step];
    }
    if (temperature != 0 && swept.conditional[e] > 0) {
      values[e] += temperature * std::log(swept.conditional[e]);
    }
  }
  return values;
}

// ln E[e^l] of a loss that adds, and the marginals of the steps under the tilted weights.
StepGradient margin_of_steps(ItemGraph& graph, const StepLosses& losses) {
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    graph.paths.edges[i].weight *= std::exp(losses.by_step[i]);
  }
  const double value = normalise(graph) + losses.constant;
  return {value, step_marginals(graph.paths, forward(graph.paths), graph.steps.size())};
}

// ln E[e^l] with a loss for each of the goal's edges, and the marginals of the steps under the
// tilted weights. Losses are shifted by the largest, so that nothing overflows.
StepGradient margin_of_goal(SplitPaths& split, std::span<const double> goal_losses,
                            std::size_t num_steps) {
  const auto goal = split.goal_edges();
  double largest = -std::numeric_limits<double>::infinity();
  for (const double loss : goal_losses) largest = std::max(largest, loss);
  for (std::size_t i = 0; i < goal.size(); ++i) {
    goal[i].weight = std::exp(goal_losses[i] - largest);
  }
  const Forward swept = forward(split.paths);
  return {largest + std::log(swept.total), step_marginals(split.paths, swept, num_steps)};
}

StepGradient risk_of_goal(const SplitPaths& split, std::span<const double> goal_losses,
                          double temperature, std::size_t num_steps) {
  const Forward swept = forward(split.paths);
  return step_expectation(split.paths, swept,
                          edge_values(split.paths, swept, {}, goal_losses, temperature), num_steps);
}

// The losses of `counts`, where `table` has them; of others, which are improbable, any.
std::vector<double> matched(std::span<const Counts> counts, const learn::CountDistribution& table,
                            std::span<const double> losses) {
  std::vector<double> found(counts.size(), losses[0]);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (std::size_t k = 0; k < table.size(); ++k) {
      if (table[k].counts == counts[i]) found[i] = losses[k];
    }
  }
  return found;
}

}  // namespace

void SentenceEngine::require_complete() const { gold_labels(); }

std::span<const std::uint16_t> SentenceEngine::gold_labels() const {
  if (!gold().complete) refuse_partial("a sentence", "all its labels");
  return gold().labels.subspan(gold().begin[0], length());
}

const LossTables& SentenceEngine::loss() const {
  require(target_.loss != nullptr, "a loss was asked for, and none was given");
  return *target_.loss;
}

std::optional<learn::CountDistribution> SentenceEngine::dense_counts(const GoldItems& /*gold*/) {
  return std::nullopt;
}

std::optional<double> SentenceEngine::write_dense_counts(const GoldItems& /*gold*/,
                                                         std::span<const double> /*losses*/,
                                                         bool /*is_margin*/) {
  return std::nullopt;
}

double SentenceEngine::soft_count(std::size_t token, std::span<const std::uint16_t> labels) const {
  const SoftTargets& soft = target_.soft;
  if (labels.size() == 1) return soft.of(token, labels[0]);
  std::size_t t = token + 1 - labels.size();
  double count = soft.of(t + 1, labels[0], labels[1]);
  for (std::size_t i = 2; i < labels.size(); ++i) {
    const double between = soft.of(t + i - 1, labels[i - 1]);
    if (between <= 0) return 0;
    count *= soft.of(t + i, labels[i - 1], labels[i]) / between;
  }
  return count;
}

double SentenceEngine::likelihood() {
  if (!gold().complete) return partial_likelihood();
  const double right = gold_score();
  const double log_z = posteriors();
  subtract_gold();
  return log_z - right;
}

double SentenceEngine::pseudo_likelihood() {
  return gold().complete ? complete_pseudo_likelihood() : partial_likelihood();
}

double SentenceEngine::margin() {
  if (const CostRows* costs = loss().cost_rows()) {
    add_costs(*costs);
    return likelihood();
  }
  if (const auto value = dense_margin()) return *value;
  return on_graph(true, {});
}

double SentenceEngine::risk(const AnnealedRiskOptions& annealing) {
  if (annealing.temperature == 0 && annealing.scale == 1) {
    if (const auto value = dense_risk()) return *value;
  }
  return on_graph(false, annealing);
}

double SentenceEngine::on_graph(bool is_margin, const AnnealedRiskOptions& annealing) {
  const GoldItems gold(loss().rules(), gold_labels());
  const double right = gold_score();
  ItemGraph graph;
  const auto log_z = lay_out(annealing.scale, &gold, graph);
  if (!log_z) return std::numeric_limits<double>::infinity();
  statistics_ = {.nodes = graph.paths.num_nodes, .largest_cut = graph.cut};
  const StepGradient found = loss().loss().kind == ChainLoss::Kind::kMeasure
                                 ? measure(graph, gold, is_margin, annealing.temperature)
                                 : additive(graph, gold, is_margin, annealing.temperature);
  write(graph, found.gradient, annealing.scale);
  if (!is_margin) return found.value;
  subtract_gold();
  return *log_z + found.value - right;
}

// The measure of the sentence's counts.
StepGradient SentenceEngine::measure(const ItemGraph& graph, const GoldItems& gold, bool is_margin,
                                     double temperature) {
  SplitPaths split = split_paths(graph, kLeastProbability);
  statistics_.splits = split.num_splits;
  statistics_.largest_splits = split.largest_splits;
  statistics_.largest_cut += split.cut;
  std::vector<double> losses;
  losses.reserve(split.goal_counts.size());
  for (const Counts counts : split.goal_counts) {
    losses.push_back(loss().scale() * learn::loss(loss().loss().measure, counts, gold.number));
  }
  if (is_margin) return margin_of_goal(split, losses, graph.steps.size());
  return risk_of_goal(split, losses, temperature, graph.steps.size());
}

// A loss that adds over the steps.
StepGradient SentenceEngine::additive(ItemGraph& graph, const GoldItems& gold, bool is_margin,
                                      double temperature) const {
  const StepLosses losses = step_losses(graph, gold, loss());
  if (is_margin) return margin_of_steps(graph, losses);
  const Forward swept = forward(graph.paths);
  StepGradient found = step_expectation(
      graph.paths, swept, edge_values(graph.paths, swept, losses.by_step, {}, temperature),
      graph.steps.size());
  found.value += losses.constant;
  return found;
}

double SentenceEngine::entropy(double weight) {
  ItemGraph graph;
  if (!lay_out(1, nullptr, graph)) return std::numeric_limits<double>::infinity();
  const Forward swept = forward(graph.paths);
  const StepGradient found = step_expectation(
      graph.paths, swept, edge_values(graph.paths, swept, {}, {}, -1), graph.steps.size());
  write(graph, found.gradient, weight);
  return weight * found.value;
}

learn::ExampleCounts SentenceEngine::counts() {
  const GoldItems gold(loss().rules(), gold_labels());
  learn::ExampleCounts found{.gold = gold.number};
  if (auto table = dense_counts(gold)) {
    found.table = std::move(*table);
    return found;
  }
  ItemGraph graph;
  if (!lay_out(1, &gold, graph)) return found;
  const SplitPaths split = split_paths(graph, kLeastProbability);
  statistics_ = {graph.paths.num_nodes, split.num_splits, split.largest_splits,
                 graph.cut + split.cut};
  const Forward swept = forward(split.paths);
  const std::size_t first = split.paths.edges.size() - split.goal_counts.size();
  for (std::size_t i = 0; i < split.goal_counts.size(); ++i) {
    found.table.push_back({split.goal_counts[i], swept.conditional[first + i]});
  }
  return found;
}

double SentenceEngine::write_counts(const learn::CountDistribution& table,
                                    std::span<const double> losses, bool is_margin) {
  const GoldItems gold(loss().rules(), gold_labels());
  if (const auto log_z = write_dense_counts(gold, losses, is_margin)) return *log_z;
  ItemGraph graph;
  const auto log_z = lay_out(1, &gold, graph);
  if (!log_z) return std::numeric_limits<double>::infinity();
  SplitPaths split = split_paths(graph, kLeastProbability);
  const std::vector<double> of_goal = matched(split.goal_counts, table, losses);
  const std::size_t num_steps = graph.steps.size();
  const StepGradient found = is_margin ? margin_of_goal(split, of_goal, num_steps)
                                       : risk_of_goal(split, of_goal, 0, num_steps);
  write(graph, found.gradient, 1);
  return *log_z;
}

double SentenceEngine::margin_of_counts(const learn::CountDistribution& table,
                                        std::span<const double> losses) {
  const double right = gold_score();
  const double log_z = write_counts(table, losses, true);
  subtract_gold();
  return log_z - right;
}

void SentenceEngine::risk_of_counts(const learn::CountDistribution& table,
                                    std::span<const double> losses) {
  write_counts(table, losses, false);
}

}  // namespace coppice::chain

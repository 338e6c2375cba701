#include "coppice/chain/loss_objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "chain/sentence_paths.h"
#include "coppice/base/error.h"

namespace coppice::chain {

namespace {

using learn::ObjectiveKind;

// A loss that adds over parts: what each costs, and what every path costs.
struct PartLosses {
  std::vector<double> by_part;
  double constant = 0;
};

PartLosses part_losses(const Lattice& lattice, const GoldItems& gold, const ChainLoss& loss,
                       const ItemRules& rules) {
  PartLosses losses{std::vector<double>(lattice.parts.size(), 0.0)};
  for (std::size_t i = 0; i < lattice.parts.size(); ++i) {
    const auto& [labels, n, d] = lattice.parts[i];
    double& cost = losses.by_part[i];
    if (loss.kind == ChainLoss::Kind::kLabelCosts) {
      if (labels.label == kNoLabel) continue;
      cost = loss.matrix[gold.labels[labels.token] * rules.num_labels() + labels.label];
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
  return losses;
}

void atomic_max(std::atomic<double>& largest, double value) {
  double seen = largest.load();
  while (seen < value && !largest.compare_exchange_weak(seen, value)) {
  }
}

void atomic_max(std::atomic<std::uint64_t>& largest, std::uint64_t value) {
  std::uint64_t seen = largest.load();
  while (seen < value && !largest.compare_exchange_weak(seen, value)) {
  }
}

// ln E[e^{tau l}] of a loss that adds, and the marginals of the parts under the tilted weights.
PartGradient margin_of_parts(Lattice& lattice, const PartLosses& losses, double tau) {
  for (std::size_t i = 0; i < lattice.parts.size(); ++i) {
    lattice.paths.edges[i].weight *= std::exp(tau * losses.by_part[i]);
  }
  const double value = normalise(lattice) + tau * losses.constant;
  return {value, part_marginals(lattice.paths, forward(lattice.paths), lattice.parts.size())};
}

}  // namespace

ChainLoss ChainLoss::hamming(std::size_t labels) {
  ChainLoss loss{.kind = Kind::kLabelCosts};
  loss.matrix.assign(labels * labels, 1.0f);
  for (std::size_t y = 0; y < labels; ++y) loss.matrix[y * labels + y] = 0;
  return loss;
}

std::string describe(const LatticeStatistics& statistics) {
  if (statistics.splits == 0) return {};
  return concat(std::round(100 * statistics.average_splits()) / 100, " splits a state on average, ",
                statistics.largest_splits, " at the most; at most ", statistics.largest_cut,
                " of a sentence's mass cut");
}

void LatticeCounters::add(const LatticeStatistics& sentence) {
  nodes_ += sentence.nodes;
  splits_ += sentence.splits;
  atomic_max(largest_splits_, sentence.largest_splits);
  atomic_max(largest_cut_, sentence.largest_cut);
}

LatticeStatistics LatticeCounters::total() const {
  return {nodes_, splits_, largest_splits_, largest_cut_};
}

LossObjective::LossObjective(ItemRules rules, ChainLoss loss, learn::Objective objective,
                             learn::AnnealingSchedule schedule)
    : rules_(std::move(rules)), loss_(std::move(loss)), objective_(objective), schedule_(schedule) {
  const std::size_t labels = rules_.num_labels();
  require(loss_.kind != ChainLoss::Kind::kLabelCosts || loss_.matrix.size() == labels * labels,
          "a cost matrix of ", loss_.matrix.size(), " entries for ", labels, " labels");
  require(loss_.kind != ChainLoss::Kind::kErrorCosts || loss_.errors.size() == labels,
          "costs of errors for ", loss_.errors.size(), " of ", labels, " labels");
  require(objective_.needs_loss(), "the objective ", name(objective_.kind), " has no loss");
  objective_.annealing = {};
  if (objective_.kind == ObjectiveKind::kAnnealedRisk) {
    schedule_.check();
    objective_.annealing = schedule_.stage(0);
  }
}

bool LossObjective::advance() {
  if (objective_.kind != ObjectiveKind::kAnnealedRisk) return false;
  if (stage_ + 1 >= schedule_.num_stages()) return false;
  objective_.annealing = schedule_.stage(++stage_);
  return true;
}

// The measure of the sentence's counts.
PartGradient LossObjective::exact(const Lattice& lattice, const GoldItems& gold,
                                  LatticeStatistics& statistics) const {
  SplitPaths split = split_paths(lattice, PathLimits{}.least_probability);
  statistics.splits = split.num_splits;
  statistics.largest_splits = split.largest_splits;
  statistics.largest_cut += split.cut;
  std::vector<double> losses;
  losses.reserve(split.goal_counts.size());
  for (const Counts counts : split.goal_counts) {
    losses.push_back(learn::loss(loss_.measure, counts, gold.number));
  }
  const std::size_t num_parts = lattice.parts.size();
  if (objective_.kind == ObjectiveKind::kSoftmaxMargin) {
    return margin_of_goal(split, losses, objective_.loss_scale, num_parts);
  }
  const Forward swept = forward(split.paths);
  return part_expectation(
      split.paths, swept,
      edge_values(split.paths, swept, {}, losses, objective_.annealing.temperature), num_parts);
}

// A loss that adds over the parts.
PartGradient LossObjective::additive(Lattice& lattice, const GoldItems& gold) const {
  const PartLosses losses = part_losses(lattice, gold, loss_, rules_);
  if (objective_.kind == ObjectiveKind::kSoftmaxMargin) {
    return margin_of_parts(lattice, losses, objective_.loss_scale);
  }
  const Forward swept = forward(lattice.paths);
  PartGradient found = part_expectation(
      lattice.paths, swept,
      edge_values(lattice.paths, swept, losses.by_part, {}, objective_.annealing.temperature),
      lattice.parts.size());
  found.value += losses.constant;
  return found;
}

double LossObjective::evaluate(const Example& example, PairDerivatives& pairs,
                               Workspace& workspace) const {
  const GoldItems gold(rules_, gold_labels(example.gold));
  const double right = gold_score(example);
  SentencePaths paths(example, rules_, &gold, objective_.annealing.scale, {}, workspace);
  if (!paths.possible()) return std::numeric_limits<double>::infinity();
  Lattice& lattice = paths.lattice();
  LatticeStatistics statistics{.nodes = lattice.paths.num_nodes, .largest_cut = lattice.cut};
  const PartGradient found = loss_.kind == ChainLoss::Kind::kMeasure
                                 ? exact(lattice, gold, statistics)
                                 : additive(lattice, gold);
  counters_.add(statistics);
  paths.write(found.gradient, objective_.annealing.scale, pairs);
  if (objective_.kind != ObjectiveKind::kSoftmaxMargin) return found.value;
  subtract_gold(example, pairs);
  return paths.log_partition() + found.value - right;
}

}  // namespace coppice::chain

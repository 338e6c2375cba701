#include "coppice/chain/loss_objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "chain/count_kernel.h"
#include "chain/sentence_counts.h"
#include "chain/sentence_paths.h"
#include "coppice/base/error.h"

namespace coppice::chain {

namespace {

using learn::ObjectiveKind;

// A loss that adds over parts, times tau: what each costs, and what every path costs.
struct PartLosses {
  std::vector<double> by_part;
  double constant = 0;
};

PartLosses part_losses(const Lattice& lattice, const GoldItems& gold, const ChainLoss& loss,
                       const ItemRules& rules, double tau) {
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
  for (double& cost : losses.by_part) cost *= tau;
  losses.constant *= tau;
  return losses;
}

// Whether (n, d) is all that the loss depends on.
bool is_of_counts(const ChainLoss& loss, const ItemRules& rules) {
  if (loss.kind == ChainLoss::Kind::kMeasure) return true;
  if (loss.kind != ChainLoss::Kind::kErrorCosts) return false;
  const learn::ErrorCosts* first = nullptr;
  for (std::size_t y = 0; y < loss.errors.size(); ++y) {
    if (!rules.has_item(y)) continue;
    if (first == nullptr) first = &loss.errors[y];
    if (loss.errors[y].false_positive != first->false_positive ||
        loss.errors[y].false_negative != first->false_negative) {
      return false;
    }
  }
  return first != nullptr;
}

// Requires is_of_counts(loss, rules).
double loss_of(const ChainLoss& loss, const ItemRules& rules, Counts counts, std::uint32_t gold) {
  if (loss.kind == ChainLoss::Kind::kMeasure) return learn::loss(loss.measure, counts, gold);
  std::size_t y = 0;
  while (!rules.has_item(y)) ++y;
  const auto& [false_positive, false_negative] = loss.errors[y];
  return false_positive * (counts.d - counts.n) +
         false_negative * (static_cast<double>(gold) - counts.n);
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

// ln E[e^l] of a loss that adds, and the marginals of the parts under the tilted weights.
PartGradient margin_of_parts(Lattice& lattice, const PartLosses& losses) {
  for (std::size_t i = 0; i < lattice.parts.size(); ++i) {
    lattice.paths.edges[i].weight *= std::exp(losses.by_part[i]);
  }
  const double value = normalise(lattice) + losses.constant;
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
  } else if (is_of_counts(loss_, rules_)) {
    count_rules_ = std::make_unique<CountRules>(rules_);
  }
}

LossObjective::~LossObjective() = default;

bool LossObjective::has_next_stage() const noexcept {
  return objective_.kind == ObjectiveKind::kAnnealedRisk && stage_ + 1 < schedule_.num_stages();
}

bool LossObjective::advance() {
  if (!has_next_stage()) return false;
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
    losses.push_back(objective_.loss_scale * learn::loss(loss_.measure, counts, gold.number));
  }
  const std::size_t num_parts = lattice.parts.size();
  if (objective_.kind == ObjectiveKind::kSoftmaxMargin) {
    return margin_of_goal(split, losses, num_parts);
  }
  const Forward swept = forward(split.paths);
  return part_expectation(split.paths, swept,
                          edge_values(split.paths, swept, {}, losses, temperature()), num_parts);
}

// A loss that adds over the parts.
PartGradient LossObjective::additive(Lattice& lattice, const GoldItems& gold) const {
  const PartLosses losses = part_losses(lattice, gold, loss_, rules_, objective_.loss_scale);
  if (objective_.kind == ObjectiveKind::kSoftmaxMargin) {
    return margin_of_parts(lattice, losses);
  }
  const Forward swept = forward(lattice.paths);
  PartGradient found = part_expectation(
      lattice.paths, swept, edge_values(lattice.paths, swept, losses.by_part, {}, temperature()),
      lattice.parts.size());
  found.value += losses.constant;
  return found;
}

// Nothing where floats do not suffice; the scores are then as before.
std::optional<double> LossObjective::by_counts(const Example& example, PairDerivatives& pairs,
                                               Workspace& workspace) const {
  const GoldItems gold(rules_, gold_labels(example.gold));
  const double right = gold_score(example);
  SentenceCounts counts(example, *count_rules_, gold, workspace);
  if (!counts.possible()) return std::nullopt;
  std::vector<double> losses;
  for (const CountProbability& entry : counts.table()) {
    losses.push_back(objective_.loss_scale * loss_of(loss_, rules_, entry.counts, gold.number));
  }
  const bool is_margin = objective_.kind == ObjectiveKind::kSoftmaxMargin;
  const GoalValues goal =
      is_margin ? goal_margin(counts.table(), losses) : goal_risk(counts.table(), losses);
  if (!counts.write(goal.derivatives, pairs)) return std::nullopt;
  counters_.add(counts.statistics());
  if (!is_margin) return goal.value;
  subtract_gold(example, pairs);
  return counts.log_partition() + goal.value - right;
}

double LossObjective::evaluate(const Example& example, PairDerivatives& pairs,
                               Workspace& workspace) const {
  if (count_rules_ && example.edges.empty() && example.lattice == nullptr) {
    if (const auto value = by_counts(example, pairs, workspace)) return *value;
  }
  return by_lattice(example, pairs, workspace);
}

double LossObjective::by_lattice(const Example& example, PairDerivatives& pairs,
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

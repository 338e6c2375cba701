#include "coppice/learn/part_loss.h"

#include <algorithm>

#include "coppice/base/error.h"

namespace coppice::learn {

namespace {

ErrorCosts costs_of(LossName loss) {
  switch (loss) {
    case LossName::kDecPrecision:
      return kPrecisionErrors;
    case LossName::kDecRecall:
      return kRecallErrors;
    default:
      return kAllErrors;
  }
}

}  // namespace

PartLoss::PartLoss(const TrainingObjective& objective, std::span<const std::string> item_types)
    : objective_(objective), costs_(costs_of(objective.loss)) {
  require(!objective.has_loss() || objective.loss != LossName::kCostMatrix,
          "a matrix of label costs is for structures with a label at every token");
  for (const ItemCost& cost : objective.costs) {
    if (cost.type.empty()) {
      costs_ = cost.costs;
      by_type_.clear();
      continue;
    }
    const auto found = std::find(item_types.begin(), item_types.end(), cost.type);
    require(found != item_types.end(), "costs of \"", cost.type,
            "\", which is no type of item here");
    by_type_.resize(item_types.size(), costs_);
    by_type_[static_cast<std::size_t>(found - item_types.begin())] = cost.costs;
  }
}

EdgeMap<double> PartLoss::of_edges(const PartTarget& target) const {
  if (objective_.loss == LossName::kHamming) {
    require(target.mistakes.size() > 0,
            "the structure has no labels whose mistakes Hamming loss could count");
    EdgeMap<double> losses = target.mistakes;
    for (double& loss : losses.values()) loss *= objective_.loss_scale;
    return losses;
  }
  EdgeMap<double> losses = decomposed_loss(target.counts, target.due, costs_);
  for (const EdgeId edge : IdRange<EdgeId>(by_type_.empty() ? 0 : losses.size())) {
    require(index(edge) < target.types.size(), "costs by type, and an edge without a type");
    const ErrorCosts& costs = by_type_[target.types[edge]];
    const auto [n, d] = target.counts[edge];
    const double missed = std::max(target.due[edge], n) - n;
    losses[edge] = costs.false_positive * (d - n) + costs.false_negative * missed;
  }
  for (double& loss : losses.values()) loss *= objective_.loss_scale;
  return losses;
}

double PartLoss::of_counts(Counts counts, std::uint32_t num_gold) const {
  return objective_.loss_scale * loss(objective_.measure(), counts, num_gold);
}

}  // namespace coppice::learn

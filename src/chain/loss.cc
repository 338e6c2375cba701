#include "chain/loss.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chain/count_kernel.h"
#include "chain/span_kernel.h"
#include "coppice/base/error.h"
#include "score/linear.h"

namespace coppice::chain {

namespace {

using learn::LossName;
using learn::ObjectiveKind;
using learn::TrainingObjective;

std::size_t place_of(std::span<const std::string> labels, const std::string& label) {
  const auto found = std::find(labels.begin(), labels.end(), label);
  require(found != labels.end(), "the cost matrix has the label '", label,
          "', which the training data does not have");
  return static_cast<std::size_t>(found - labels.begin());
}

// The costs of each label: those of its type of item.
std::vector<learn::ErrorCosts> error_costs(const TrainingObjective& options,
                                           std::span<const std::string> labels,
                                           text::Scheme scheme) {
  std::vector<learn::ErrorCosts> costs(labels.size());
  for (const learn::ItemCost& given : options.costs) {
    bool used = given.type.empty();
    for (std::size_t y = 0; y < labels.size(); ++y) {
      const auto parts = text::split_label(labels[y]);
      const std::string_view type =
          scheme == text::Scheme::kRaw || !parts ? std::string_view(labels[y]) : parts->type;
      if (!given.type.empty() && type != given.type) continue;
      costs[y] = given.costs;
      used = true;
    }
    require(used, "costs of the type '", given.type, "', which the training data does not have");
  }
  for (learn::ErrorCosts& cost : costs) {
    if (options.loss == LossName::kDecPrecision) cost.false_negative = 0;
    if (options.loss == LossName::kDecRecall) cost.false_positive = 0;
  }
  return costs;
}

// Costs of errors as those of labels against labels: an answer where there is nothing is a false
// positive, nothing where there is something a false negative, and one thing for another both.
std::vector<float> costs_of_pairs(std::span<const learn::ErrorCosts> costs,
                                  const ItemRules& rules) {
  const std::size_t size = rules.num_labels();
  std::vector<float> matrix(size * size, 0.0f);
  for (std::size_t gold = 0; gold < size; ++gold) {
    for (std::size_t y = 0; y < size; ++y) {
      if (gold == y) continue;
      double cost = 0;
      if (rules.has_item(y)) cost += costs[y].false_positive;
      if (rules.has_item(gold)) cost += costs[gold].false_negative;
      matrix[gold * size + y] = static_cast<float>(cost);
    }
  }
  return matrix;
}

// Labels against labels: 1 where they differ, what a matrix says, or by costs of errors.
ChainLoss label_costs(const TrainingObjective& options, std::span<const std::string> labels,
                      const ItemRules& rules, text::Scheme scheme) {
  ChainLoss loss = ChainLoss::hamming(labels.size());
  const std::size_t size = labels.size();
  for (const learn::LabelCost& given : options.matrix) {
    loss.matrix[place_of(labels, given.gold) * size + place_of(labels, given.answer)] =
        static_cast<float>(given.cost);
  }
  if (!options.costs.empty()) {
    loss.matrix = costs_of_pairs(error_costs(options, labels, scheme), rules);
  }
  return loss;
}

// The label whose costs all items have; none where types differ, or no label has an item.
const learn::ErrorCosts* common_costs(const ChainLoss& loss, const ItemRules& rules) {
  const learn::ErrorCosts* first = nullptr;
  for (std::size_t y = 0; y < loss.errors.size(); ++y) {
    if (!rules.has_item(y)) continue;
    if (first == nullptr) first = &loss.errors[y];
    if (loss.errors[y].false_positive != first->false_positive ||
        loss.errors[y].false_negative != first->false_negative) {
      return nullptr;
    }
  }
  return first;
}

// Whether (n, d) is all that the loss depends on.
bool is_of_counts(const ChainLoss& loss, const ItemRules& rules) {
  if (loss.kind == ChainLoss::Kind::kMeasure) return true;
  return loss.kind == ChainLoss::Kind::kErrorCosts && common_costs(loss, rules) != nullptr;
}

// A span costs as a false positive where it begins; one that is right gives that back, and what
// it would have cost to miss it.
std::unique_ptr<const SpanFactors> make_span_factors(const ItemRules& rules,
                                                     const std::vector<learn::ErrorCosts>& costs,
                                                     double scale) {
  std::vector<double> tilt, met, log_missed;
  for (const auto& [false_positive, false_negative] : costs) {
    tilt.push_back(std::exp(scale * false_positive));
    met.push_back(std::exp(-scale * (false_positive + false_negative)));
    log_missed.push_back(scale * false_negative);
  }
  return std::make_unique<const SpanFactors>(rules, tilt, met, log_missed);
}

ChainLoss loss_of(const TrainingObjective& objective, std::span<const std::string> labels,
                  text::Scheme scheme) {
  if (!objective.has_loss()) return ChainLoss::hamming(labels.size());
  return chain_loss(objective, labels, scheme);
}

}  // namespace

ChainLoss ChainLoss::hamming(std::size_t labels) {
  ChainLoss loss{.kind = Kind::kLabelCosts};
  loss.matrix.assign(labels * labels, 1.0f);
  for (std::size_t y = 0; y < labels; ++y) loss.matrix[y * labels + y] = 0;
  return loss;
}

ChainLoss chain_loss(const TrainingObjective& options, std::span<const std::string> labels,
                     text::Scheme scheme) {
  options.check();
  if (options.is_measure()) {
    return {.kind = ChainLoss::Kind::kMeasure, .measure = options.measure()};
  }
  if (options.loss <= LossName::kCostMatrix) {
    return label_costs(options, labels, ItemRules(labels, scheme), scheme);
  }
  return {.kind = ChainLoss::Kind::kErrorCosts, .errors = error_costs(options, labels, scheme)};
}

CostRows::CostRows(std::size_t labels, const std::vector<float>& matrix, double scale)
    : labels_(labels), stride_(row_stride(labels)), rows_(labels * stride_, 0.0f) {
  require(matrix.size() == labels * labels, "a cost matrix of ", matrix.size(), " entries for ",
          labels, " labels");
  for (std::size_t gold = 0; gold < labels; ++gold) {
    for (std::size_t y = 0; y < labels; ++y) {
      const float cost = matrix[gold * labels + y];
      require(std::isfinite(cost) && cost >= 0 && (gold != y || cost == 0), "a cost of ", cost,
              " for label ", y, " where ", gold, " is right; expected 0 for the right label and ",
              "finite costs from 0 up for the others");
      rows_[gold * stride_ + y] = static_cast<float>(scale) * cost;
    }
  }
}

void CostRows::add(std::span<const std::uint16_t> gold, float* scores) const {
  if (gold.size() == 1) {
    const float* costs = rows_.data() + gold[0] * stride_;
    for (std::size_t y = 0; y < labels_; ++y) scores[y] += costs[y];
    return;
  }
  for (std::size_t y = 0; y < labels_ && !gold.empty(); ++y) {
    float least = rows_[gold[0] * stride_ + y];
    for (const std::size_t label : gold) least = std::min(least, rows_[label * stride_ + y]);
    scores[y] += least;
  }
}

LossTables::LossTables(const TrainingObjective& objective, std::span<const std::string> labels,
                       text::Scheme scheme)
    : LossTables(objective, ItemRules(labels, scheme), loss_of(objective, labels, scheme)) {}

LossTables::LossTables(const TrainingObjective& objective, ItemRules rules, ChainLoss loss)
    : rules_(std::move(rules)), loss_(std::move(loss)), scale_(objective.loss_scale) {
  const std::size_t labels = rules_.num_labels();
  require(std::isfinite(scale_) && scale_ >= 0, "a loss scale of ", scale_,
          "; expected a number from 0 up");
  require(loss_.kind != ChainLoss::Kind::kLabelCosts || loss_.matrix.size() == labels * labels,
          "a cost matrix of ", loss_.matrix.size(), " entries for ", labels, " labels");
  require(loss_.kind != ChainLoss::Kind::kErrorCosts || loss_.errors.size() == labels,
          "costs of errors for ", loss_.errors.size(), " of ", labels, " labels");
  if (objective.has_loss()) prepare(objective);
}

LossTables::~LossTables() = default;
LossTables::LossTables(LossTables&&) noexcept = default;
LossTables& LossTables::operator=(LossTables&&) noexcept = default;

void LossTables::prepare(const TrainingObjective& objective) {
  const bool is_margin = objective.goal == ObjectiveKind::kSoftmaxMargin;
  const std::size_t labels = rules_.num_labels();
  if (is_margin && loss_.kind == ChainLoss::Kind::kLabelCosts) {
    cost_rows_ = std::make_unique<const CostRows>(labels, loss_.matrix, scale_);
  } else if (is_margin && loss_.kind == ChainLoss::Kind::kErrorCosts) {
    if (rules_.counts_spans()) {
      span_factors_ = make_span_factors(rules_, loss_.errors, scale_);
    } else {
      cost_rows_ =
          std::make_unique<const CostRows>(labels, costs_of_pairs(loss_.errors, rules_), scale_);
    }
  }
  const bool is_annealed = objective.goal == ObjectiveKind::kAnnealedRisk;
  if (!cost_rows_ && !is_annealed && is_of_counts(loss_, rules_)) {
    count_rules_ = std::make_unique<const CountRules>(rules_);
  }
}

double LossTables::of_counts(Counts counts, std::uint32_t gold) const {
  if (loss_.kind == ChainLoss::Kind::kMeasure) {
    return scale_ * learn::loss(loss_.measure, counts, gold);
  }
  const auto& [false_positive, false_negative] = *common_costs(loss_, rules_);
  return scale_ * (false_positive * (counts.d - counts.n) +
                   false_negative * (static_cast<double>(gold) - counts.n));
}

}  // namespace coppice::chain

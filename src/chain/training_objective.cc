#include "coppice/chain/training_objective.h"

#include <algorithm>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/chain/corpus_loss_objective.h"
#include "coppice/chain/cost_margin.h"
#include "coppice/chain/entropy_objective.h"
#include "coppice/chain/items.h"
#include "coppice/chain/likelihood.h"
#include "coppice/chain/loss_objective.h"
#include "coppice/chain/pseudo_likelihood.h"
#include "coppice/chain/span_margin.h"

namespace coppice::chain {

namespace {

learn::Objective generic(const TrainingObjective& options) {
  learn::Objective objective{.kind = learn::ObjectiveKind::kSoftmaxMargin,
                             .loss_scale = options.loss_scale};
  if (options.goal == TrainingGoal::kRisk) objective.kind = learn::ObjectiveKind::kRisk;
  if (options.goal == TrainingGoal::kAnnealedRisk) {
    objective.kind = learn::ObjectiveKind::kAnnealedRisk;
  }
  return objective;
}

learn::Measure measure_of(const TrainingObjective& options) {
  using Kind = learn::Measure::Kind;
  const Kind kind = options.loss == LossName::kPrecision ? Kind::kPrecision
                    : options.loss == LossName::kRecall  ? Kind::kRecall
                                                         : Kind::kF;
  return {.kind = kind, .beta = options.beta};
}

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
  for (const ItemCost& given : options.costs) {
    bool used = given.type.empty();
    for (std::size_t y = 0; y < labels.size(); ++y) {
      const auto parts = text::split_label(labels[y]);
      const std::string_view type =
          scheme == text::Scheme::kRaw || !parts ? std::string_view(labels[y]) : parts->type;
      if (!given.type.empty() && type != given.type) continue;
      costs[y] = given.costs;
      used = true;
    }
    require(used, "--cost names the type '", given.type,
            "', which the training data does not have");
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
  for (const LabelCost& given : options.matrix) {
    loss.matrix[place_of(labels, given.gold) * size + place_of(labels, given.answer)] =
        static_cast<float>(given.cost);
  }
  if (!options.costs.empty()) {
    loss.matrix = costs_of_pairs(error_costs(options, labels, scheme), rules);
  }
  return loss;
}

void check(const TrainingObjective& options) {
  const bool is_cost_matrix = options.loss == LossName::kCostMatrix;
  require(options.costs.empty() || !(options.is_measure() || is_cost_matrix),
          "costs of errors go with hamming and with the dec- losses; a measure has none");
  require(!options.of_corpus || options.is_measure(),
          "a loss of the corpus is precision, recall, f1 or fbeta; the others add over sentences");
  require(is_cost_matrix == !options.matrix.empty(),
          "the loss cost-matrix and a cost matrix go together");
  require(options.entropy_weight == 0 || !options.of_corpus,
          "a loss of the corpus does not go with unlabelled sentences");
}

std::unique_ptr<SentenceObjective> labelled_objective(const TrainingObjective& options,
                                                      std::span<const std::string> labels,
                                                      text::Scheme scheme) {
  if (options.goal == TrainingGoal::kLikelihood) return std::make_unique<Likelihood>();
  if (options.goal == TrainingGoal::kPseudoLikelihood) return std::make_unique<PseudoLikelihood>();
  const ItemRules rules(labels, scheme);
  const learn::Objective objective = generic(options);
  if (options.of_corpus) {
    check(options);
    return std::make_unique<CorpusLossObjective>(rules, measure_of(options), objective);
  }
  ChainLoss loss = chain_loss(options, labels, scheme);
  if (loss.kind == ChainLoss::Kind::kLabelCosts && options.goal == TrainingGoal::kSoftmaxMargin) {
    return std::make_unique<CostMargin>(labels.size(), loss.matrix, options.loss_scale);
  }
  if (loss.kind == ChainLoss::Kind::kErrorCosts && options.goal == TrainingGoal::kSoftmaxMargin) {
    if (rules.counts_spans()) {
      return std::make_unique<SpanMargin>(rules, std::move(loss.errors), options.loss_scale);
    }
    return std::make_unique<CostMargin>(labels.size(), costs_of_pairs(loss.errors, rules),
                                        options.loss_scale);
  }
  return std::make_unique<LossObjective>(rules, std::move(loss), objective, options.annealing);
}

}  // namespace

bool TrainingObjective::starts_from_likelihood() const noexcept {
  const bool is_dense = loss <= LossName::kCostMatrix && goal == TrainingGoal::kSoftmaxMargin;
  return entropy_weight != 0 || (has_loss() && !is_dense);
}

ChainLoss chain_loss(const TrainingObjective& options, std::span<const std::string> labels,
                     text::Scheme scheme) {
  check(options);
  if (options.is_measure()) {
    return {.kind = ChainLoss::Kind::kMeasure, .measure = measure_of(options)};
  }
  if (options.loss <= LossName::kCostMatrix) {
    return label_costs(options, labels, ItemRules(labels, scheme), scheme);
  }
  return {.kind = ChainLoss::Kind::kErrorCosts, .errors = error_costs(options, labels, scheme)};
}

std::unique_ptr<SentenceObjective> make_objective(const TrainingObjective& options,
                                                  std::span<const std::string> labels,
                                                  text::Scheme scheme) {
  auto objective = labelled_objective(options, labels, scheme);
  if (options.entropy_weight == 0) return objective;
  return std::make_unique<EntropyObjective>(ItemRules(labels, scheme), std::move(objective),
                                            options.entropy_weight);
}

}  // namespace coppice::chain

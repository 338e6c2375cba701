#include "coppice/learn/training_objective.h"

#include <cmath>

#include "coppice/base/error.h"

namespace coppice::learn {

bool TrainingObjective::starts_from_likelihood() const noexcept {
  const bool is_dense = loss <= LossName::kCostMatrix && goal == ObjectiveKind::kSoftmaxMargin;
  return entropy_weight != 0 || (has_loss() && !is_dense);
}

Measure TrainingObjective::measure() const noexcept {
  using Kind = Measure::Kind;
  const Kind kind = loss == LossName::kPrecision ? Kind::kPrecision
                    : loss == LossName::kRecall  ? Kind::kRecall
                                                 : Kind::kF;
  return {.kind = kind, .beta = beta};
}

void TrainingObjective::check() const {
  const bool is_cost_matrix = loss == LossName::kCostMatrix;
  require(costs.empty() || !(is_measure() || is_cost_matrix),
          "costs of errors go with hamming and with the dec- losses; a measure has none");
  require(!of_corpus || is_measure(),
          "a loss of the corpus is precision, recall, f1 or fbeta; the others add over sentences");
  require(!of_corpus || goal == ObjectiveKind::kSoftmaxMargin || goal == ObjectiveKind::kRisk,
          "a loss of the whole corpus goes with softmax-margin and risk, not with ", name(goal));
  require(is_cost_matrix == !matrix.empty(), "the loss cost-matrix and a cost matrix go together");
  require(std::isfinite(entropy_weight), "an entropy weight of ", entropy_weight,
          "; expected a finite number");
  require(entropy_weight == 0 || !of_corpus,
          "a loss of the corpus does not go with unlabelled sentences");
  if (goal == ObjectiveKind::kAnnealedRisk) annealing.check();
}

}  // namespace coppice::learn

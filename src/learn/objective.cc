#include "coppice/learn/objective.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/forest/entropy.h"
#include "coppice/forest/marginals.h"
#include "learn/logistic.h"

namespace coppice::learn {

namespace {

constexpr std::array<std::string_view, 8> kNames{"likelihood", "pseudo",        "softmax-margin",
                                                 "risk",       "annealed-risk", "entropy",
                                                 "teacher",    "parts"};

void require_entries(const Forest& forest, std::size_t size, std::string_view what) {
  require(size == forest.num_edges(), "objective: ", size, ' ', what, " for a forest of ",
          forest.num_edges(), " edges");
}

// ln Z_G and its gradient, on the same forest.
EdgeGradient gold_partition(const Forest& forest, const EdgeMap<double>& scores,
                            const EdgeMap<unsigned char>& gold) {
  require_entries(forest, gold.size(), "flags of gold edges");
  EdgeMap<double> restricted = scores;
  for (EdgeId edge : forest.edges()) {
    if (gold[edge] == 0) restricted[edge] = -std::numeric_limits<double>::infinity();
  }
  if (log_partition(forest, restricted) == -std::numeric_limits<double>::infinity()) {
    throw InvalidArgument("the annotation allows no derivation of positive weight",
                          {.code = "E302"});
  }
  return log_partition_gradient(forest, restricted);
}

EdgeGradient less_gold(EdgeGradient all, const Forest& forest, const EdgeMap<double>& scores,
                       const EdgeMap<unsigned char>& gold) {
  const EdgeGradient allowed = gold_partition(forest, scores, gold);
  all.value -= allowed.value;
  for (EdgeId edge : forest.edges()) all.gradient[edge] -= allowed.gradient[edge];
  return all;
}

// tau l of every edge.
EdgeMap<double> scaled_losses(const Forest& forest, const EdgeMap<double>& losses, double scale) {
  require(std::isfinite(scale) && scale >= 0, "objective: a loss scale of ", scale,
          "; expected a number from 0 up");
  require_entries(forest, losses.size(), "losses");
  EdgeMap<double> scaled = losses;
  for (EdgeId edge : forest.edges()) {
    require(std::isfinite(losses[edge]), "loss of edge ", index(edge), " is ", losses[edge],
            "; expected a finite number");
    scaled[edge] *= scale;
  }
  return scaled;
}

EdgeGradient softmax_margin(const Forest& forest, const EdgeMap<double>& scores,
                            const Target& target, double scale) {
  EdgeMap<double> augmented = scaled_losses(forest, target.losses, scale);
  for (EdgeId edge : forest.edges()) augmented[edge] += scores[edge];
  return less_gold(log_partition_gradient(forest, augmented), forest, scores, target.gold);
}

// An answer that the model can never give has an infinite loss.
void require_possible(EdgeId edge, double score, std::string_view who) {
  if (score != -std::numeric_limits<double>::infinity()) return;
  throw InvalidArgument(concat(who, " uses edge ", index(edge), ", whose score is -inf"),
                        {.code = "E302"});
}

EdgeGradient teacher_loss(const Forest& forest, const EdgeMap<double>& scores,
                          const EdgeMap<double>& teacher) {
  require_entries(forest, teacher.size(), "counts of the teacher");
  EdgeGradient found = log_partition_gradient(forest, scores);
  for (EdgeId edge : forest.edges()) {
    const double count = teacher[edge];
    require(std::isfinite(count) && count >= 0, "the teacher's count of edge ", index(edge), " is ",
            count, "; expected a number from 0 up");
    if (count == 0) continue;
    require_possible(edge, scores[edge], "the teacher");
    found.value -= count * scores[edge];
    found.gradient[edge] -= count;
  }
  return found;
}

EdgeGradient log_loss_of_parts(const Forest& forest, const EdgeMap<double>& scores,
                               const EdgeMap<unsigned char>& gold) {
  require_entries(forest, gold.size(), "flags of gold edges");
  EdgeGradient found{0, EdgeMap<double>(forest.num_edges(), 0.0)};
  for (EdgeId edge : forest.edges()) {
    const bool is_gold = gold[edge] != 0;
    require(!std::isnan(scores[edge]), "the score of edge ", index(edge), " is not a number");
    if (is_gold) require_possible(edge, scores[edge], "the annotation");
    const LogLoss loss = log_loss(scores[edge], is_gold);
    found.value += loss.value;
    found.gradient[edge] = loss.derivative;
  }
  return found;
}

}  // namespace

std::string_view name(ObjectiveKind kind) noexcept {
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<ObjectiveKind> objective_kind(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<ObjectiveKind>(i);
  }
  return std::nullopt;
}

EdgeGradient evaluate(const Objective& objective, const Forest& forest,
                      const EdgeMap<double>& scores, const Target& target) {
  switch (objective.kind) {
    case ObjectiveKind::kLikelihood:
      return less_gold(log_partition_gradient(forest, scores), forest, scores, target.gold);
    case ObjectiveKind::kPseudoLikelihood:
      throw InvalidArgument(
          "a forest by itself has no positions: the pseudo-likelihood is for chains");
    case ObjectiveKind::kSoftmaxMargin:
      return softmax_margin(forest, scores, target, objective.loss_scale);
    case ObjectiveKind::kRisk:
      return risk_gradient(forest, scores,
                           scaled_losses(forest, target.losses, objective.loss_scale));
    case ObjectiveKind::kAnnealedRisk:
      return annealed_risk_gradient(
          forest, scores, scaled_losses(forest, target.losses, objective.loss_scale),
          {.temperature = objective.loss_scale * objective.annealing.temperature,
           .scale = objective.annealing.scale});
    case ObjectiveKind::kTeacher:
      return teacher_loss(forest, scores, target.teacher);
    case ObjectiveKind::kParts:
      return log_loss_of_parts(forest, scores, target.gold);
    case ObjectiveKind::kEntropy:
      break;
  }
  return entropy_gradient(forest, scores);
}

EdgeGradient evaluate(const Objective& objective, const RefinedForest& split,
                      const EdgeMap<double>& scores, const EdgeMap<unsigned char>& gold,
                      const EdgeMap<double>& losses) {
  require(objective.kind != ObjectiveKind::kTeacher && objective.kind != ObjectiveKind::kParts,
          "objective: ", name(objective.kind), " has no loss that a forest is split for");
  if (split.forest.empty()) {
    throw InvalidArgument("the forest has no derivation of positive weight", {.code = "E301"});
  }
  Target target{{}, losses, {}};
  if (gold.size() > 0) target.gold = split_weights<unsigned char>(split, gold, 1);
  const EdgeGradient found =
      evaluate(objective, split.forest, split_weights(split, scores, 0.0), target);
  EdgeGradient result{found.value, EdgeMap<double>(scores.size(), 0.0)};
  for (EdgeId edge : split.forest.edges()) {
    if (split.edge_of[edge] != kNoEdge) {
      result.gradient[split.edge_of[edge]] += found.gradient[edge];
    }
  }
  return result;
}

EdgeGradient evaluate(const Objective& objective, const SplitForest& split,
                      const EdgeMap<double>& scores, const EdgeMap<unsigned char>& gold,
                      std::span<const double> goal_losses) {
  require(goal_losses.size() == split.goal_counts.size(), "objective: ", goal_losses.size(),
          " losses for ", split.goal_counts.size(), " pairs of counts");
  EdgeMap<double> losses(split.forest.num_edges(), 0.0);  // the goal's edges come last
  std::copy_backward(goal_losses.begin(), goal_losses.end(), losses.values().end());
  return evaluate(objective, split, scores, gold, losses);
}

EdgeGradient evaluate(const Objective& objective, const SplitForest& split,
                      const EdgeMap<double>& scores, const EdgeMap<unsigned char>& gold,
                      const std::function<double(Counts)>& loss) {
  std::vector<double> losses;
  losses.reserve(split.goal_counts.size());
  for (const Counts counts : split.goal_counts) losses.push_back(loss(counts));
  return evaluate(objective, split, scores, gold, losses);
}

}  // namespace coppice::learn

// Random forests with everything that an objective asks for, and each objective from its
// definition.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "coppice/learn/measure.h"
#include "coppice/learn/objective.h"
#include "support/distribution.h"

namespace coppice::learn {

using testing::EdgeList;

// An example with losses of its edges, counts, and an annotation: the edges of two of its
// derivations, which may allow further ones.
struct Annotated : testing::Example {
  explicit Annotated(const testing::Example& example, std::uint64_t seed)
      : Example(example), counts(forest.num_edges(), {}) {
    Random random(seed, 9);
    target.gold = EdgeMap<unsigned char>(forest.num_edges(), 0);
    for (int i = 0; i < 2; ++i) {
      for (EdgeId edge : listed.support[random.below(listed.support.size())]) {
        target.gold[edge] = 1;
      }
    }
    target.losses = values;
    for (double& loss : target.losses.values()) loss = std::abs(loss);
    for (Counts& edge : counts.values()) {
      edge.d = static_cast<std::uint32_t>(random.below(3));
      edge.n = static_cast<std::uint32_t>(random.below(edge.d + 1));
    }
  }
  bool is_gold(const EdgeList& derivation) const {
    for (EdgeId edge : derivation) {
      if (target.gold[edge] == 0) return false;
    }
    return true;
  }
  Counts counts_of(const EdgeList& derivation) const {
    Counts sum;
    for (EdgeId edge : derivation) sum = sum + counts[edge];
    return sum;
  }
  double f1_loss(Counts sum) const { return loss(Measure{}, sum, 4); }

  // ln of the sum over derivations of weight e^{exponent(d)}, gold ones alone or all.
  template <class Exponent>
  double log_sum(const EdgeMap<double>& at, bool gold, Exponent exponent) const {
    double sum = 0;
    for (const EdgeList& d : listed.support) {
      if (!gold || is_gold(d)) sum += std::exp(testing::total(d, at) + exponent(d));
    }
    return std::log(sum);
  }
  // Any objective, from its definition, with `cost` the loss of a derivation.
  template <class Cost>
  double value(const Objective& objective, const EdgeMap<double>& at, Cost cost) const {
    const auto none = [](const EdgeList&) { return 0.0; };
    const double gamma =
        objective.kind == ObjectiveKind::kAnnealedRisk ? objective.annealing.scale : 1;
    EdgeMap<double> scaled = at;
    for (double& score : scaled.values()) score *= gamma;
    const double log_z = log_sum(scaled, false, none);
    double risk = 0, entropy = 0;
    for (const EdgeList& d : listed.support) {
      const double log_p = testing::total(d, scaled) - log_z;
      risk += std::exp(log_p) * cost(d);
      entropy -= std::exp(log_p) * log_p;
    }
    switch (objective.kind) {
      case ObjectiveKind::kLikelihood:
        return log_z - log_sum(at, true, none);
      case ObjectiveKind::kSoftmaxMargin:
        return log_sum(at, false,
                       [&](const EdgeList& d) { return objective.loss_scale * cost(d); }) -
               log_sum(at, true, none);
      case ObjectiveKind::kRisk:
        return objective.loss_scale * risk;
      case ObjectiveKind::kAnnealedRisk:
        return objective.loss_scale * (risk - objective.annealing.temperature * entropy);
      case ObjectiveKind::kPseudoLikelihood:
      case ObjectiveKind::kTeacher:
      case ObjectiveKind::kParts:
        ADD_FAILURE() << "see the tests of these";
        break;
      case ObjectiveKind::kEntropy:
        break;
    }
    return entropy;
  }

  Target target;
  EdgeMap<Counts> counts;
};

// Some of each kind that Annotated::value knows.
inline std::vector<Objective> objectives() {
  return {{.kind = ObjectiveKind::kLikelihood},
          {.kind = ObjectiveKind::kSoftmaxMargin, .loss_scale = 0.7},
          {.kind = ObjectiveKind::kRisk},
          {.kind = ObjectiveKind::kRisk, .loss_scale = 2.5},
          {.kind = ObjectiveKind::kAnnealedRisk,
           .loss_scale = 1.5,
           .annealing = {.temperature = 0.5, .scale = 1.3}},
          {.kind = ObjectiveKind::kEntropy}};
}

template <class Check>
void for_each_annotated(Check check) {
  std::uint64_t seed = 0;
  testing::for_each_example(
      [&](const testing::Example& example) { check(Annotated(example, seed++)); });
}

}  // namespace coppice::learn

// An objective with its tables, in the first stage of its own: past the likelihood that risks begin
// with.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "chain/engine.h"
#include "chain/loss.h"
#include "coppice/learn/staged_objective.h"

namespace coppice::chain::testing {

struct Goal {
  Goal(const learn::TrainingObjective& goal, const ItemRules& rules, ChainLoss loss)
      : objective(goal), tables(goal, rules, std::move(loss)) {
    if (goal.is_risk()) objective.advance();
  }
  Goal(const learn::TrainingObjective& goal, std::span<const std::string> labels,
       text::Scheme scheme)
      : objective(goal), tables(goal, labels, scheme) {
    if (goal.is_risk()) objective.advance();
  }

  learn::StagedObjective objective;
  LossTables tables;
};

// Tables with which an engine knows no faster way than the item graph.
inline LossTables graph_tables(double scale, const ItemRules& rules, ChainLoss loss) {
  return LossTables({.goal = learn::ObjectiveKind::kAnnealedRisk, .loss_scale = scale}, rules,
                    std::move(loss));
}

}  // namespace coppice::chain::testing

// What training minimises, and what answers cost, as options: of train, and of minimum-risk
// decoding.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coppice/base/option.h"
#include "coppice/learn/training_objective.h"

namespace coppice::learn {

struct LossOptions {
  std::string loss;  // empty: hamming, or dec-f1 where there are costs of errors
  std::string cost_matrix;
  std::vector<std::string> costs;
};

struct ObjectiveOptions {
  std::string objective = "auto";
  LossOptions loss;
  std::string loss_level = "sentence";
  std::optional<double> loss_scale;  // else 1, or 30 for the risk of a measure
  double temperature = 1;
  double cooling = 0.5;
  double largest_scale = 1;
  std::vector<std::string> unlabelled;
  double entropy_weight = 0;
};

// The declarations, bound to `options`, which must outlive them.
std::vector<Option> loss_options(LossOptions& options);
std::vector<Option> objective_options(ObjectiveOptions& options);

// What the library takes. Reads the cost matrix. Throws UsageError (E003) for what does not fit
// together, and as the parsers of costs do.
TrainingObjective training_objective(const ObjectiveOptions& options);
TrainingObjective training_loss(const LossOptions& options);

}  // namespace coppice::learn

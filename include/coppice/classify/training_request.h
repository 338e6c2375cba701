// Options of training a classifier: the variables behind those of `coppice train classify`, and
// their declarations. Most are bound to the options of the learner (trees/l1_boosting.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coppice/base/option.h"
#include "coppice/trees/feature_table.h"
#include "coppice/trees/l1_boosting.h"

namespace coppice::classify {

struct TrainingRequest {
  std::string train;
  std::string development;
  trees::FeatureCounter::Rules rules{};
  trees::L1Options boosting{};
  std::string fit = "all";
  std::uint64_t patience = 3;
};

// The declarations, bound to `request`, which must outlive them.
std::vector<Option> training_request_options(TrainingRequest& request);

// What the library takes.
trees::L1Options boosting_options(const TrainingRequest& request);

}  // namespace coppice::classify

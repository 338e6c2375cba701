// What a model says of its training.
#pragma once

#include <string>

#include "coppice/chain/training_data.h"
#include "coppice/chain/training_request.h"

namespace coppice::chain {

// "f1" or "accuracy", as cards and logs have it.
const char* metric_key(const TaggerTraining& training) noexcept;

// The card: a JSON object for people, with every option's value.
std::string training_card(TrainingRequest& request, const TrainingData& data);

}  // namespace coppice::chain

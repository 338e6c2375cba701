// What a model says of its training, and what a log does on the way.
#pragma once

#include <string>

#include "coppice/tag/training_data.h"
#include "coppice/tag/training_request.h"

namespace coppice::tag {

// "f1" or "accuracy", as cards and logs have it.
const char* metric_key(const TaggerTraining& training) noexcept;

// The last iteration, `seconds` after the beginning:
//
//     {"iteration":12,"stage":"batch","objective":1312.5,"grad":3.1,"evaluations":16,
//      "dev_precision":0.91,"dev_recall":0.9,"dev_f1":0.905,"best":true,"seconds":1.25}
//
// `stage` is stochastic (objective is then the loss on the way, and there is no grad), batch or
// boosting (no grad either). Checks of trees have token accuracies by both decodings besides:
// train_viterbi, train_posterior, dev_viterbi, dev_posterior.
// Development scores stand where there was a check: dev_accuracy for labels without spans.
std::string iteration_json(const TaggerTraining& training, double seconds);

// The card: a JSON object for people, with every option's value.
std::string training_card(TrainingRequest& request, const TrainingData& data);

}  // namespace coppice::tag

// The log of a training (--log): one JSON object a line and iteration, written as it happens, so
// that `tail -f` and `coppice plot` can follow.
//
//     {"iteration":12,"stage":"batch","objective":1312.5,"grad":3.1,"evaluations":16,
//      "dev_precision":0.91,"dev_recall":0.9,"dev_f1":0.905,"best":true,"seconds":1.25}
//
// `stage` is stochastic (objective is then the loss on the way, and there is no grad), batch or
// boosting (no grad either). Checks of trees have token accuracies by both decodings besides:
// train_viterbi, train_posterior, dev_viterbi, dev_posterior.
// Development scores stand where there was a check: dev_accuracy for labels without spans.
#pragma once

#include <chrono>
#include <utility>

#include "coppice/base/log_file.h"
#include "coppice/chain/tagger_training.h"

namespace coppice::cli {

class RunLog {
 public:
  explicit RunLog(LogFile file) : file_(std::move(file)) {}

  // After each iteration. Throws IoError.
  void write(const chain::TaggerTraining& training);

 private:
  using Clock = std::chrono::steady_clock;

  LogFile file_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace coppice::cli

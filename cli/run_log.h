// The log of a training (--log): one JSON object a line and iteration, written as it happens, so
// that `tail -f` and `coppice plot` can follow. The
// objects are those of tag::iteration_json.
#pragma once

#include <chrono>
#include <utility>

#include "coppice/base/log_file.h"
#include "coppice/tag/tagger_training.h"

namespace coppice::cli {

class RunLog {
 public:
  explicit RunLog(LogFile file) : file_(std::move(file)) {}

  // After each iteration. Throws IoError.
  void write(const tag::TaggerTraining& training);

 private:
  using Clock = std::chrono::steady_clock;

  LogFile file_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace coppice::cli

// What `coppice train tag` tells on the way: the data and the model before it begins, a table of
// iterations, and the card that the model keeps.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/context.h"
#include "cli/table.h"
#include "cli/train_setup.h"

namespace coppice::cli {

// Says what was read and what is about to be trained.
void describe_training(const TrainTagOptions& options, const TrainingData& data, unsigned threads,
                       Context& context);

// "f1" or "accuracy", as cards and logs have it.
const char* metric_key(const chain::TaggerTraining& training) noexcept;

// Says what share of the label sequences pruning has left, where there is any.
void describe_kept(const chain::TaggerTraining& training, Context& context);

// The table of iterations on stderr: stochastic passes, checks, every tenth iteration, the last.
class IterationTable {
 public:
  IterationTable(const TrainingData& data, Context& context);

  // After each iteration.
  void row();
  void finish() { table_.finish(); }

 private:
  using Clock = std::chrono::steady_clock;

  const TrainingData& data_;
  bool spans_;
  bool develops_;
  Table table_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
  std::uint64_t evaluations_;  // at the last row
};

// The card: a JSON object for people, with every option's value.
std::string training_card(TrainTagOptions& options, const TrainingData& data);

}  // namespace coppice::cli

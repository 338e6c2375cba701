// The iterations of a training on stderr, whatever the task.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>

#include "cli/context.h"
#include "cli/table.h"
#include "cli/time_left.h"
#include "coppice/learn/training_run.h"

namespace coppice::cli {

// A table has stochastic passes, checks, every tenth iteration and the
// last; on a terminal, a line below it is redrawn after each iteration:
//
//     iter 64/204 [==>       ]  0:33, at most 1:12 left  dev F1 90.90  objective 14093.35  1.2M
//     tok/s
//
// Elsewhere the time left is a column of the table. It is told while all iterations to come are of
// the kind that is being made and their number has a limit; training may well end before.
class IterationTable {
 public:
  // Requires that both outlive the table.
  IterationTable(const learn::TrainingRun& run, Context& context);

  // After each iteration.
  void step();
  void finish() { table_.finish(); }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds(Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  }

  bool is_due() const;
  void row(double rate, double time);
  std::string line(double rate, double time) const;

  const learn::TrainingRun& run_;
  ProgressDisplay& display_;
  learn::MetricName metric_;
  bool develops_;
  Table table_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
  std::uint64_t evaluations_;  // at the last row
  double score_ = NAN;         // of the last check
  TimeLeft left_;
};

}  // namespace coppice::cli

// `coppice train TASK`, whatever the task: output, log, dry run, --resume, Ctrl-C, table, card.
//
// A task declares its options, reads its data and describes its model; see train_tag.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "coppice/base/threads.h"
#include "coppice/learn/training_run.h"

namespace coppice::cli {

// What a run can be told beside what its training can.
struct RunOptions {
  std::string output;
  std::string log;
  bool resume = false;
  bool dry_run = false;
};

// The declarations of a task's training, which has those of learn/learning_options.h, and of its
// run.
std::vector<Option> with_run_options(std::vector<Option> declared, RunOptions& options);

// A task to train: what `run_training` asks it for.
class TrainTask {
 public:
  virtual ~TrainTask() = default;
  // Throws UsageError for options that exclude each other.
  virtual void check() const = 0;
  // Reads the data and begins.
  virtual std::unique_ptr<learn::TrainingRun> read(const Threads& threads, Context& context) = 0;
  // Whether records with problems were left out.
  virtual bool skipped() const noexcept { return false; }
  // Says what is about to be trained, below the line of the data; describe_data() and
  // learner_text() say what all tasks do.
  virtual void describe(unsigned threads, Context& context) const = 0;
  // Says what the task has to say after the last iteration.
  virtual void describe_end(Context& /*context*/) const {}
  // The command that most people need next, or nothing.
  virtual std::string next_step(const std::string& /*model*/) const { return {}; }
};

// "12,345 features, l1=0 l2=0.5, trees of 16 leaves - 2 threads - seed 1"
std::string learner_text(const learn::TrainingRun& run, unsigned threads);

ExitStatus run_training(TrainTask& task, const RunOptions& options, Context& context);

// Writes the model and says so, with `next` behind: the end of every training.
void save_model(const ModelWriter& model, const std::string& path, Output& output,
                const std::string& next, Context& context);

}  // namespace coppice::cli

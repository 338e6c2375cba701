// A training as front ends run it, whatever the task: what `coppice train TASK` and Python see.
//
//     std::unique_ptr<TrainingRun> run = ...;            // a task's: its data is read
//     if (resume) load_checkpoint(path, *run, threads);
//     while (run->iterate(threads)) log.add(iteration_json(*run, seconds));
//     run->model(training_card(*run)).write("ner.cop", Overwrite::kRefuse);
//
// A task derives from TrainingRun and says what it trains; log, card and checkpoint are made here.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "coppice/base/model_file.h"
#include "coppice/base/option.h"
#include "coppice/base/threads.h"
#include "coppice/learn/learning_options.h"
#include "coppice/learn/training_card.h"
#include "coppice/learn/training_loop.h"

namespace coppice::learn {

// Data of one kind that has been read.
struct DataSummary {
  std::uint64_t sentences = 0;
  std::uint64_t tokens = 0;
  // Of the bytes that were read, decompressed; of given examples, their text.
  std::string digest{};
};

struct RunData {
  DataSummary train{}, development{};
  DataSummary unlabelled{};
  std::string description{};  // of the format, for people
};

// How the development score is called.
struct MetricName {
  const char* key = "accuracy";     // in cards and logs
  const char* heading = "dev acc";  // in tables
  bool of_items = false;            // whether there are precision and recall beside it
};

class TrainingRun {
 public:
  TrainingRun() = default;
  TrainingRun(const TrainingRun&) = delete;
  TrainingRun& operator=(const TrainingRun&) = delete;
  virtual ~TrainingRun() = default;

  virtual std::string task() const = 0;  // as model files name it
  virtual const LearningOptions& request() const noexcept = 0;
  // All options of the task, bound to the request.
  virtual std::vector<Option> options() = 0;
  virtual const RunData& data() const noexcept = 0;

  virtual const TrainingLoop& loop() const noexcept = 0;
  // One pass, iteration or round; false when training is over. Throws Error (E310) where the
  // objective is not finite.
  virtual bool iterate(const Threads& threads) = 0;

  virtual MetricName metric() const noexcept = 0;
  virtual std::size_t num_features() const noexcept = 0;
  // What the task adds to the card, and to the log of the last iteration.
  virtual CardEntries card_entries() const { return {}; }
  virtual CardEntries log_entries() const { return {}; }
  // What the objective has to say after training, for people.
  virtual std::string remarks() const { return {}; }
  // About how many bytes training will take beyond what has been taken.
  virtual std::uint64_t bytes_to_come() const noexcept { return loop().bytes_to_come(); }

  // The model with the kept weights and trees.
  virtual ModelWriter model(const std::string& card) const = 0;

  // To go on later, with the same data and options: load() comes before the first iteration, and
  // throws ModelError (E430) for bytes that are damaged or of another training.
  virtual void save(std::ostream& out) const = 0;
  virtual void load(std::istream& in, const Threads& threads) = 0;
};

// The last iteration, `seconds` after the beginning:
//
//     {"iteration":12,"stage":"batch","objective":1312.5,"grad":3.1,"evaluations":16,
//      "dev_precision":0.91,"dev_recall":0.9,"dev_f1":0.905,"best":true,"seconds":1.25}
//
// `stage` is stochastic (objective is then the loss on the way, and there is no grad), batch or
// boosting (no grad either). Development scores stand where there was a check: precision and recall
// where the metric counts items. The task's own entries stand before the seconds.
std::string iteration_json(const TrainingRun& run, double seconds);

std::string training_card(TrainingRun& run);

// The checkpoint of an interrupted training: what was asked for, and how far it got. The run that
// goes on must be of the same data and options, so that it ends with the model of an uninterrupted
// one; limits may differ (is_limit, learn/learning_options.h).
void save_checkpoint(TrainingRun& run, std::ostream& out);
// Before the first iteration. Throws IoError; ModelError: E430 where the checkpoint is damaged,
// E431 where it was made of other data or with other options, whose message names the first that
// differs.
void load_checkpoint(const std::string& path, TrainingRun& run, const Threads& threads);

}  // namespace coppice::learn

#include "cli/train_run.h"

#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "cli/human.h"
#include "cli/iteration_table.h"
#include "cli/model_output.h"
#include "coppice/base/file.h"
#include "coppice/base/usage_error.h"

namespace coppice::cli {

namespace {

std::string data_text(const learn::DataSummary& data) {
  return fmt::format("{} sent {} tok", thousands(data.sentences), thousands(data.tokens));
}

void describe_data(const learn::RunData& data, Context& context) {
  std::string all = "train " + data_text(data.train);
  if (data.development.sentences > 0) all += " - dev " + data_text(data.development);
  if (data.unlabelled.sentences > 0) all += " - unlabelled " + data_text(data.unlabelled);
  context.talk("data    {} - {}", all, data.description);
}

// The log of a training (--log): a JSON object for each iteration, written as it happens, so that
// `tail -f` and `coppice plot` can follow.
class RunLog {
 public:
  explicit RunLog(LogFile file) : file_(std::move(file)) {}

  void write(const learn::TrainingRun& run) {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin_;
    file_.add(learn::iteration_json(run, time.count()));
  }

 private:
  LogFile file_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class TrainRun {
 public:
  TrainRun(TrainTask& task, const RunOptions& options, Context& context)
      : task_(task),
        options_(options),
        context_(context),
        threads_(static_cast<unsigned>(context.threads())),
        interrupted_(context.interrupt_poll()) {}

  ExitStatus run() {
    if (options_.dry_run) {
      prepare();
      tell_memory();
    } else {
      // What an interrupted run has left is what --resume is for.
      Output output = context_.output_file(
          options_.output, options_.resume ? Overwrite::kAllow : Overwrite::kRefuse);
      prepare();
      if (options_.resume) learn::load_checkpoint(checkpoint_path(), *run_, threads_);
      iterate();
      end();
      save_model(run_->model(learn::training_card(*run_)), options_.output, output, next_text(),
                 context_);
    }
    return task_.skipped() ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
  }

 private:
  void prepare() {
    run_ = task_.read(threads_, context_);
    describe_data(run_->data(), context_);
    task_.describe(threads_.size(), context_);
  }

  void tell_memory() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const std::uint64_t so_far = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    context_.talk("memory  about {} at the most", file_size(so_far + run_->bytes_to_come()));
  }

  std::string checkpoint_path() const { return options_.output + ".ckpt"; }

  void iterate() {
    std::optional<RunLog> log;
    if (!options_.log.empty()) {
      log.emplace(context_.log_file(
          options_.log, options_.resume ? LogFile::Opening::kAppend : LogFile::Opening::kNew));
    }
    IterationTable table(*run_, context_);
    while (!interrupted(interrupted_) && run_->iterate(threads_)) {
      table.step();
      if (log) log->write(*run_);
    }
    table.finish();
    task_.describe_end(context_);
  }

  // Leaves a checkpoint, or none.
  void end() {
    if (interrupted(interrupted_)) {
      OutputFile checkpoint(checkpoint_path());
      learn::save_checkpoint(*run_, checkpoint.stream());
      checkpoint.commit();
      context_.talk("stop    interrupted; go on with --resume ({})", checkpoint_path());
    } else {
      context_.talk("stop    {}; kept iteration {}", run_->loop().stopped(),
                    run_->loop().kept_iteration());
      std::error_code ignored;
      std::filesystem::remove(checkpoint_path(), ignored);
    }
    const std::string remarks = run_->remarks();
    if (!remarks.empty()) context_.talk("splits  {}", remarks);
  }

  std::string next_text() const {
    if (options_.output == "-" || interrupted(interrupted_)) return "";
    return task_.next_step(options_.output);
  }

  TrainTask& task_;
  const RunOptions& options_;
  Context& context_;
  Threads threads_;
  InterruptPoll interrupted_;
  std::unique_ptr<learn::TrainingRun> run_;
};

}  // namespace

std::vector<Option> with_run_options(std::vector<Option> declared, RunOptions& options) {
  std::size_t after_files = 0;
  for (std::size_t i = 0; i < declared.size(); ++i) {
    if (declared[i].name == "train") declared[i].required = true;
    if (declared[i].name == "init") after_files = i + 1;
  }
  declared.insert(declared.begin() + static_cast<std::ptrdiff_t>(after_files),
                  {.name = "output",
                   .letter = 'o',
                   .value = &options.output,
                   .metavar = "FILE",
                   .help = "the model to write",
                   .required = true});
  insert_before(
      declared, "objective",
      {{.name = "log",
        .value = &options.log,
        .metavar = "FILE",
        .help = "write a JSON object for each iteration (see coppice plot)"},
       {.name = "resume",
        .value = &options.resume,
        .help = "go on from OUTPUT.ckpt, with the same data and options; limits may be raised"},
       {.name = "dry-run",
        .value = &options.dry_run,
        .help = "read the data, say what would be trained and what it needs, and stop"}});
  return declared;
}

std::string learner_text(const learn::TrainingRun& run, unsigned threads) {
  const learn::LearningOptions& request = run.request();
  std::string text = thousands(run.num_features()) + " features";
  if (request.has_weights()) {
    text += fmt::format(", l1={} l2={}", request.trainer.l1, request.trainer.l2);
  }
  if (request.has_trees()) text += fmt::format(", trees of {} leaves", request.boosting.max_leaves);
  return fmt::format("{} - {} - seed {}", text, counted(threads, "thread"), request.seed);
}

ExitStatus run_training(TrainTask& task, const RunOptions& options, Context& context) {
  task.check();
  if (options.dry_run && (options.resume || !options.log.empty())) {
    throw UsageError("--resume and --log do not go with --dry-run", {.code = "E006"});
  }
  return TrainRun(task, options, context).run();
}

void save_model(const ModelWriter& model, const std::string& path, Output& output,
                const std::string& next, Context& context) {
  model.write(output.stream());
  output.commit();
  context.talk("saved   {}{}", saved_text(path, model), next.empty() ? "" : "   next: " + next);
}

}  // namespace coppice::cli

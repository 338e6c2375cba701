// coppice train tag: a tagger from labelled sentences.
#include <sys/resource.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "cli/checkpoint.h"
#include "cli/context.h"
#include "cli/human.h"
#include "cli/model_output.h"
#include "cli/run_log.h"
#include "cli/train_options.h"
#include "cli/train_report.h"
#include "cli/train_setup.h"
#include "cli/verbs.h"
#include "coppice/base/file.h"

namespace coppice::cli {

namespace {

class TrainTag {
 public:
  TrainTag(TrainTagOptions& options, Context& context)
      : options_(options),
        context_(context),
        threads_(static_cast<unsigned>(context.threads())),
        interrupted_(context.interrupt_poll()) {}

  ExitStatus run() {
    check_train_tag_options(options_);
    if (options_.dry_run) {
      prepare();
      tell_memory();
    } else {
      // What an interrupted run has left is what --resume is for.
      Output output = context_.output_file(
          options_.output, options_.resume ? Overwrite::kAllow : Overwrite::kRefuse);
      prepare();
      if (options_.resume) load_checkpoint(checkpoint_path(), options_, data_, threads_);
      iterate();
      save(output);
    }
    return data_.skipped ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
  }

 private:
  void prepare() {
    data_ = read_training_data(options_, context_);
    training().begin();
    describe_training(options_, data_, threads_.size(), context_);
  }

  void tell_memory() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const std::uint64_t so_far = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    context_.talk("memory  about {} at the most", file_size(so_far + training().bytes_to_come()));
  }

  chain::TaggerTraining& training() { return *data_.training; }
  std::string checkpoint_path() const { return options_.output + ".ckpt"; }

  void iterate() {
    std::optional<RunLog> log;
    if (!options_.log.empty()) {
      log.emplace(context_.log_file(
          options_.log, options_.resume ? LogFile::Opening::kAppend : LogFile::Opening::kNew));
    }
    IterationTable table(data_, context_);
    while (!interrupted(interrupted_) && training().iterate(threads_)) {
      table.step();
      if (log) log->write(training());
    }
    table.finish();
    describe_kept(training(), context_);
  }

  void save(Output& output) {
    if (interrupted(interrupted_)) {
      OutputFile checkpoint(checkpoint_path());
      save_checkpoint(options_, data_, checkpoint.stream());
      checkpoint.commit();
      context_.talk("stop    interrupted; go on with --resume ({})", checkpoint_path());
    } else {
      context_.talk("stop    {}; kept iteration {}", training().stopped(),
                    training().kept_iteration());
      std::error_code ignored;
      std::filesystem::remove(checkpoint_path(), ignored);
    }
    const std::string remarks = training().remarks();
    if (!remarks.empty()) context_.talk("splits  {}", remarks);
    const ModelWriter model = training().model(training_card(options_, data_));
    model.write(output.stream());
    output.commit();
    context_.talk("saved   {}{}", saved_text(options_.output, model), next_step());
  }

  // The command that most people need then, for a file named like the training data.
  std::string next_step() const {
    if (options_.output == "-" || interrupted(interrupted_)) return "";
    const std::string extension = std::filesystem::path(options_.train.front()).extension();
    const std::string& columns = options_.data.columns;
    return fmt::format("   next: coppice eval -m {} test{}{}", options_.output, extension,
                       columns.empty() ? "" : " --columns " + columns);
  }

  TrainTagOptions& options_;
  Context& context_;
  Threads threads_;
  InterruptPoll interrupted_;
  TrainingData data_;
};

}  // namespace

Command train_verb() {
  auto options = std::make_shared<TrainTagOptions>();
  Command tag{
      .name = "tag",
      .summary = "train a tagger: parts of speech, chunks, entities, slots",
      .help =
          "Learns a chain (a linear-chain CRF) that labels every token of a sentence. The last "
          "column of a column file is the label, unless --label-column names another; the "
          "others are the words and what else is known of them.\n\n"
          "Labels that look like IOB1, IOB2, BIOES or BILOU are constrained to valid "
          "sequences, in training and in prediction. The same data, options and seed give the "
          "same model with any number of threads. Ctrl-C saves what there is.",
      .examples = {{"coppice train tag -t train.conll -d dev.conll -o ner.cop", "entities"},
                   {"coppice train tag -t en.conllu --label-column xpos -o xpos.cop", "tags"},
                   {"coppice train tag -t train.conll -d dev.conll -o ner.cop --loss f1",
                    "for the F1 that it is judged by"}},
      .options = train_tag_options(*options),
      .writes_files = true,
      .run = [options](Context& context) { return TrainTag(*options, context).run(); },
  };
  return {.name = "train",
          .summary = "train a model",
          .group = "models",
          .verbs = {std::move(tag), train_classify_verb()}};
}

}  // namespace coppice::cli

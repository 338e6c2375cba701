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
#include "cli/skipped.h"
#include "cli/train_options.h"
#include "cli/train_report.h"
#include "cli/verbs.h"
#include "cli/words_report.h"
#include "coppice/base/file.h"
#include "coppice/tag/training_card.h"
#include "coppice/tag/training_data.h"

namespace coppice::cli {

namespace {

// Tells of skipped records and of word classes.
class ReadingReport final : public tag::ReadingListener {
 public:
  explicit ReadingReport(Context& context) : context_(context) {}

  bool skipped() const noexcept { return skipped_; }

  void at_end(const text::SentenceReader& reader) override {
    skipped_ = report_skipped(reader, context_) || skipped_;
  }
  void learning_classes(const text::ClassLearning& learning,
                        const text::WordBigrams& bigrams) override {
    describe_words(learning, bigrams, context_);
  }
  Progress& progress() override { return context_.progress(); }
  InterruptPoll interrupt_poll() override { return context_.interrupt_poll(); }

 private:
  Context& context_;
  bool skipped_ = false;
};

class TrainTag {
 public:
  TrainTag(TrainTagOptions& options, Context& context)
      : options_(options),
        request_(options.request),
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
      if (options_.resume) load_checkpoint(checkpoint_path(), request_, data_, threads_);
      iterate();
      save(output);
    }
    return skipped_ ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
  }

 private:
  void prepare() {
    request_.curve = !options_.log.empty();
    ReadingReport report(context_);
    data_ = tag::read_training_data(request_, threads_, report);
    skipped_ = report.skipped();
    training().begin();
    describe_training(request_, data_, threads_.size(), context_);
  }

  void tell_memory() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const std::uint64_t so_far = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    context_.talk("memory  about {} at the most", file_size(so_far + training().bytes_to_come()));
  }

  tag::TaggerTraining& training() { return *data_.training; }
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
      save_checkpoint(request_, data_, checkpoint.stream());
      checkpoint.commit();
      context_.talk("stop    interrupted; go on with --resume ({})", checkpoint_path());
    } else {
      context_.talk("stop    {}; kept iteration {}", training().loop().stopped(),
                    training().loop().kept_iteration());
      std::error_code ignored;
      std::filesystem::remove(checkpoint_path(), ignored);
    }
    const std::string remarks = training().remarks();
    if (!remarks.empty()) context_.talk("splits  {}", remarks);
    const ModelWriter model = training().model(tag::training_card(request_, data_));
    model.write(output.stream());
    output.commit();
    context_.talk("saved   {}{}", saved_text(options_.output, model), next_step());
  }

  // The command that most people need then, for a file named like the training data.
  std::string next_step() const {
    if (options_.output == "-" || interrupted(interrupted_)) return "";
    const std::string extension = std::filesystem::path(request_.train.front()).extension();
    const std::string& columns = request_.data.columns;
    return fmt::format("   next: coppice eval -m {} {}{}", shell_word(options_.output),
                       shell_word("test" + extension),
                       columns.empty() ? "" : " --columns " + shell_word(columns));
  }

  TrainTagOptions& options_;
  tag::TrainingRequest& request_;
  Context& context_;
  Threads threads_;
  InterruptPoll interrupted_;
  tag::TrainingData data_;
  bool skipped_ = false;  // whether records with problems were left out
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

// coppice train tag: a tagger from labelled sentences.
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/human.h"
#include "cli/skipped.h"
#include "cli/tag.h"
#include "cli/train_run.h"
#include "cli/words_report.h"
#include "coppice/tag/training_run.h"
#include "coppice/text/spans.h"

namespace coppice::cli {

namespace {

constexpr std::size_t kLabelsShown = 12;

struct TrainTagOptions {
  tag::TrainingRequest request;
  RunOptions run;
};

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

double per_token(std::uint64_t count, const chain::KeptCounts& kept) {
  return static_cast<double>(count) / static_cast<double>(kept.tokens);
}

class TrainTag final : public TrainTask {
 public:
  explicit TrainTag(TrainTagOptions& options) : options_(options), request_(options.request) {}

  void check() const override { tag::check(request_); }

  std::unique_ptr<learn::TrainingRun> read(const Threads& threads, Context& context) override {
    request_.curve = !options_.run.log.empty();
    ReadingReport report(context);
    auto run = std::make_unique<tag::TaggerRun>(request_,
                                                tag::read_training_data(request_, threads, report));
    skipped_ = report.skipped();
    run_ = run.get();
    return run;
  }

  bool skipped() const noexcept override { return skipped_; }

  void describe(unsigned threads, Context& context) const override {
    const tag::TaggerConfig& config = run_->training().config();
    const std::size_t labels = config.labels.size();
    std::string names;
    for (std::size_t y = 0; y < labels && y < kLabelsShown; ++y) names += ' ' + config.labels[y];
    if (labels > kLabelsShown) names += " ...";
    context.talk("labels  {}:{}   scheme {} ({} of {} pairs allowed)", labels, names,
                 text::to_string(config.scheme), run_->training().num_allowed_pairs(),
                 labels * labels);
    context.talk("model   chain of order {}, {}", config.order, learner_text(*run_, threads));
  }

  // What share of the label sequences pruning has left, where there is any.
  void describe_end(Context& context) const override {
    const chain::KeptCounts kept = run_->training().kept();
    if (kept.tokens == 0) return;
    const std::size_t labels = run_->training().config().labels.size();
    const unsigned window = run_->training().config().order + 1;
    context.talk("pruned  {:.2f} of {} labels and {:.2f} of {}^{} sequences of {} kept a token",
                 per_token(kept.labels, kept), labels, per_token(kept.edges, kept), labels, window,
                 window);
  }

  // For a file named like the training data.
  std::string next_step(const std::string& model) const override {
    const std::string extension = std::filesystem::path(request_.train.front()).extension();
    const std::string& columns = request_.data.columns;
    return fmt::format("coppice eval -m {} {}{}", shell_word(model), shell_word("test" + extension),
                       columns.empty() ? "" : " --columns " + shell_word(columns));
  }

 private:
  TrainTagOptions& options_;
  tag::TrainingRequest& request_;
  const tag::TaggerRun* run_ = nullptr;  // the caller's
  bool skipped_ = false;
};

}  // namespace

Command train_tag_verb() {
  auto options = std::make_shared<TrainTagOptions>();
  return {
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
      .options = with_run_options(tag::training_request_options(options->request), options->run),
      .writes_files = true,
      .run =
          [options](Context& context) {
            TrainTag task(*options);
            return run_training(task, options->run, context);
          },
  };
}

}  // namespace coppice::cli

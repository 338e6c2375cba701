// coppice train tag: a tagger from labelled sentences.
#include <fmt/core.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "cli/context.h"
#include "cli/data_options.h"
#include "cli/human.h"
#include "cli/usage_error.h"
#include "cli/verbs.h"
#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "coppice/chain/tagger_training.h"
#include "coppice/eval/signature.h"
#include "coppice/text/template_defaults.h"
#include "coppice/text/template_import.h"

namespace coppice::cli {

namespace {

using Clock = std::chrono::steady_clock;

struct TrainTagOptions {
  DataOptions data;
  std::vector<std::string> train;
  std::string development;
  std::string output;
  std::string templates;
  std::string template_format = "coppice";
  std::string features = "observed";
  std::uint64_t min_count = 1;
  int order = 1;
  double l1 = 0;
  double l2 = 0.5;
  std::uint64_t passes = 4;
  std::uint64_t max_iterations = 200;
  std::uint64_t patience = 5;
  std::uint64_t check_every = 5;
  std::uint64_t seed = 1;
  bool unconstrained = false;
  bool resume = false;
};

struct Corpus {
  std::uint64_t sentences = 0;
  std::uint64_t tokens = 0;
  std::string digest;
};

text::TemplateSet templates_of(const TrainTagOptions& options,
                               const std::vector<std::string>& columns) {
  if (options.templates.empty()) return text::default_templates(columns);
  const std::string text = read_file(options.templates);
  const text::TemplateSource source{.file = options.templates, .columns = columns};
  if (options.template_format == "crfpp") return text::import_crfpp_templates(text, source);
  if (options.template_format == "wapiti") return text::import_wapiti_patterns(text, source);
  return text::parse_templates(text, source);
}

// The columns that templates may read: named ones other than the labels'.
struct FeatureColumns {
  std::vector<std::size_t> places;
  std::vector<std::string> names;
};

FeatureColumns feature_columns(const text::SentenceReader& reader, std::size_t label_column,
                               text::Format format) {
  FeatureColumns columns;
  const text::ColumnNames& names = reader.column_names();
  for (std::size_t c = 0; c < names.size(); ++c) {
    // Of CoNLL-U's ten columns, the others are annotation too.
    const bool is_input = format != text::Format::kConllu || names[c] == "form";
    if (c == label_column || names[c] == "_" || !is_input) continue;
    columns.places.push_back(c);
    columns.names.push_back(names[c]);
  }
  return columns;
}

chain::TaggerTrainingOptions training_options(const TrainTagOptions& options,
                                              const LabelledReader& reader) {
  const std::size_t label_column = reader.label_column().value_or(0);
  const FeatureColumns columns =
      feature_columns(reader.reader(), label_column, reader.sentence().format());
  chain::TaggerTrainingOptions training;
  training.templates = templates_of(options, columns.names);
  training.resources = text::load_resources(
      training.templates, std::filesystem::path(options.templates).parent_path().string());
  training.encoder = {columns.places, label_column, options.min_count};
  training.label_column = reader.reader().column_names()[label_column];
  training.likelihood = {options.order == 0 ? chain::Order::kIndependent : chain::Order::kFirst,
                         options.features == "all" ? FeatureSet::kAllPairs : FeatureSet::kObserved};
  training.trainer.l1 = options.l1;
  training.trainer.l2 = options.l2;
  training.trainer.seed = options.seed;
  training.trainer.stochastic_passes = static_cast<unsigned>(options.passes);
  training.trainer.stopping.max_iterations = options.max_iterations;
  training.trainer.batch = options.max_iterations > 0;
  training.constrain = !options.unconstrained;
  training.patience = static_cast<unsigned>(options.patience);
  training.check_every = static_cast<unsigned>(options.check_every);
  return training;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

class TrainTag {
 public:
  TrainTag(const TrainTagOptions& options, Context& context)
      : options_(options),
        context_(context),
        threads_(static_cast<unsigned>(context.threads())),
        interrupted_(context.interrupt_poll()) {}

  ExitStatus run() {
    Output output = context_.output_file(options_.output);
    read_training_data();
    if (!options_.development.empty()) read_development_data();
    training_->begin();
    describe();
    if (options_.resume) resume();
    iterate();
    save(output);
    return skipped_ ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
  }

 private:
  void read_training_data() {
    for (const std::string& path : options_.train) {
      LabelledReader reader(path, options_.data, text::Format::kColumns);
      while (reader.next()) {
        reader.require_labels();
        if (!training_) training_.emplace(training_options(options_, reader));
        training_->add(reader.sentence());
      }
      text::require_sentences(reader.reader());
      note(reader, path, train_);
    }
  }

  void read_development_data() {
    LabelledReader reader(options_.development, options_.data, text::Format::kColumns);
    while (reader.next()) {
      reader.require_labels();
      training_->add_development(reader.sentence());
    }
    text::require_sentences(reader.reader());
    note(reader, options_.development, development_);
  }

  void note(const LabelledReader& reader, const std::string& path, Corpus& corpus) {
    corpus.sentences += reader.reader().counts().sentences;
    corpus.tokens += reader.reader().counts().tokens;
    corpus.digest = path == "-" ? "" : eval::digest(corpus.digest + read_file(path));
    description_ = reader.reader().description();
    skipped_ = report_skipped(reader.reader(), context_) || skipped_;
  }

  void describe() {
    const chain::TaggerConfig& config = training_->config();
    const std::size_t labels = config.labels.size();
    std::string data =
        fmt::format("train {} sent {} tok", thousands(train_.sentences), thousands(train_.tokens));
    if (development_.sentences > 0) {
      data += fmt::format(" - dev {} sent {} tok", thousands(development_.sentences),
                          thousands(development_.tokens));
    }
    context_.talk("data    {} - {}", data, description_);
    std::string names;
    for (std::size_t y = 0; y < labels && y < 12; ++y) names += ' ' + config.labels[y];
    if (labels > 12) names += " ...";
    context_.talk("labels  {}:{}   scheme {} ({} of {} pairs allowed)", labels, names,
                  text::to_string(config.scheme), training_->num_allowed_pairs(), labels * labels);
    context_.talk("model   chain of order {}, {} features, l1={} l2={} - {} - seed {}",
                  config.order, thousands(training_->likelihood().num_features()), options_.l1,
                  options_.l2, counted(threads_.size(), "thread"), options_.seed);
  }

  std::string checkpoint_path() const { return options_.output + ".ckpt"; }

  void resume() {
    std::istringstream in(read_file(checkpoint_path()));
    training_->load(in);
  }

  void iterate() {
    const bool spans = training_->scores_spans();
    const bool develops = development_.sentences > 0;
    std::vector<Column> columns{{"iter", 6}, {"objective", 13}, {"|grad|", 9, 3}};
    columns[2].key = "grad";
    if (develops && spans) columns.insert(columns.end(), {{"dev P", 7}, {"dev R", 7}});
    if (develops) columns.push_back({spans ? "dev F1" : "dev acc", 7});
    columns.insert(columns.end(), {{"tok/s", 7}, {"time", 7}});
    for (Column& column : columns) column.align = Align::kRight;
    Table table = context_.stage_table(columns);
    const auto begin = Clock::now();
    std::uint64_t evaluations = training_->progress().evaluations;
    auto last = begin;
    while (!interrupted(interrupted_) && training_->iterate(threads_)) {
      const chain::TrainingProgress& progress = training_->progress();
      const chain::DevelopmentScore& score = training_->development();
      const bool is_last = !progress.stopped.empty();
      if (!progress.stochastic && !score.checked && progress.iteration % 10 != 0 && !is_last)
        continue;
      const auto now = Clock::now();
      const double passed = std::chrono::duration<double>(now - last).count();
      const double rate =
          static_cast<double>((progress.evaluations - evaluations) * train_.tokens) / passed;
      evaluations = progress.evaluations;
      last = now;
      std::vector<Cell> row{fmt::format("{}{}", score.best ? "*" : "", progress.iteration),
                            progress.objective};
      row.push_back(progress.stochastic ? Cell("") : Cell(progress.gradient_norm));
      if (develops && spans) {
        row.push_back(score.checked ? Cell(100 * score.precision) : Cell(""));
        row.push_back(score.checked ? Cell(100 * score.recall) : Cell(""));
      }
      if (develops) row.push_back(score.checked ? Cell(100 * score.score) : Cell(""));
      row.push_back(compact(rate));
      row.push_back(duration(std::chrono::duration<double>(now - begin).count()));
      table.row(std::move(row));
      if (score.best) best_ = score;
    }
    table.finish();
  }

  std::string card() const {
    nlohmann::ordered_json card{{"v", 1},
                                {"task", "tag"},
                                {"date", today()},
                                {"train",
                                 {{"files", options_.train},
                                  {"sentences", train_.sentences},
                                  {"tokens", train_.tokens},
                                  {"digest", train_.digest}}},
                                {"options",
                                 {{"order", options_.order},
                                  {"features", options_.features},
                                  {"min-count", options_.min_count},
                                  {"l1", options_.l1},
                                  {"l2", options_.l2},
                                  {"passes", options_.passes},
                                  {"max-iterations", options_.max_iterations},
                                  {"seed", options_.seed}}},
                                {"features", training_->likelihood().num_features()},
                                {"iteration", training_->kept_iteration()},
                                {"labels", training_->config().labels}};
    if (development_.sentences > 0) {
      card["development"] = {{"file", options_.development},
                             {"sentences", development_.sentences},
                             {"digest", development_.digest},
                             {training_->scores_spans() ? "f1" : "accuracy", best_.score}};
    }
    return card.dump(2);
  }

  void save(Output& output) {
    const bool stopped_early = interrupted(interrupted_);
    if (stopped_early) {
      OutputFile checkpoint(checkpoint_path());
      training_->save(checkpoint.stream());
      checkpoint.commit();
      context_.talk("stop    interrupted; go on with --resume ({})", checkpoint_path());
    } else {
      context_.talk("stop    {}; kept iteration {}", training_->stopped(),
                    training_->kept_iteration());
      std::error_code ignored;
      std::filesystem::remove(checkpoint_path(), ignored);
    }
    const ModelWriter model = training_->model(card());
    model.write(output.stream());
    output.commit();
    context_.talk("saved   {} ({})", options_.output, model.payload_digest().substr(0, 16));
  }

  const TrainTagOptions& options_;
  Context& context_;
  Threads threads_;
  InterruptPoll interrupted_;
  std::optional<chain::TaggerTraining> training_;
  Corpus train_, development_;
  std::string description_;
  chain::DevelopmentScore best_;
  bool skipped_ = false;
};

std::vector<Option> options_of(TrainTagOptions& o) {
  std::vector<Option> options{
      {.name = "train",
       .letter = 't',
       .value = &o.train,
       .metavar = "FILE",
       .help = "training data; may be given several times",
       .required = true,
       .separate = true},
      {.name = "dev",
       .letter = 'd',
       .value = &o.development,
       .metavar = "FILE",
       .help = "development data: the best check's weights are kept"},
      {.name = "output",
       .letter = 'o',
       .value = &o.output,
       .metavar = "FILE",
       .help = "the model to write",
       .required = true},
      {.name = "templates",
       .value = &o.templates,
       .metavar = "FILE",
       .help = "feature templates (docs/templates.md); without it, a set for any language"},
      {.name = "template-format",
       .value = &o.template_format,
       .choices = {"coppice", "crfpp", "wapiti"},
       .help = "what kind of template file it is"},
      {.name = "features",
       .value = &o.features,
       .choices = {"observed", "all"},
       .help = "pairs of attribute and label seen in training, or all of them"},
      {.name = "min-count",
       .value = &o.min_count,
       .metavar = "N",
       .help = "leave out attributes that occur less often",
       .min = 1},
      {.name = "order",
       .value = &o.order,
       .metavar = "N",
       .help = "labels that a label depends on: 0 or 1",
       .min = 0,
       .max = 1},
      {.name = "l1", .value = &o.l1, .metavar = "X", .help = "penalty l1 * |w|", .min = 0},
      {.name = "l2", .value = &o.l2, .metavar = "X", .help = "penalty l2 * w^2", .min = 0},
      {.name = "passes",
       .value = &o.passes,
       .metavar = "N",
       .help = "stochastic passes before L-BFGS",
       .advanced = true},
      {.name = "max-iterations",
       .value = &o.max_iterations,
       .metavar = "N",
       .help = "L-BFGS iterations at the most; 0 for stochastic passes only"},
      {.name = "patience",
       .value = &o.patience,
       .metavar = "N",
       .help = "stop when so many checks were not better; 0: never"},
      {.name = "check-every",
       .value = &o.check_every,
       .metavar = "N",
       .help = "iterations between checks on the development data",
       .advanced = true,
       .min = 1},
      {.name = "unconstrained",
       .value = &o.unconstrained,
       .help = "allow label sequences that break their scheme (I-X after O)"},
      {.name = "seed", .value = &o.seed, .metavar = "N", .help = "of the order of sentences"},
      {.name = "resume",
       .value = &o.resume,
       .help = "go on from OUTPUT.ckpt, with the same data and options"},
  };
  for (Option& option : data_options(o.data)) options.push_back(std::move(option));
  return options;
}

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
                   {"coppice train tag -t en.conllu --label-column xpos -o xpos.cop", "tags"}},
      .options = options_of(*options),
      .writes_files = true,
      .run = [options](Context& context) { return TrainTag(*options, context).run(); },
  };
  return {
      .name = "train", .summary = "train a model", .group = "models", .verbs = {std::move(tag)}};
}

}  // namespace coppice::cli

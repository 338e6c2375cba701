// coppice train classify: a classifier from lines of features.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/context.h"
#include "cli/human.h"
#include "cli/model_output.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "coppice/base/symbols.h"
#include "coppice/text/feature_lines.h"
#include "coppice/trees/classifier_training.h"
#include "coppice/trees/example_file.h"

namespace coppice::cli {

namespace {

struct TrainClassifyOptions {
  std::string train;
  std::string development;
  std::string output;
  std::string map;
  std::uint64_t min_count = 1;
  std::uint64_t max_bins = 255;
  double min_lambda = 1;
  double lambda_factor = 0.7;
  double tolerance = 1e-4;
  double sample = 1;
  std::uint64_t max_trees = 0;
  std::uint64_t max_depth = 3;
  std::string fit = "all";
  double question_cost = 2;
  std::uint64_t max_leaves = 0;
  std::uint64_t patience = 3;
  double within = 0;
  std::uint64_t seed = 1;
};

trees::L1Options boosting_options(const TrainClassifyOptions& options) {
  trees::L1Options boosting;
  boosting.grow.max_leaves = options.max_leaves;
  boosting.grow.max_depth = options.max_depth;
  boosting.fit = options.fit == "tree" ? trees::Fit::kTree : trees::Fit::kAll;
  boosting.question_cost = options.question_cost;
  boosting.lambda_factor = options.lambda_factor;
  boosting.min_lambda = options.min_lambda;
  boosting.max_trees = options.max_trees;
  boosting.tolerance = options.tolerance;
  boosting.sample = options.sample;
  boosting.patience = static_cast<unsigned>(options.patience);
  boosting.within = options.within;
  boosting.seed = options.seed;
  return boosting;
}

// Calls take(example) for every line of a file.
template <class Take>
void for_each_example(LineReader lines, const Take& take) {
  text::FeatureLineReader reader{std::move(lines)};
  text::FeatureLine example;
  std::size_t count = 0;
  for (; reader.next(example); ++count) take(example, reader.name());
  if (count == 0) {
    throw ParseError("the file has no examples",
                     {.code = "E264", .where = {.file = reader.name()}});
  }
}

class TrainClassify {
 public:
  TrainClassify(const TrainClassifyOptions& options, Context& context)
      : options_(options),
        context_(context),
        threads_(static_cast<unsigned>(context.threads())),
        interrupted_(context.interrupt_poll()) {}

  ExitStatus run() {
    Output output = context_.output_file(options_.output);
    if (trees::ExampleFile::is_one(options_.train)) {
      mapped_.emplace(options_.train);
    } else {
      read_training_data();
    }
    if (mapped_) {
      features_ = mapped_->features();
      labels_ = mapped_->labels();
    }
    if (!options_.development.empty()) read_development_data();
    trees::ClassifierTraining training(features_, labels_, train_view(), development_.view(),
                                       boosting_options(options_));
    describe();
    iterate(training);
    save(training, output);
    return ExitStatus::kDone;
  }

 private:
  trees::ExampleView train_view() const { return mapped_ ? mapped_->view() : train_.view(); }

  // Twice: the features must be known before examples can be laid out.
  void read_training_data() {
    const RepeatableInput input(options_.train);
    trees::FeatureCounter counter;
    for_each_example(input.open(), [&](const text::FeatureLine& example, const std::string&) {
      for (const auto& feature : example.features) counter.observe(feature.name, feature.value);
    });
    features_ = counter.table({options_.min_count, options_.max_bins});
    Symbols labels;
    std::unique_ptr<trees::ExampleFileWriter> file;
    if (!options_.map.empty()) {
      file = std::make_unique<trees::ExampleFileWriter>(
          options_.map, context_.overwrites() ? Overwrite::kAllow : Overwrite::kRefuse);
    }
    std::vector<std::uint32_t> bins;
    for_each_example(input.open(), [&](const text::FeatureLine& example, const std::string& name) {
      require_label(example, name);
      features_.encode(example.features, bins);
      const auto label = static_cast<std::uint16_t>(index(labels.add(example.label)));
      require(labels.size() < 0xffff, "more than 65534 labels");
      const auto importance = static_cast<float>(example.importance);
      file ? file->add(bins, label, importance) : train_.add(bins, label, importance);
    });
    for (const SymbolId id : labels.ids()) labels_.emplace_back(labels[id]);
    if (!file) return;
    file->commit(features_, labels_);
    mapped_.emplace(options_.map);
  }

  static void require_label(const text::FeatureLine& example, const std::string& name) {
    if (example.has_label()) return;
    throw ParseError("the example has no label",
                     {.code = "E263", .where = {.file = name, .line = example.line}});
  }

  void read_development_data() {
    std::vector<std::uint32_t> bins;
    for_each_example(LineReader(options_.development), [&](const text::FeatureLine& example,
                                                           const std::string& name) {
      const auto found = std::find(labels_.begin(), labels_.end(), example.label);
      if (found == labels_.end()) {
        throw ParseError(fmt::format("the training data has no label \"{}\"", example.label),
                         {.code = "E263", .where = {.file = name, .line = example.line}});
      }
      features_.encode(example.features, bins);
      development_.add(bins, static_cast<std::uint16_t>(found - labels_.begin()),
                       static_cast<float>(example.importance));
    });
  }

  void describe() const {
    const trees::ExampleView train = train_view();
    std::string data = fmt::format("train {} examples", thousands(train.size()));
    if (development_.size() > 0) data += fmt::format(" - dev {}", thousands(development_.size()));
    context_.talk("data    {} - {} features, {} on{}", data,
                  thousands(features_.schema().num_features()), thousands(train.rows.bins.size()),
                  mapped_ ? " - mapped" : "");
    std::string names;
    for (std::size_t k = 0; k < labels_.size() && k < 12; ++k) names += ' ' + labels_[k];
    context_.talk("labels  {}:{}{}", labels_.size(), names, labels_.size() > 12 ? " ..." : "");
  }

  void iterate(trees::ClassifierTraining& training) {
    std::vector<Column> columns{
        {"lambda", 10, 3}, {"trees", 7}, {"features", 9}, {"objective", 13}, {"loss", 8, 4}};
    if (development_.size() > 0) columns.push_back({"dev loss", 9, 4});
    columns.push_back({"time", 7});
    columns[0].key = "lambda";
    for (Column& column : columns) column.align = Align::kRight;
    Table table = context_.stage_table(columns);
    const auto begin = std::chrono::steady_clock::now();
    double first_lambda = 0;
    bool more = true;
    while (more && !interrupted(interrupted_)) {
      more = training.step(threads_);
      const trees::TrainingSummary now = training.summary();
      if (first_lambda == 0) first_lambda = now.lambda;
      const double passed =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      std::vector<Cell> row{now.lambda, std::uint64_t{now.trees}, std::uint64_t{now.features},
                            now.objective, now.loss};
      if (now.development_loss) row.emplace_back(*now.development_loss);
      row.emplace_back(duration(passed));
      table.row(std::move(row));
      if (more) context_.display().show_line(path_line(first_lambda, now, passed));
    }
    table.finish();
  }

  // How far down the path, whose lambdas are apart by a factor; points of small lambdas take
  // longer.
  std::string path_line(double first_lambda, const trees::TrainingSummary& now,
                        double passed) const {
    constexpr std::size_t bar_columns = 20;
    const double length = std::log(first_lambda / options_.min_lambda);
    const double walked = std::log(first_lambda / now.lambda);
    return fmt::format("lambda {:.3g}, down to {:.3g} {}  {}", now.lambda, options_.min_lambda,
                       bar(length > 0 ? std::clamp(walked / length, 0.0, 1.0) : 1, bar_columns),
                       duration(passed));
  }

  std::string card(const trees::ClassifierTraining& training) const {
    std::size_t compound = 0, used_trees = 0;
    for (const trees::OutputPath& path : training.paths()) {
      if (path.points.empty()) continue;
      compound += path.points[path.chosen].features;
      used_trees += path.points[path.chosen].trees;
    }
    nlohmann::ordered_json card{
        {"v", 1},
        {"task", "classify"},
        {"train", {{"file", options_.train}, {"examples", train_view().size()}}},
        {"options",
         {{"min-count", options_.min_count},
          {"min-lambda", options_.min_lambda},
          {"lambda-factor", options_.lambda_factor},
          {"fit", options_.fit},
          {"question-cost", options_.question_cost},
          {"max-depth", options_.max_depth},
          {"max-leaves", options_.max_leaves},
          {"within", options_.within},
          {"sample", options_.sample},
          {"seed", options_.seed}}},
        {"trees", used_trees},
        {"compound features", compound},
        {"labels", labels_}};
    if (development_.size() > 0) {
      card["development"] = {{"file", options_.development}, {"examples", development_.size()}};
    }
    return card.dump(2);
  }

  void save(const trees::ClassifierTraining& training, Output& output) {
    for (const trees::OutputPath& path : training.paths()) {
      if (path.points.empty() || labels_.size() > 12) continue;
      const trees::PathPoint& point = path.points[path.chosen];
      context_.talk("chosen  {}: lambda {:.3f}, {} of {}", labels_[path.positive], point.lambda,
                    counted(point.features, "compound feature"), counted(point.trees, "tree"));
    }
    const ModelWriter model = training.model(card(training));
    model.write(output.stream());
    output.commit();
    context_.talk("saved   {}", saved_text(options_.output, model));
  }

  const TrainClassifyOptions& options_;
  Context& context_;
  Threads threads_;
  InterruptPoll interrupted_;
  trees::FeatureTable features_;
  std::vector<std::string> labels_;
  trees::ExampleTable train_, development_;
  std::optional<trees::ExampleFile> mapped_;
};

std::vector<Option> options_of(TrainClassifyOptions& o) {
  return {
      {.name = "train",
       .letter = 't',
       .value = &o.train,
       .metavar = "FILE",
       .help = "training data: lines of features, or what --map wrote",
       .required = true},
      {.name = "dev",
       .letter = 'd',
       .value = &o.development,
       .metavar = "FILE",
       .help = "development data: the lambda with the lowest log-loss there is chosen"},
      {.name = "output",
       .letter = 'o',
       .value = &o.output,
       .metavar = "FILE",
       .help = "the model to write",
       .required = true},
      {.name = "map",
       .value = &o.map,
       .metavar = "FILE",
       .help = "keep the examples in this file, not in memory; it can be given to -t later"},
      {.name = "min-count",
       .value = &o.min_count,
       .metavar = "N",
       .help = "leave out features that fewer examples have",
       .min = 1},
      {.name = "min-lambda",
       .value = &o.min_lambda,
       .metavar = "X",
       .help = "the end of the path: the least penalty"},
      {.name = "lambda-factor",
       .value = &o.lambda_factor,
       .metavar = "X",
       .help = "by which lambda is lowered at each point of the path"},
      {.name = "patience",
       .value = &o.patience,
       .metavar = "N",
       .help = "stop when so many points of the path were not better; 0: never"},
      {.name = "within",
       .value = &o.within,
       .metavar = "X",
       .help = "choose the largest lambda whose development loss exceeds the lowest by no more "
               "than this share",
       .min = 0},
      {.name = "fit",
       .value = &o.fit,
       .choices = {"all", "tree"},
       .help = "what is fitted in a round: the weights of all compound features together, or the "
               "leaves of one tree, which is for data larger than memory"},
      {.name = "question-cost",
       .value = &o.question_cost,
       .metavar = "X",
       .help = "every question of a conjunction but the first adds so many lambdas to its penalty",
       .min = 0},
      {.name = "max-trees",
       .value = &o.max_trees,
       .metavar = "N",
       .help = "trees at the most, for each class; with --fit all, compound features; 0: no limit"},
      {.name = "max-depth",
       .value = &o.max_depth,
       .metavar = "N",
       .help = "questions in a conjunction at the most; 0: no limit"},
      {.name = "max-leaves",
       .value = &o.max_leaves,
       .metavar = "N",
       .help = "leaves of a tree at the most; 0: no limit"},
      {.name = "sample",
       .value = &o.sample,
       .metavar = "X",
       .help = "choose splits on this share of the examples; leaves are fitted on all",
       .only_with = {"fit", {"tree"}}},
      {.name = "tolerance",
       .value = &o.tolerance,
       .metavar = "X",
       .help = "lower lambda when a round takes less than this share off the objective",
       .advanced = true,
       .min = 0},
      {.name = "max-bins",
       .value = &o.max_bins,
       .metavar = "N",
       .help = "intervals of a feature with values",
       .advanced = true,
       .min = 2,
       .max = 65535},
      {.name = "seed", .value = &o.seed, .metavar = "N", .help = "of samples", .advanced = true},
  };
}

}  // namespace

Command train_classify_verb() {
  auto options = std::make_shared<TrainClassifyOptions>();
  return {
      .name = "classify",
      .summary = "train a classifier on lines of features",
      .help =
          "Learns l1-regularised boosted trees: a small number of conjunctions of features, each "
          "with a weight. Two labels, or more (one against the rest). One run walks the whole path "
          "of penalties from strong to weak; the model at each of them is in the file.\n\n"
          "A line is a label and features, separated by blanks; features may have values "
          "(age:31), labels an importance (spam:2). docs/classifying.md has the format. The same "
          "data, options and seed give the same model with any number of threads.",
      .examples = {{"coppice train classify -t train.txt -d dev.txt -o spam.cop", "a classifier"},
                   {"coppice inspect spam.cop --compound 10", "what it has learnt"},
                   {"coppice predict -m spam.cop new.txt", "labels and their probabilities"}},
      .options = options_of(*options),
      .writes_files = true,
      .run = [options](Context& context) { return TrainClassify(*options, context).run(); },
  };
}

}  // namespace coppice::cli

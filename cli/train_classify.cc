// coppice train classify: a classifier from lines of features.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

#include "cli/classify.h"
#include "cli/human.h"
#include "cli/train_run.h"
#include "coppice/classify/classifier_training.h"
#include "coppice/classify/training_data.h"

namespace coppice::cli {

namespace {

constexpr std::size_t kClassesShown = 12;

struct TrainClassifyOptions {
  classify::TrainingRequest request;
  std::string output;
  std::string map;
};

class TrainClassify {
 public:
  TrainClassify(TrainClassifyOptions& options, Context& context)
      : options_(options),
        request_(options.request),
        context_(context),
        threads_(static_cast<unsigned>(context.threads())),
        interrupted_(context.interrupt_poll()) {}

  ExitStatus run() {
    Output output = context_.output_file(options_.output);
    data_ = classify::read_training_data(
        request_, {.path = options_.map,
                   .overwrite = context_.overwrites() ? Overwrite::kAllow : Overwrite::kRefuse});
    classify::ClassifierTraining training(data_.features, data_.labels, data_.train(),
                                          data_.development.view(),
                                          classify::boosting_options(request_));
    describe();
    iterate(training);
    tell_chosen(training);
    save_model(training.model(classify::training_card(request_, data_, training)), options_.output,
               output, "", context_);
    return ExitStatus::kDone;
  }

 private:
  void describe() const {
    const trees::ExampleView train = data_.train();
    std::string data = fmt::format("train {} examples", thousands(train.size()));
    if (data_.development.size() > 0)
      data += fmt::format(" - dev {}", thousands(data_.development.size()));
    context_.talk("data    {} - {} features, {} on{}", data,
                  thousands(data_.features.schema().num_features()),
                  thousands(train.rows.bins.size()), data_.mapped ? " - mapped" : "");
    std::string names;
    for (std::size_t k = 0; k < data_.labels.size() && k < kClassesShown; ++k)
      names += ' ' + data_.labels[k];
    context_.talk("labels  {}:{}{}", data_.labels.size(), names,
                  data_.labels.size() > kClassesShown ? " ..." : "");
  }

  void iterate(classify::ClassifierTraining& training) {
    std::vector<Column> columns{
        {"lambda", 10, 3}, {"trees", 7}, {"features", 9}, {"objective", 13}, {"loss", 8, 4}};
    if (data_.development.size() > 0) columns.push_back({"dev loss", 9, 4});
    columns.push_back({"time", 7});
    columns[0].key = "lambda";
    for (Column& column : columns) column.align = Align::kRight;
    Table table = context_.stage_table(columns);
    const auto begin = std::chrono::steady_clock::now();
    double first_lambda = 0;
    bool more = true;
    while (more && !interrupted(interrupted_)) {
      more = training.step(threads_);
      const classify::TrainingSummary now = training.summary();
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
  std::string path_line(double first_lambda, const classify::TrainingSummary& now,
                        double passed) const {
    constexpr std::size_t bar_columns = 20;
    const double length = std::log(first_lambda / request_.boosting.min_lambda);
    const double walked = std::log(first_lambda / now.lambda);
    return fmt::format(
        "lambda {:.3g}, down to {:.3g} {}  {}", now.lambda, request_.boosting.min_lambda,
        bar(length > 0 ? std::clamp(walked / length, 0.0, 1.0) : 1, bar_columns), duration(passed));
  }

  void tell_chosen(const classify::ClassifierTraining& training) {
    for (const classify::OutputPath& path : training.paths()) {
      if (path.points.empty() || data_.labels.size() > kClassesShown) continue;
      const trees::PathPoint& point = path.points[path.chosen];
      context_.talk("chosen  {}: lambda {:.3f}, {} of {}", data_.labels[path.positive],
                    point.lambda, counted(point.features, "compound feature"),
                    counted(point.trees, "tree"));
    }
  }

  const TrainClassifyOptions& options_;
  classify::TrainingRequest& request_;
  Context& context_;
  Threads threads_;
  InterruptPoll interrupted_;
  classify::ClassifierData data_;
};

std::vector<Option> options_of(TrainClassifyOptions& options) {
  std::vector<Option> all = classify::training_request_options(options.request);
  all.front().required = true;  // --train
  insert_before(all, "min-count",
                {{.name = "output",
                  .letter = 'o',
                  .value = &options.output,
                  .metavar = "FILE",
                  .help = "the model to write",
                  .required = true},
                 {.name = "map",
                  .value = &options.map,
                  .metavar = "FILE",
                  .help = "keep the examples in this file, not in memory; it can be given to -t "
                          "later"}});
  return all;
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

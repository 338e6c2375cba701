#include "cli/classify.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "cli/eval.h"
#include "cli/human.h"
#include "cli/predict.h"
#include "coppice/base/error.h"
#include "coppice/base/usage_error.h"
#include "coppice/classify/classifier.h"
#include "coppice/eval/span_score.h"
#include "coppice/tag/predictor.h"
#include "coppice/text/feature_lines.h"

namespace coppice::cli {

namespace {

using Json = nlohmann::ordered_json;

// Reads examples one by one and knows the probabilities of their classes.
class ClassReader {
 public:
  ClassReader(const classify::Classifier& classifier, const std::string& path)
      : classifier_(classifier),
        reader_(LineReader(path)),
        probabilities_(classifier.labels().size()) {}

  bool next() {
    if (!reader_.next(example_)) return false;
    classifier_.features().encode(example_.features, bins_);
    classifier_.probabilities(bins_, probabilities_, scratch_);
    return true;
  }

  const text::FeatureLine& example() const { return example_; }
  const std::vector<double>& probabilities() const { return probabilities_; }
  const std::string& name() const { return reader_.name(); }

  // Classes, the most probable first.
  std::vector<std::size_t> ranked() const {
    std::vector<std::size_t> order(probabilities_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return probabilities_[a] > probabilities_[b];
    });
    return order;
  }

 private:
  const classify::Classifier& classifier_;
  text::FeatureLineReader reader_;
  text::FeatureLine example_;
  std::vector<std::uint32_t> bins_;
  std::vector<double> probabilities_;
  trees::Predictor::Scratch scratch_;
};

void write_record(const ClassReader& reader, const std::vector<std::string>& labels,
                  const PredictOptions& options, std::size_t top, std::ostream& out) {
  const std::vector<std::size_t> order = reader.ranked();
  const std::vector<double>& p = reader.probabilities();
  if (options.out_format == "jsonl") {
    Json shown = Json::array();
    for (std::size_t i = 0; i < std::max<std::size_t>(top, 1); ++i) {
      shown.push_back({labels[order[i]], p[order[i]]});
    }
    out << Json{{"v", 1}, {"label", labels[order[0]]}, {"p", shown}}.dump() << '\n';
    return;
  }
  out << labels[order[0]];
  if (top == 0) out << fmt::format("\t{:.6f}", p[order[0]]);
  for (std::size_t i = 0; i < top; ++i) {
    out << fmt::format("\t{}:{:.6f}", labels[order[i]], p[order[i]]);
  }
  out << '\n';
}

constexpr std::size_t kNegationsShown = 5;

// "a and b and not c nor 31 others": what must hold, then what must not.
std::string conjunction_text(const classify::CompoundFeature& feature, bool whole) {
  std::string text;
  std::size_t negations = 0;
  for (const bool negated : {false, true}) {
    for (const classify::Condition& condition : feature.conditions) {
      if (condition.negated != negated) continue;
      negations += negated ? 1 : 0;
      if (negations > kNegationsShown && !whole) continue;
      text += (text.empty() ? "" : " and ") + condition.text;
    }
  }
  if (negations > kNegationsShown && !whole) {
    text += fmt::format(" nor {}", counted(negations - kNegationsShown, "other"));
  }
  return text.empty() ? "always" : text;
}

struct ClassScores {
  std::vector<eval::Counts> counts;  // by class
  double examples = 0, correct = 0, loss = 0;
};

ClassScores score_file(const classify::Classifier& classifier, const std::string& gold) {
  const std::vector<std::string>& labels = classifier.labels();
  ClassScores scores;
  scores.counts.resize(labels.size());
  ClassReader reader(classifier, gold);
  while (reader.next()) {
    const text::FeatureLine& example = reader.example();
    const auto found = std::find(labels.begin(), labels.end(), example.label);
    if (found == labels.end()) {
      throw ParseError(fmt::format("the model does not know the label \"{}\"", example.label),
                       {.code = "E263", .where = {.file = reader.name(), .line = example.line}});
    }
    const auto truth = static_cast<std::size_t>(found - labels.begin());
    const std::size_t predicted = reader.ranked()[0];
    const double importance = example.importance;
    scores.examples += importance;
    scores.correct += truth == predicted ? importance : 0;
    scores.loss -= importance * std::log(std::max(reader.probabilities()[truth], 1e-15));
    ++scores.counts[truth].gold;
    ++scores.counts[predicted].predicted;
    if (truth == predicted) ++scores.counts[truth].correct;
  }
  if (scores.examples == 0) {
    throw ParseError("the file has no examples", {.code = "E264", .where = {.file = gold}});
  }
  return scores;
}

// A classifier has no sequences.
void refuse_sequences(const PredictOptions& options) {
  const tag::PredictionOptions& asked = options.prediction;
  const bool is_single = asked.decode == "viterbi" && asked.kbest == 0 && asked.samples == 0;
  const bool is_plain =
      !options.replace && (options.out_format == "auto" || options.out_format == "jsonl" ||
                           options.out_format == "text");
  if (is_single && is_plain) return;
  throw UsageError(
      "a classifier gives one label a line, as text or jsonl; --decode, --kbest, --sample and "
      "--replace are for taggers",
      {.code = "E006"});
}

}  // namespace

ExitStatus predict_classes(ModelFile model, const PredictOptions& options, Context& context) {
  refuse_sequences(options);
  classify::Classifier classifier(std::move(model));
  if (options.lambda) classifier.choose_lambda(*options.lambda);
  const std::size_t top =
      tag::posteriors_wanted(options.prediction.posteriors, classifier.labels().size());
  Output output = context.output_file(options.output);
  std::ostream& out = options.output == "-" ? context.out() : output.stream();
  for (const std::string& path :
       options.files.empty() ? std::vector<std::string>{"-"} : options.files) {
    ClassReader reader(classifier, path);
    while (reader.next()) {
      write_record(reader, classifier.labels(), options, top, out);
      context.end_record();
    }
  }
  output.commit();
  return ExitStatus::kDone;
}

ExitStatus evaluate_classifier(ModelFile model, const EvalOptions& options, Context& context) {
  const ReportOptions& asked = options.report;
  if (asked.confusion || asked.errors > 0 || asked.interval || asked.tsv || asked.fail_under ||
      !asked.page.empty() || !options.curve.empty()) {
    throw UsageError("a classifier's report is a table or --json", {.code = "E006"});
  }
  const classify::Classifier classifier(std::move(model));
  const ClassScores scores = score_file(classifier, options.gold);
  const double accuracy = percent(scores.correct / scores.examples);
  const double loss = scores.loss / scores.examples;
  if (context.json()) {
    Json classes = Json::array();
    for (std::size_t k = 0; k < scores.counts.size(); ++k) {
      const eval::Counts& one = scores.counts[k];
      classes.push_back({{"label", classifier.labels()[k]},
                         {"precision", percent(one.precision())},
                         {"recall", percent(one.recall())},
                         {"f1", percent(one.f1())},
                         {"gold", one.gold},
                         {"predicted", one.predicted}});
    }
    const Json document{{"v", 1}, {"accuracy", accuracy}, {"log_loss", loss}, {"classes", classes}};
    context.out() << document.dump(2) << '\n';
    return ExitStatus::kDone;
  }
  Table table = context.report_table({{.name = "label"},
                                      {.name = "P"},
                                      {.name = "R"},
                                      {.name = "F1"},
                                      {.name = "gold"},
                                      {.name = "pred"}});
  for (std::size_t k = 0; k < scores.counts.size(); ++k) {
    const eval::Counts& one = scores.counts[k];
    table.row({classifier.labels()[k], percent(one.precision()), percent(one.recall()),
               percent(one.f1()), one.gold, one.predicted});
  }
  table.finish();
  context.out() << fmt::format("\naccuracy  {:.2f}\nlog-loss  {:.4f}\n", accuracy, loss);
  return ExitStatus::kDone;
}

ExitStatus list_compound_features(ModelFile model, const std::size_t& top, Context& context) {
  const classify::Classifier classifier(std::move(model));
  const auto features = classifier.compound_features();
  Table table = context.report_table(
      {{.name = "weight", .decimals = 4}, {.name = "towards"}, {.name = "when"}});
  for (std::size_t i = 0; i < features.size() && i < top; ++i) {
    const std::size_t positive = classifier.paths()[features[i].output].positive;
    table.row({features[i].weight, classifier.labels()[positive],
               conjunction_text(features[i], context.verbose())});
  }
  table.finish();
  return ExitStatus::kDone;
}

void list_path(ModelFile model, Context& context) {
  const classify::Classifier classifier(std::move(model));
  Table table = context.report_table({{.name = "label"},
                                      {.name = "lambda", .decimals = 3},
                                      {.name = "trees"},
                                      {.name = "features"},
                                      {.name = "train loss", .decimals = 4, .key = "train_loss"},
                                      {.name = "dev loss", .decimals = 4, .key = "dev_loss"},
                                      {.name = "chosen"}});
  for (const classify::OutputPath& path : classifier.paths()) {
    for (std::size_t i = 0; i < path.points.size(); ++i) {
      const trees::PathPoint& point = path.points[i];
      table.row({classifier.labels()[path.positive], point.lambda, std::uint64_t{point.trees},
                 std::uint64_t{point.features}, point.loss, point.development_loss.value_or(NAN),
                 i == path.chosen ? "*" : ""});
    }
  }
  table.finish();
}

}  // namespace coppice::cli

#include "cli/eval_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/eval_errors.h"
#include "cli/human.h"
#include "coppice/base/usage_error.h"

namespace coppice::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxMatrix = 12;    // labels; more would not fit a terminal
constexpr std::size_t kMaxMistakes = 20;  // rows of the list that stands in for a larger matrix

std::vector<Cell> counts_row(const std::string& label, const eval::Counts& counts) {
  return {label,
          percent(counts.precision()),
          percent(counts.recall()),
          percent(counts.f1()),
          counts.gold,
          counts.predicted,
          counts.correct,
          counts.false_positives(),
          counts.false_negatives()};
}

void print_scores(const Scores& scores, TableFormat format, Context& context) {
  Table table = context.report_table({{.name = "label"},
                                      {.name = "P"},
                                      {.name = "R"},
                                      {.name = "F1"},
                                      {.name = "gold", .align = Align::kRight},
                                      {.name = "pred", .align = Align::kRight},
                                      {.name = "TP", .align = Align::kRight},
                                      {.name = "FP", .align = Align::kRight},
                                      {.name = "FN", .align = Align::kRight}},
                                     format);
  for (const auto& [label, counts] : scores.by_label) table.row(counts_row(label, counts));
  table.row(counts_row("micro", scores.total));
  const eval::Averages& macro = scores.macro;
  table.row({"macro", percent(macro.precision), percent(macro.recall), percent(macro.f1), "", "",
             "", "", ""});
  table.finish();
}

void print_matrix(const eval::Confusion& table, Context& context) {
  const std::vector<std::string> labels = table.labels();
  std::vector<Column> columns = {{.name = "gold \\ pred"}};
  for (const std::string& label : labels)
    columns.push_back({.name = label, .align = Align::kRight});
  Table matrix = context.report_table(columns);
  for (const std::string& gold : labels) {
    std::vector<Cell> row = {gold};
    for (const std::string& predicted : labels) row.emplace_back(table.count(gold, predicted));
    matrix.row(row);
  }
  matrix.finish();
}

void print_confusion(const eval::Confusion& table, Context& context) {
  context.out() << '\n';
  if (table.labels().size() <= kMaxMatrix) {
    print_matrix(table, context);
    return;
  }
  Table list = context.report_table({{.name = "gold"}, {.name = "pred"}, {.name = "count"}});
  for (const eval::Confusion::Cell& cell : table.top(kMaxMistakes))
    list.row({cell.gold, cell.predicted, cell.count});
  list.finish();
}

void print_errors(const LabelPairs& pairs, const Scoring& scoring, std::uint64_t limit,
                  Context& context) {
  for (const auto& [kind, errors] : errors_by_kind(pairs, scoring)) {
    const std::size_t shown = std::min<std::size_t>(limit, errors.size());
    context.out() << fmt::format("\n{}: {}{}\n", kind, errors.size(),
                                 shown < errors.size() ? fmt::format(", {} shown", shown) : "");
    for (std::size_t i = 0; i < shown; ++i)
      context.out() << fmt::format("{}:{}: {}: {}\n", pairs.file(), errors[i].line, errors[i].what,
                                   errors[i].context.text());
  }
}

Json counts_json(const eval::Counts& counts) {
  return {{"p", percent(counts.precision())}, {"r", percent(counts.recall())},
          {"f1", percent(counts.f1())},       {"gold", counts.gold},
          {"pred", counts.predicted},         {"tp", counts.correct},
          {"fp", counts.false_positives()},   {"fn", counts.false_negatives()}};
}

Json confusion_json(const eval::Confusion& table) {
  Json cells = Json::array();
  const std::vector<std::string> labels = table.labels();
  for (const std::string& gold : labels)
    for (const std::string& predicted : labels)
      if (const std::uint64_t count = table.count(gold, predicted); count > 0)
        cells.push_back({{"gold", gold}, {"pred", predicted}, {"count", count}});
  return cells;
}

Json errors_json(const LabelPairs& pairs, const Scoring& scoring, std::uint64_t limit) {
  Json kinds = Json::object();
  for (const auto& [kind, errors] : errors_by_kind(pairs, scoring)) {
    Json list = Json::array();
    for (std::size_t i = 0; i < std::min<std::size_t>(limit, errors.size()); ++i)
      list.push_back({{"file", pairs.file()},
                      {"line", errors[i].line},
                      {"what", errors[i].what},
                      {"context", errors[i].context.text()}});
    kinds[kind] = {{"count", errors.size()}, {"examples", std::move(list)}};
  }
  return kinds;
}

std::vector<std::string> labels_of(const Scores& scores) {
  std::vector<std::string> labels;
  labels.reserve(scores.by_label.size());
  for (const auto& [label, counts] : scores.by_label) labels.push_back(label);
  return labels;
}

Json json_of(const Evaluation& report) {
  const Scoring& scoring = report.scoring;
  const Scores& scores = report.scores;
  Json document = {{"v", 1},
                   {"level", scoring.by_span() ? "span" : "token"},
                   {"scheme", scoring.by_span() ? Json(text::to_string(scoring.scheme)) : Json()},
                   {"match", scoring.by_span() ? Json(eval::name(scoring.match)) : Json()},
                   {"sentences", report.pairs.size()},
                   {"correct_sentences", scores.correct_sentences},
                   {"tokens", scores.tokens},
                   {"correct_tokens", scores.correct_tokens},
                   {"accuracy", percent(scores.accuracy())},
                   {"micro", counts_json(scores.total)},
                   {"macro",
                    {{"p", percent(scores.macro.precision)},
                     {"r", percent(scores.macro.recall)},
                     {"f1", percent(scores.macro.f1)}}},
                   {"labels", Json::object()},
                   {"metric", name(scoring.metric)},
                   {"value", value_of(scores, scoring.metric)}};
  for (const auto& [label, counts] : scores.by_label)
    document["labels"][label] = counts_json(counts);
  if (report.options.interval) {
    const eval::Interval interval = report.interval_of(scoring.metric);
    document["interval"] = {{"low", interval.low},
                            {"high", interval.high},
                            {"level", 95},
                            {"resamples", report.options.scoring.resamples},
                            {"seed", report.options.scoring.seed}};
  }
  if (report.options.confusion)
    document["confusion"] = confusion_json(confusion(report.pairs, scoring));
  if (report.options.errors > 0)
    document["errors"] = errors_json(report.pairs, scoring, report.options.errors);
  if (report.model)
    document["calibration"] = {{"ece", report.model->ece},
                               {"temperature", report.model->temperature}};
  document["signature"] = report.signature();
  return document;
}

void print(const Evaluation& report, Context& context) {
  const Scores& scores = report.scores;
  print_scores(scores, TableFormat::kAligned, context);
  std::ostream& out = context.out();
  out << fmt::format("\ntoken accuracy {:.2f} ({} of {}), whole sentences {} of {}\n",
                     percent(scores.accuracy()), scores.correct_tokens, scores.tokens,
                     scores.correct_sentences, report.pairs.size());
  if (report.options.confusion) print_confusion(confusion(report.pairs, report.scoring), context);
  if (report.options.errors > 0)
    print_errors(report.pairs, report.scoring, report.options.errors, context);
  out << fmt::format("\nscored     {}\n", report.scoring.description());
  out << fmt::format("signature  {}\n", report.signature());
  const Metric metric = report.scoring.metric;
  if (report.options.interval)
    out << interval_text(metric, report.interval_of(metric), report.options.scoring);
  else
    out << fmt::format("{} {:.2f}", name(metric), value_of(scores, metric));
  if (report.model) out << "     calibration: " << calibration_text(*report.model);
  out << '\n';
}

// Says by how much the choice of --match matters, if it does.
void compare_matches(const Evaluation& report, Context& context) {
  if (!report.scoring.by_span()) return;
  Scoring other = report.scoring;
  const bool is_strict = other.match == eval::Match::kStrict;
  other.match = is_strict ? eval::Match::kConlleval : eval::Match::kStrict;
  const Scores others = score(report.pairs, other);
  if (others.total == report.scores.total) return;
  const Scores& conlleval = is_strict ? others : report.scores;
  const Scores& strict = is_strict ? report.scores : others;
  context.warn(fmt::format("labels break the scheme {}: F1 is {:.2f} as conlleval matches, {:.2f} "
                           "strictly",
                           text::to_string(other.scheme), percent(conlleval.total.f1()),
                           percent(strict.total.f1())),
               {.code = "E144", .help = "coppice check lists the places"});
}

}  // namespace

std::vector<Option> report_options(ReportOptions& options) {
  std::vector<Option> list = scoring_options(options.scoring);
  list.push_back({.name = "confusion",
                  .value = &options.confusion,
                  .help = "show which label was taken for which"});
  list.push_back({.name = "errors",
                  .value = &options.errors,
                  .metavar = "N",
                  .help = "show N errors of each kind, with lines and context"});
  list.push_back({.name = "report",
                  .value = &options.page,
                  .metavar = "FILE",
                  .help = "write all of it, with intervals, as an HTML page as well"});
  list.push_back({.name = "ci",
                  .value = &options.interval,
                  .help = "add a 95 % confidence interval, from a bootstrap over sentences"});
  list.push_back({.name = "tsv", .value = &options.tsv, .help = "print the table only, as TSV"});
  list.push_back({.name = "fail-under",
                  .value = &options.fail_under,
                  .metavar = "X",
                  .help = "end with status 7 when the metric is below X, a percentage",
                  .min = 0,
                  .max = 100});
  return list;
}

LabelPairs::Keep needs(const ReportOptions& options) {
  return options.errors > 0 || !options.page.empty() ? LabelPairs::Keep::kContext
                                                     : LabelPairs::Keep::kLabels;
}

std::string Evaluation::signature() const {
  return cli::signature(pairs, scoring, model ? model->identity : std::string_view());
}

eval::Interval Evaluation::interval_of(Metric metric) const {
  Scoring other = scoring;
  other.metric = metric;
  return eval::bootstrap_interval(sentence_counts(pairs, other, labels_of(scores)),
                                  percent_of_totals(metric), resampling(options.scoring));
}

Evaluation evaluate(const LabelPairs& pairs, const ReportOptions& options,
                    std::optional<ScoredModel> model) {
  const Scoring scoring = decide_scoring(options.scoring, pairs);
  return {.pairs = pairs,
          .options = options,
          .scoring = scoring,
          .scores = score(pairs, scoring),
          .model = std::move(model)};
}

ExitStatus report_scores(const Evaluation& report, Context& context) {
  const ReportOptions& options = report.options;
  compare_matches(report, context);
  if (context.json())
    context.out() << json_of(report).dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  else if (options.tsv)
    print_scores(report.scores, TableFormat::kTsv, context);
  else
    print(report, context);
  const Metric metric = report.scoring.metric;
  const double value = value_of(report.scores, metric);
  if (!options.fail_under || value >= *options.fail_under) return ExitStatus::kDone;
  context.talk("{} {:.2f} is below {}", name(metric), value, *options.fail_under);
  return ExitStatus::kCheckFailed;
}

std::string calibration_text(const ScoredModel& model) {
  return fmt::format("ECE {:.3f} ({})", model.ece,
                     model.temperature == 1 ? "uncalibrated; try: coppice calibrate"
                                            : fmt::format("temperature {:.3f}", model.temperature));
}

std::string interval_text(Metric metric, const eval::Interval& interval,
                          const ScoringOptions& options) {
  return fmt::format("{} {:.2f} \u00b1 {:.2f} (95 %, bootstrap n={}, seed {})", name(metric),
                     interval.value, (interval.high - interval.low) / 2, options.resamples,
                     options.seed);
}

}  // namespace coppice::cli

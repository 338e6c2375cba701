#include "cli/tree_scoring.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/globals.h"
#include "cli/human.h"
#include "coppice/base/digest.h"
#include "coppice/base/usage_error.h"
#include "coppice/eval/signature.h"
#include "coppice/text/brackets.h"

namespace coppice::cli {

namespace {

using Json = nlohmann::ordered_json;
using eval::Counts;
using eval::LengthBand;
using eval::TreeTotals;

const text::Tree& tree_of(const text::LabelledReader& reader) {
  if (const text::Tree* tree = reader.reader().tree()) return *tree;
  throw ParseError("the record has no tree", {.code = "E147", .where = reader.sentence().where()});
}

// Predicted trees over other words, and where the first one is.
struct OtherWords {
  std::uint64_t count = 0;
  Location first;
};

void warn(const OtherWords& found, const std::string& name, Context& context) {
  if (found.count == 0) return;
  context.warn(fmt::format("{} of {} {} other words than the gold data, the first one in line {}; "
                           "they count as not parsed",
                           counted(found.count, "tree"), name, found.count == 1 ? "has" : "have",
                           found.first.line),
               {.code = "E148"});
}

std::string percent_text(double share) { return fmt::format("{:.2f}", percent(share)); }

void print_totals(const eval::TreeScorer& scorer, Context& context) {
  Table table = context.report_table({{.name = "brackets"},
                                      {.name = "total", .align = Align::kRight},
                                      {.name = "strict", .align = Align::kRight}});
  const auto row = [&](const char* name, auto text_of) {
    table.row({name, text_of(scorer.total()), text_of(scorer.strict())});
  };
  const auto number = [](std::uint64_t value) { return fmt::format("{}", value); };
  row("P", [](const TreeTotals& t) { return percent_text(t.brackets.precision()); });
  row("R", [](const TreeTotals& t) { return percent_text(t.brackets.recall()); });
  row("F1", [](const TreeTotals& t) { return percent_text(t.brackets.f1()); });
  row("exact match", [](const TreeTotals& t) { return percent_text(t.exact_match()); });
  row("crossing, mean",
      [](const TreeTotals& t) { return fmt::format("{:.2f}", t.mean_crossing()); });
  row("no crossing", [](const TreeTotals& t) { return percent_text(t.no_crossing()); });
  row("2 or less crossing",
      [](const TreeTotals& t) { return percent_text(t.two_or_less_crossing()); });
  row("tags", [](const TreeTotals& t) { return percent_text(t.tag_accuracy()); });
  row("gold", [&](const TreeTotals& t) { return number(t.brackets.gold); });
  row("predicted", [&](const TreeTotals& t) { return number(t.brackets.predicted); });
  row("correct", [&](const TreeTotals& t) { return number(t.brackets.correct); });
  row("sentences", [&](const TreeTotals& t) { return number(t.counted()); });
  table.row({"not parsed", number(scorer.total().unparsed), ""});
  table.row({"errors", "", number(scorer.strict().errors)});
  table.row({"skipped", "", number(scorer.strict().skipped)});
  table.finish();
}

std::vector<Column> count_columns(const char* first) {
  return {{.name = first},
          {.name = "P"},
          {.name = "R"},
          {.name = "F1"},
          {.name = "gold", .align = Align::kRight},
          {.name = "pred", .align = Align::kRight},
          {.name = "correct", .align = Align::kRight}};
}

std::vector<Cell> count_cells(const std::string& name, const Counts& counts) {
  return {name,
          percent(counts.precision()),
          percent(counts.recall()),
          percent(counts.f1()),
          counts.gold,
          counts.predicted,
          counts.correct};
}

using LabelCounts = std::pair<std::string, Counts>;

std::vector<LabelCounts> commonest_first(const eval::TreeScorer& scorer) {
  std::vector<LabelCounts> labels(scorer.by_label().begin(), scorer.by_label().end());
  std::ranges::stable_sort(labels, std::ranges::greater{},
                           [](const LabelCounts& label) { return label.second.gold; });
  return labels;
}

void print_labels(const eval::TreeScorer& scorer, TableFormat format, Context& context) {
  Table table = context.report_table(count_columns("label"), format);
  for (const auto& [label, counts] : commonest_first(scorer))
    table.row(count_cells(label.empty() ? "(none)" : label, counts));
  table.finish();
}

std::string name_of(const LengthBand& band) {
  if (band.longest == std::numeric_limits<std::size_t>::max())
    return fmt::format("{} and more", band.shortest);
  return fmt::format("{} to {}", band.shortest, band.longest);
}

void print_lengths(const eval::TreeScorer& scorer, Context& context) {
  std::vector<Column> columns = count_columns("words");
  columns.push_back({.name = "exact"});
  columns.push_back({.name = "sentences", .align = Align::kRight});
  Table table = context.report_table(std::move(columns));
  const auto row = [&](const std::string& name, const TreeTotals& totals) {
    std::vector<Cell> cells = count_cells(name, totals.brackets);
    cells.emplace_back(percent(totals.exact_match()));
    cells.emplace_back(totals.sentences);
    table.row(std::move(cells));
  };
  for (const LengthBand& band : scorer.by_length()) row(name_of(band), band.totals);
  for (const LengthBand& band : scorer.up_to())
    row(fmt::format("up to {}", band.longest), band.totals);
  table.finish();
}

Json json_of(const Counts& counts) {
  return {{"precision", percent(counts.precision())},
          {"recall", percent(counts.recall())},
          {"f1", percent(counts.f1())},
          {"gold", counts.gold},
          {"predicted", counts.predicted},
          {"correct", counts.correct}};
}

Json json_of(const TreeTotals& totals) {
  Json json = json_of(totals.brackets);
  json["exact_match"] = percent(totals.exact_match());
  json["exact"] = totals.exact;
  json["mean_crossing"] = totals.mean_crossing();
  json["no_crossing"] = percent(totals.no_crossing());
  json["two_or_less_crossing"] = percent(totals.two_or_less_crossing());
  json["tag_accuracy"] = percent(totals.tag_accuracy());
  json["words"] = totals.words;
  json["sentences"] = totals.sentences;
  json["unparsed"] = totals.unparsed;
  json["errors"] = totals.errors;
  json["skipped"] = totals.skipped;
  return json;
}

Json json_of(const LengthBand& band) {
  Json json = {{"from", band.shortest}, {"to", Json()}};
  if (band.longest != std::numeric_limits<std::size_t>::max()) json["to"] = band.longest;
  json.update(json_of(band.totals));
  return json;
}

eval::Interval interval_of(const TreesScored& scored, const ReportOptions& options) {
  return eval::bootstrap_interval(scored.scorer.sentence_counts(),
                                  percent_of_totals(metric_of_trees(options.scoring)),
                                  resampling(options.scoring));
}

Json document_of(const TreesScored& scored, const ReportOptions& options) {
  const eval::TreeScorer& scorer = scored.scorer;
  Json document = {{"v", 1},
                   {"total", json_of(scorer.total())},
                   {"strict", json_of(scorer.strict())},
                   {"different", scorer.num_different()},
                   {"labels", Json::object()},
                   {"lengths", Json::array()},
                   {"up_to", Json::array()}};
  for (const auto& [label, counts] : commonest_first(scorer))
    document["labels"][label] = json_of(counts);
  for (const LengthBand& band : scorer.by_length()) document["lengths"].push_back(json_of(band));
  for (const LengthBand& band : scorer.up_to()) document["up_to"].push_back(json_of(band));
  if (options.interval) {
    const eval::Interval interval = interval_of(scored, options);
    document["interval"] = {{"metric", name(metric_of_trees(options.scoring))},
                            {"value", interval.value},
                            {"low", interval.low},
                            {"high", interval.high},
                            {"level", 95},
                            {"resamples", options.scoring.resamples},
                            {"seed", options.scoring.seed}};
  }
  document["signature"] = scored.signature();
  return document;
}

double value_of(const TreesScored& scored, Metric metric) {
  const Counts& counts = scored.scorer.total().brackets;
  if (metric == Metric::kPrecision) return percent(counts.precision());
  return percent(metric == Metric::kRecall ? counts.recall() : counts.f1());
}

void print(const TreesScored& scored, const TreeReportOptions& tables, const ReportOptions& options,
           Context& context) {
  print_totals(scored.scorer, context);
  if (tables.by_label) {
    context.out() << '\n';
    print_labels(scored.scorer, TableFormat::kAligned, context);
  }
  if (tables.by_length) {
    context.out() << '\n';
    print_lengths(scored.scorer, context);
  }
  const Metric metric = metric_of_trees(options.scoring);
  context.out() << fmt::format(
      "\nscored     brackets as EVALB with COLLINS.prm; total counts every sentence\n"
      "differ     {} between total and strict\n"
      "signature  {}\n{}\n",
      counted(scored.scorer.num_different(), "sentence"), scored.signature(),
      options.interval ? interval_text(metric, interval_of(scored, options), options.scoring)
                       : fmt::format("{} {:.2f}", name(metric), value_of(scored, metric)));
}

}  // namespace

std::string TreesScored::signature(std::string_view model) const {
  eval::Signature line;
  line.add("task", "parse").add("match", "evalb").add("mode", "total").add("data", data_digest);
  if (!model.empty()) line.add("model", model);
  line.add("coppice", version_text());
  return line.text();
}

TreesRead score_trees(PairedReaders& readers, Context& context) {
  TreesRead read;
  read.systems.resize(readers.systems().size());
  std::vector<OtherWords> other_words(read.systems.size());
  std::string digest;
  while (readers.next()) {
    const text::Tree& gold = tree_of(readers.gold());
    digest.append("\n").append(one_line(gold));
    digest = coppice::digest(digest);
    for (std::size_t i = 0; i < read.systems.size(); ++i) {
      const text::LabelledReader& system = readers.systems()[i];
      const text::Tree& tree = tree_of(system);
      read.systems[i].scorer.add(gold, tree);
      const bool is_parsed =
          read.systems[i].scorer.sentences().back().status != eval::TreeStatus::kUnparsed;
      if (is_parsed || system.sentence().num_tokens() == 0) continue;
      if (other_words[i].count++ == 0) other_words[i].first = system.sentence().where();
    }
  }
  read.skipped = readers.finish(context);
  for (std::size_t i = 0; i < read.systems.size(); ++i) {
    read.systems[i].data_digest = digest;
    warn(other_words[i], readers.systems()[i].reader().name(), context);
  }
  if (read.systems.front().scorer.sentences().empty())
    throw ParseError("no tree is without problems in all files",
                     {.code = "E140", .where = {.file = readers.gold().reader().name()}});
  return read;
}

Metric metric_of_trees(const ScoringOptions& options) {
  if (options.scheme != "auto" || options.match != "conlleval")
    throw UsageError("--scheme and --match are for labels, and these are trees", {.code = "E006"});
  if (options.metric == "auto" || options.metric == "f1") return Metric::kF1;
  if (options.metric == "precision") return Metric::kPrecision;
  if (options.metric == "recall") return Metric::kRecall;
  throw UsageError("--metric of trees is f1, precision or recall", {.code = "E006"});
}

std::vector<Option> tree_report_options(TreeReportOptions& options) {
  return {{.name = "by-label",
           .value = &options.by_label,
           .help = "of trees: a table of the labels of brackets"},
          {.name = "by-length",
           .value = &options.by_length,
           .help = "of trees: a table of sentences by their number of words"}};
}

void check_tree_options(const ReportOptions& options) {
  metric_of_trees(options.scoring);
  if (options.confusion || options.errors > 0 || !options.page.empty())
    throw UsageError("--confusion, --errors and --report are for labels, and these are trees",
                     {.code = "E006"});
}

ExitStatus report_trees(const TreesScored& scored, const TreeReportOptions& tables,
                        const ReportOptions& options, Context& context) {
  if (context.json())
    context.out()
        << document_of(scored, options).dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  else if (options.tsv)
    print_labels(scored.scorer, TableFormat::kTsv, context);
  else
    print(scored, tables, options, context);
  const Metric metric = metric_of_trees(options.scoring);
  const double value = value_of(scored, metric);
  if (!options.fail_under || value >= *options.fail_under) return ExitStatus::kDone;
  context.talk("{} {:.2f} is below {}", name(metric), value, *options.fail_under);
  return ExitStatus::kCheckFailed;
}

}  // namespace coppice::cli

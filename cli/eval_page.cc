#include "cli/eval_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <vector>

#include "cli/eval_errors.h"
#include "cli/human.h"
#include "coppice/base/markup.h"

namespace coppice::cli {

namespace {

constexpr std::size_t kMaxLabelsOfMatrix = 60;  // more: the list of the most frequent mistakes
constexpr std::size_t kMistakesListed = 100;
constexpr std::uint64_t kErrorsOfKind = 20;  // without --errors
constexpr double kDeepest = 0.6;             // opacity: numbers stay readable on either ground

// HTML that is XML too. The policy keeps scripts out even if the escaping had a hole.
constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>{0}</title>
<style>
:root {{ color-scheme: light dark; --ink: #1f2a24; --faint: #66736b; --ground: #fcfdfb;
  --line: #dfe5df; --mark: #f6dfa4; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ink: #e4ebe6; --faint: #9aa89f; --ground: #171c19; --line: #36403a; --mark: #6b5312; }}
}}
body {{ font: 15px/1.45 Helvetica, Arial, 'Liberation Sans', sans-serif; color: var(--ink);
  background: var(--ground); max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.5rem; }} h2 {{ font-size: 1.15rem; margin-top: 2rem; }}
.wide {{ overflow-x: auto; }} .faint, caption {{ color: var(--faint); }}
caption {{ text-align: left; padding-bottom: .4rem; }} code {{ overflow-wrap: anywhere; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .2rem .6rem; border: 1px solid var(--line); text-align: left;
  vertical-align: top; }}
td.n, thead th.n {{ text-align: right; }}
mark {{ background: var(--mark); color: inherit; padding: 0 .15rem; border-radius: 3px; }}
</style>
</head>
<body>
<h1>{0}</h1>
)";

std::string number_cell(double percent) {
  return fmt::format("<td class=\"n\">{:.2f}</td>", percent);
}
std::string count_cell(std::uint64_t count) {
  return fmt::format("<td class=\"n\">{}</td>", count);
}
std::string row_head(std::string_view text) {
  return fmt::format("<th scope=\"row\">{}</th>", escape_xml(text));
}

// The opening of a table whose columns after the first hold numbers.
std::string table_begin(std::string_view caption, std::span<const std::string> columns) {
  std::string html = fmt::format("<div class=\"wide\"><table>\n<caption>{}</caption>\n<thead><tr>",
                                 escape_xml(caption));
  for (std::size_t i = 0; i < columns.size(); ++i)
    html += fmt::format("<th scope=\"col\"{}>{}</th>", i > 0 ? " class=\"n\"" : "",
                        escape_xml(columns[i]));
  return html + "</tr></thead>\n<tbody>\n";
}
constexpr const char* kTableEnd = "</tbody>\n</table></div>\n";

std::string scores_section(const Evaluation& evaluation) {
  using enum Metric;
  const ScoringOptions& options = evaluation.options.scoring;
  std::string html = table_begin(
      fmt::format("95 % intervals from a bootstrap over sentences (n={}, seed {}), in percent",
                  options.resamples, options.seed),
      std::vector<std::string>{"score", "value", "from", "to"});
  // Of tokens, precision, recall and F1 are the accuracy.
  const std::vector<Metric> metrics =
      evaluation.scoring.by_span()
          ? std::vector<Metric>{kF1, kPrecision, kRecall, kMacroF1, kAccuracy}
          : std::vector<Metric>{kAccuracy, kMacroF1};
  for (const Metric metric : metrics) {
    const eval::Interval interval = evaluation.interval_of(metric);
    html += "<tr>" + row_head(metric == kAccuracy ? "token accuracy" : name(metric)) +
            number_cell(interval.value) + number_cell(interval.low) + number_cell(interval.high) +
            "</tr>\n";
  }
  const Scores& scores = evaluation.scores;
  html += kTableEnd;
  html += fmt::format("<p>Tokens right: {} of {}. Whole sentences right: {} of {}.",
                      thousands(scores.correct_tokens), thousands(scores.tokens),
                      thousands(scores.correct_sentences), thousands(evaluation.pairs.size()));
  if (evaluation.model)
    html += " Calibration: " + escape_xml(calibration_text(*evaluation.model)) + '.';
  return html + "</p>\n";
}

std::string percent_cells(double precision, double recall, double f1) {
  return number_cell(percent(precision)) + number_cell(percent(recall)) + number_cell(percent(f1));
}

std::string label_row(std::string_view label, const eval::Counts& counts) {
  return "<tr>" + row_head(label) +
         percent_cells(counts.precision(), counts.recall(), counts.f1()) + count_cell(counts.gold) +
         count_cell(counts.predicted) + count_cell(counts.correct) +
         count_cell(counts.false_positives()) + count_cell(counts.false_negatives()) + "</tr>\n";
}

std::string labels_section(const Evaluation& evaluation) {
  const Scores& scores = evaluation.scores;
  std::string html =
      "<h2>Labels</h2>\n" + table_begin(evaluation.scoring.description(),
                                        std::vector<std::string>{"label", "P", "R", "F1", "gold",
                                                                 "pred", "TP", "FP", "FN"});
  for (const auto& [label, counts] : scores.by_label) html += label_row(label, counts);
  html += label_row("micro", scores.total);
  const eval::Averages& macro = scores.macro;
  html += "<tr>" + row_head("macro") + percent_cells(macro.precision, macro.recall, macro.f1) +
          "<td colspan=\"5\"></td></tr>\n";
  return html + kTableEnd;
}

// Green where the label is right, red where it is not, the deeper the larger its share of the row.
std::string heat_cell(const eval::Confusion::Cell& cell, std::uint64_t row_total) {
  if (cell.count == 0) return "<td class=\"n faint\">0</td>";
  const double share = static_cast<double>(cell.count) / static_cast<double>(row_total);
  return fmt::format(
      "<td class=\"n\" style=\"background:rgba({},{:.3f})\" title=\"{} as {}: {} of {}, "
      "{:.1f} %\">{}</td>",
      cell.gold == cell.predicted ? "43,122,75" : "200,60,40", kDeepest * share,
      escape_xml(cell.gold), escape_xml(cell.predicted), cell.count, row_total, percent(share),
      cell.count);
}

std::string matrix(const eval::Confusion& confusion, std::string_view caption) {
  const std::vector<std::string> labels = confusion.labels();
  std::vector<std::string> columns = {"gold \\ pred"};
  columns.insert(columns.end(), labels.begin(), labels.end());
  std::string html = table_begin(caption, columns);
  for (const std::string& gold : labels) {
    std::uint64_t total = 0;
    for (const std::string& predicted : labels) total += confusion.count(gold, predicted);
    html += "<tr>" + row_head(gold);
    for (const std::string& predicted : labels)
      html += heat_cell({gold, predicted, confusion.count(gold, predicted)}, total);
    html += "</tr>\n";
  }
  return html + kTableEnd;
}

std::string mistakes(const eval::Confusion& confusion, std::string_view caption) {
  std::string html = table_begin(fmt::format("{} The most frequent mistakes of {} labels.", caption,
                                             confusion.labels().size()),
                                 std::vector<std::string>{"gold", "pred", "count"});
  for (const auto& [gold, predicted, count] : confusion.top(kMistakesListed))
    html += "<tr>" + row_head(gold) + "<td>" + escape_xml(predicted) + "</td>" + count_cell(count) +
            "</tr>\n";
  return html + kTableEnd;
}

std::string confusion_section(const Evaluation& evaluation) {
  const eval::Confusion table = confusion(evaluation.pairs, evaluation.scoring);
  const std::string caption = evaluation.scoring.by_span()
                                  ? "Spans with equal bounds; - is no span with these bounds."
                                  : "Tokens.";
  return "<h2>What was taken for what</h2>\n" +
         (table.labels().size() <= kMaxLabelsOfMatrix
              ? matrix(table, caption + " The colour is the share of the row.")
              : mistakes(table, caption));
}

std::string error_row(const std::string& file, const ShownError& error) {
  const ErrorContext& context = error.context;
  return fmt::format("<tr><td>{}:{}</td><td>{}</td><td>{}<mark>{}</mark>{}</td></tr>\n",
                     escape_xml(file), error.line, escape_xml(error.what),
                     escape_xml(context.before), escape_xml(context.words),
                     escape_xml(context.after));
}

std::string errors_section(const Evaluation& evaluation) {
  const std::vector<ErrorsOfKind> kinds = errors_by_kind(evaluation.pairs, evaluation.scoring);
  std::string html = "<h2>Errors</h2>\n";
  if (kinds.empty()) html += "<p>None.</p>\n";
  const std::uint64_t asked = evaluation.options.errors;
  for (const auto& [kind, errors] : kinds) {
    const auto shown = std::min<std::size_t>(asked > 0 ? asked : kErrorsOfKind, errors.size());
    html += fmt::format(
        "<details open=\"open\"><summary>{}: {}{}</summary>\n<div "
        "class=\"wide\"><table>\n<tbody>\n",
        kind, thousands(errors.size()),
        shown < errors.size() ? fmt::format(", {} shown", thousands(shown)) : "");
    for (std::size_t i = 0; i < shown; ++i) html += error_row(evaluation.pairs.file(), errors[i]);
    html += kTableEnd;
    html += "</details>\n";
  }
  return html;
}

}  // namespace

std::string evaluation_page(const Evaluation& evaluation) {
  const Metric metric = evaluation.scoring.metric;
  const std::string title = escape_xml(fmt::format(
      "{}: {} {:.2f}", evaluation.pairs.file(), name(metric), value_of(evaluation.scores, metric)));
  return fmt::format(fmt::runtime(kHead), title) + scores_section(evaluation) +
         labels_section(evaluation) + confusion_section(evaluation) + errors_section(evaluation) +
         "<h2>Signature</h2>\n<p><code>" + escape_xml(evaluation.signature()) +
         "</code></p>\n</body>\n</html>\n";
}

}  // namespace coppice::cli

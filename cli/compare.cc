// coppice compare: whether systems differ by more than chance.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/label_pairs.h"
#include "cli/scoring.h"
#include "cli/tree_scoring.h"
#include "cli/verbs.h"
#include "coppice/base/usage_error.h"

namespace coppice::cli {

namespace {

using Json = nlohmann::ordered_json;

struct CompareOptions {
  std::string gold;
  std::vector<std::string> systems;
  std::string test = "paired-bs";
  text::DataOptions data;
  std::optional<std::string> pred_columns;
  ScoringOptions scoring;
};

struct Row {
  std::string system;
  eval::Interval score;
  // To the first system, which has none.
  std::optional<eval::Interval> difference{};
  double p = 1;
};

// A comparison of labels or trees: the counts of every system, and the words of its report.
struct Compared {
  Metric metric = Metric::kF1;
  std::string scored;  // "spans, scheme IOB2 ..."
  std::string signature;
  bool skipped = false;
  std::vector<eval::SentenceCounts> counts{};  // one a system
  std::vector<double> token_tests{};           // of McNemar's test against the first system
};

// The counts of two systems side by side: a metric of their difference needs both.
eval::SentenceCounts joined(const eval::SentenceCounts& a, const eval::SentenceCounts& b) {
  eval::SentenceCounts both(a.columns() + b.columns());
  std::vector<double> row;
  for (std::size_t i = 0; i < a.size(); ++i) {
    row.assign(a[i].begin(), a[i].end());
    row.insert(row.end(), b[i].begin(), b[i].end());
    both.add(row);
  }
  return both;
}

eval::Interval difference_interval(const eval::SentenceCounts& a, const eval::SentenceCounts& b,
                                   const eval::Metric& metric, eval::ResamplingOptions options) {
  const std::size_t columns = a.columns();
  const eval::Metric difference = [&](std::span<const double> totals) {
    return metric(totals.first(columns)) - metric(totals.subspan(columns));
  };
  return eval::bootstrap_interval(joined(a, b), difference, options);
}

// McNemar's test on the tokens.
double token_test(const LabelPairs& a, const LabelPairs& b) {
  std::uint64_t only_a = 0;
  std::uint64_t only_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto gold = a.gold(i);
    const auto of_a = a.predicted(i);
    const auto of_b = b.predicted(i);
    for (std::size_t k = 0; k < gold.size(); ++k) {
      const bool a_is_right = of_a[k] == gold[k];
      const bool b_is_right = of_b[k] == gold[k];
      only_a += a_is_right && !b_is_right ? 1 : 0;
      only_b += b_is_right && !a_is_right ? 1 : 0;
    }
  }
  return eval::mcnemar_exact(only_a, only_b);
}

// The scoring of all systems: that of the gold data.
Scoring common_scoring(const CompareOptions& options, const std::vector<LabelPairs>& systems) {
  ScoringOptions scoring = options.scoring;
  if (options.test == "mcnemar") {
    if (scoring.metric != "auto" && scoring.metric != "accuracy")
      throw UsageError("--test mcnemar compares tokens; its metric is accuracy", {.code = "E003"});
    scoring.metric = "accuracy";
  }
  if (scoring.metric == "accuracy") scoring.scheme = "none";
  return decide_scoring(scoring, systems.front());
}

Compared compared_labels(PairedReaders& readers, const CompareOptions& options, Context& context) {
  const PairsRead read = read_pairs(readers, LabelPairs::Keep::kLabels, context);
  const Scoring scoring = common_scoring(options, read.systems);
  std::set<std::string> labels;
  for (const LabelPairs& pairs : read.systems)
    for (const auto& [label, counts] : score(pairs, scoring).by_label) labels.insert(label);
  Compared compared{.metric = scoring.metric,
                    .scored = scoring.description(),
                    .signature = signature(read.systems.front(), scoring),
                    .skipped = read.skipped};
  for (const LabelPairs& pairs : read.systems) {
    compared.counts.push_back(sentence_counts(pairs, scoring, {labels.begin(), labels.end()}));
    if (options.test == "mcnemar")
      compared.token_tests.push_back(token_test(pairs, read.systems.front()));
  }
  return compared;
}

Compared compared_trees(PairedReaders& readers, const CompareOptions& options, Context& context) {
  const Metric metric = metric_of_trees(options.scoring);
  if (options.test == "mcnemar")
    throw UsageError("--test mcnemar compares tokens, and these are trees", {.code = "E006"});
  const TreesRead read = score_trees(readers, context);
  Compared compared{.metric = metric,
                    .scored = "brackets as EVALB with COLLINS.prm; every sentence counts",
                    .signature = read.systems.front().signature(),
                    .skipped = read.skipped};
  for (const TreesScored& system : read.systems)
    compared.counts.push_back(system.scorer.sentence_counts());
  return compared;
}

std::vector<Row> compare(const CompareOptions& options, const Compared& compared) {
  const eval::Metric metric = percent_of_totals(compared.metric);
  const eval::ResamplingOptions drawing = resampling(options.scoring);
  const std::vector<eval::SentenceCounts>& counts = compared.counts;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Row row{.system = options.systems[i],
            .score = eval::bootstrap_interval(counts[i], metric, drawing)};
    if (i > 0) {
      row.difference = difference_interval(counts[i], counts[0], metric, drawing);
      if (options.test == "mcnemar")
        row.p = compared.token_tests[i];
      else if (options.test == "approx-rand")
        row.p = eval::approximate_randomization(counts[i], counts[0], metric, drawing).p;
      else
        row.p = eval::paired_bootstrap(counts[i], counts[0], metric, drawing).p;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json json_of(const std::vector<Row>& rows, const CompareOptions& options,
             const Compared& compared) {
  Json document = {{"v", 1},
                   {"metric", name(compared.metric)},
                   {"test", options.test},
                   {"level", 95},
                   {"resamples", options.scoring.resamples},
                   {"seed", options.scoring.seed},
                   {"systems", Json::array()}};
  for (const Row& row : rows) {
    Json system = {{"system", row.system},
                   {"value", row.score.value},
                   {"low", row.score.low},
                   {"high", row.score.high}};
    if (row.difference)
      system["difference"] = {{"value", row.difference->value},
                              {"low", row.difference->low},
                              {"high", row.difference->high},
                              {"p", row.p}};
    document["systems"].push_back(std::move(system));
  }
  document["signature"] = compared.signature;
  return document;
}

void print(const std::vector<Row>& rows, const CompareOptions& options, const Compared& compared,
           Context& context) {
  Table table = context.report_table({{.name = "system"},
                                      {.name = name(compared.metric)},
                                      {.name = "95 %", .align = Align::kRight},
                                      {.name = "difference", .align = Align::kRight},
                                      {.name = "95 %", .align = Align::kRight},
                                      {.name = "p", .align = Align::kRight}});
  const auto range = [](const eval::Interval& interval, const char* form) {
    return fmt::format("{} to {}", fmt::format(fmt::runtime(form), interval.low),
                       fmt::format(fmt::runtime(form), interval.high));
  };
  for (const Row& row : rows) {
    const std::string score_range = range(row.score, "{:.2f}");
    if (row.difference)
      table.row({row.system, row.score.value, score_range,
                 fmt::format("{:+.2f}", row.difference->value), range(*row.difference, "{:+.2f}"),
                 fmt::format("{:.4f}", row.p)});
    else
      table.row({row.system, row.score.value, score_range, "", "", ""});
  }
  table.finish();
  context.out() << fmt::format("\nscored     {}\n", compared.scored);
  context.out() << fmt::format("test       {}, n={}, seed {}; p is two-sided\n", options.test,
                               options.scoring.resamples, options.scoring.seed);
  context.out() << fmt::format("signature  {}\n", compared.signature);
}

ExitStatus run(const CompareOptions& options, Context& context) {
  PairedFiles files{.gold = options.gold,
                    .systems = options.systems,
                    .gold_options = options.data,
                    .system_options = options.data};
  if (options.pred_columns) files.system_options.columns = *options.pred_columns;
  PairedReaders readers(files);
  const Compared compared = readers.have_trees() ? compared_trees(readers, options, context)
                                                 : compared_labels(readers, options, context);
  const std::vector<Row> rows = compare(options, compared);
  if (context.json())
    context.out()
        << json_of(rows, options, compared).dump(2, ' ', false, Json::error_handler_t::replace)
        << '\n';
  else
    print(rows, options, compared, context);
  return compared.skipped ? ExitStatus::kSkippedRecords : ExitStatus::kDone;
}

std::vector<Option> options_of(CompareOptions& options) {
  std::vector<Option> list = {{.name = "gold",
                               .value = &options.gold,
                               .metavar = "FILE",
                               .help = "data with the right labels; - is stdin",
                               .required = true},
                              {.name = "test",
                               .value = &options.test,
                               .choices = {"paired-bs", "approx-rand", "mcnemar"},
                               .help = "paired bootstrap, approximate randomisation, or McNemar's "
                                       "exact test on the tokens"}};
  for (auto& group : {scoring_options(options.scoring), data_options(options.data)})
    list.insert(list.end(), group.begin(), group.end());
  list.push_back({.name = "pred-columns",
                  .value = &options.pred_columns,
                  .metavar = "NAMES",
                  .help = "names of the columns of the systems' files, when they differ"});
  return list;
}

}  // namespace

Command compare_verb() {
  auto options = std::make_shared<CompareOptions>();
  return {.name = "compare",
          .summary = "test whether systems differ",
          .group = "evaluation",
          .help =
              "Scores the output of several systems on the same data. Each row after the first "
              "has the difference to the first system, its 95 % interval, and p: how often so "
              "large a difference arises when the systems are equally good. Trees (brackets) are "
              "compared by the F1 of their brackets.",
          .examples = {{"coppice compare --gold test.conll base.conll new.conll",
                        "paired bootstrap on F1"},
                       {"coppice compare --gold test.conll base.conll new.conll --test mcnemar",
                        "McNemar's test on the tokens"}},
          .options = options_of(*options),
          .files = {.values = &options->systems,
                    .metavar = "SYSTEM",
                    .help = "the same data as each system labels it",
                    .min = 2},
          .reports = true,
          .run = [options](Context& context) { return run(*options, context); }};
}

}  // namespace coppice::cli

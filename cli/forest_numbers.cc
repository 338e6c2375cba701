// coppice forest entropy, expect, variance, kl and risk: one row of numbers a forest.
#include <cmath>
#include <memory>

#include "cli/forest_input.h"
#include "cli/forest_other.h"
#include "cli/forest_report.h"
#include "cli/forest_verbs.h"
#include "coppice/base/usage_error.h"
#include "coppice/forest/entropy.h"
#include "coppice/forest/marginals.h"
#include "coppice/forest/moments.h"
#include "coppice/forest/risk.h"

namespace coppice::cli {

namespace {

struct ValueOptions {
  ForestInput input;
  std::vector<std::string> values;
};

std::vector<ValueColumn> columns_of(const ValueOptions& options) {
  std::vector<ValueColumn> columns;
  columns.reserve(options.values.size());
  for (const std::string& name : options.values) columns.emplace_back(name);
  return columns;
}

void require_seen(const std::vector<ValueColumn>& columns) {
  for (const ValueColumn& column : columns) column.require_seen();
}

ExitStatus entropies(const ForestInput& input, Context& context) {
  return report_rows(
      input, context, {"entropy", "perplexity", "log_z"}, [](const ForestRecord& record) {
        const double nats = entropy(record.forest, record.scores);
        const double log_z = log_partition(record.forest, record.scores);
        return std::vector<Json>{json_of(nats), json_of(std::exp(nats)), json_of(log_z)};
      });
}

ExitStatus expectations(const ValueOptions& options, Context& context) {
  std::vector<ValueColumn> columns = columns_of(options);
  return report_rows(
      options.input, context, options.values,
      [&](const ForestRecord& record) {
        std::vector<Json> means;
        means.reserve(columns.size());
        for (ValueColumn& column : columns)
          means.push_back(json_of(expectation(record.forest, record.scores, column.of(record))));
        return means;
      },
      [&] { require_seen(columns); });
}

ExitStatus variances(const ValueOptions& options, Context& context) {
  if (options.values.size() > 2)
    throw UsageError("variance takes one value, or two for their covariance", {.code = "E003"});
  std::vector<ValueColumn> columns = columns_of(options);
  std::vector<std::string> titles;
  for (const std::string& name : options.values) {
    titles.push_back("mean " + name);
    titles.push_back("variance " + name);
  }
  if (columns.size() == 2) titles.emplace_back("covariance");
  return report_rows(
      options.input, context, titles,
      [&](const ForestRecord& record) {
        std::vector<EdgeMap<double>> tables;
        std::vector<Json> row;
        for (ValueColumn& column : columns) {
          tables.push_back(column.of(record));
          const Moments found = moments(record.forest, record.scores, tables.back());
          row.push_back(json_of(found.mean));
          row.push_back(json_of(found.variance));
        }
        if (tables.size() == 2)
          row.push_back(json_of(covariance(record.forest, record.scores, tables[0], tables[1])));
        return row;
      },
      [&] { require_seen(columns); });
}

struct KlOptions {
  ForestInput input;
  OtherOptions other;
};

ExitStatus divergences(const KlOptions& options, Context& context) {
  OtherScores other(options.other, options.input);
  return report_rows(
      options.input, context, {"kl", "cross_entropy", "entropy"},
      [&](const ForestRecord& record) {
        const EdgeMap<double> q = other.of(record);
        return std::vector<Json>{json_of(kl_divergence(record.forest, record.scores, q)),
                                 json_of(cross_entropy(record.forest, record.scores, q)),
                                 json_of(entropy(record.forest, record.scores))};
      },
      [&] { other.require_used_up(); });
}

struct RiskOptions {
  ForestInput input;
  std::string loss;
};

ExitStatus risks(const RiskOptions& options, Context& context) {
  ValueColumn loss(options.loss);
  return report_rows(
      options.input, context, {"risk"},
      [&](const ForestRecord& record) {
        return std::vector<Json>{json_of(risk(record.forest, record.scores, loss.of(record)))};
      },
      [&] { loss.require_seen(); });
}

Option value_option(ValueOptions& options, std::string help) {
  return {.name = "value",
          .value = &options.values,
          .metavar = "NAME[,NAME]",
          .help = std::move(help),
          .required = true};
}

}  // namespace

Command forest_entropy_verb() {
  auto input = std::make_shared<ForestInput>();
  return {.name = "entropy",
          .summary = "how undecided the distribution over derivations is",
          .help = "Entropy in nats, its exponential (perplexity), and ln of the total weight.",
          .examples = {{"coppice forest entropy f.jsonl", "one row a forest"}},
          .options = {on_error_option(input->on_error)},
          .files = forest_files(*input),
          .reports = true,
          .run = [input](Context& context) { return entropies(*input, context); }};
}

Command forest_expect_verb() {
  auto options = std::make_shared<ValueOptions>();
  return {.name = "expect",
          .summary = "expected sum of edges' values",
          .help =
              "A derivation's value is the sum of its edges'. An edge without the value has 0 of "
              "it, and so has a forest without such edges; a name that no forest has is an error.",
          .examples = {{"coppice forest expect --value NP,PP f.jsonl",
                        "expected numbers of phrases, in forests that forest parse wrote"}},
          .options = {value_option(*options, "which values; a column for each"),
                      on_error_option(options->input.on_error)},
          .files = forest_files(options->input),
          .reports = true,
          .run = [options](Context& context) { return expectations(*options, context); }};
}

Command forest_variance_verb() {
  auto options = std::make_shared<ValueOptions>();
  return {
      .name = "variance",
      .summary = "variance of a sum of edges' values, or covariance of two",
      .help = "Mean and variance of each value, and the covariance where two are given.",
      .examples = {{"coppice forest variance --value NP,PP f.jsonl", "do more NPs mean more PPs?"}},
      .options = {value_option(*options, "one value, or two"),
                  on_error_option(options->input.on_error)},
      .files = forest_files(options->input),
      .reports = true,
      .run = [options](Context& context) { return variances(*options, context); }};
}

Command forest_kl_verb() {
  auto options = std::make_shared<KlOptions>();
  std::vector<Option> list = other_options(options->other);
  list.push_back(on_error_option(options->input.on_error));
  return {
      .name = "kl",
      .summary = "divergence of the forest's distribution from another one",
      .help =
          "KL(p || q) in nats, where p is the distribution that the scores give and q that of "
          "another weighting of the same edges; cross-entropy H(p, q) and entropy H(p) beside "
          "it. Infinite where q excludes what p uses.",
      .examples = {{"coppice forest kl --other q.jsonl p.jsonl", "two files of the same forests"},
                   {"coppice forest kl --q lm f.jsonl", "the edges' value lm is q's score"}},
      .options = std::move(list),
      .files = forest_files(options->input),
      .reports = true,
      .run = [options](Context& context) { return divergences(*options, context); }};
}

Command forest_risk_verb() {
  auto options = std::make_shared<RiskOptions>();
  return {.name = "risk",
          .summary = "expected loss of a derivation drawn from the forest",
          .help = "The loss of a derivation is the sum of its edges' values of that name.",
          .examples = {{"coppice forest risk --loss loss f.jsonl", "one number a forest"}},
          .options = {{.name = "loss",
                       .value = &options->loss,
                       .metavar = "NAME",
                       .help = "the edges' value that is their loss",
                       .required = true},
                      on_error_option(options->input.on_error)},
          .files = forest_files(options->input),
          .reports = true,
          .run = [options](Context& context) { return risks(*options, context); }};
}

}  // namespace coppice::cli

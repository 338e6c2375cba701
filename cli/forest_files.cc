// coppice forest check, convert and prune: forests in, forests or their description out.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "cli/forest_input.h"
#include "cli/forest_output.h"
#include "cli/forest_report.h"
#include "cli/forest_verbs.h"
#include "coppice/base/usage_error.h"
#include "coppice/forest/count.h"
#include "coppice/forest/marginals.h"
#include "coppice/forest/prune.h"

namespace coppice::cli {

namespace {

Json value_names(const ForestRecord& record) {
  Json names = Json::array();
  for (SymbolId id : record.edge_values.names.ids())
    names.push_back(std::string(record.edge_values.names[id]));
  return names;
}

std::vector<Json> description(const ForestRecord& record) {
  return {record.forest.num_nodes(),
          record.forest.num_edges(),
          record.tokens ? Json(record.tokens->size()) : Json(),
          json_of(count_derivations(record.forest)),
          value_names(record),
          nullptr};
}

ExitStatus check(const std::vector<std::string>& files, Context& context) {
  RowReport report(context, {"nodes", "edges", "tokens", "derivations", "values", "problem"});
  bool found = false;
  ForestInput input{.files = files, .on_error = "null"};
  for_each_forest(
      input, context,
      [&](const ForestRecord& record, const std::string& name) {
        report.row(name, description(record));
      },
      [&](const std::string& name, const Error& error) {
        found = true;
        report.row(name, {nullptr, nullptr, nullptr, nullptr, nullptr, error.code()});
      });
  report.finish();
  return found ? ExitStatus::kCheckFailed : ExitStatus::kDone;
}

struct ConvertOptions {
  ForestInput input;
  ForestOutput output;
};

// Writes what `change` makes of each record.
ExitStatus rewrite(const ConvertOptions& options, Context& context,
                   const std::function<ForestRecord(const ForestRecord&)>& change) {
  ForestSink sink(context, options.output, options.input.on_error);
  const ExitStatus status = for_each_forest(
      options.input, context,
      [&](const ForestRecord& record, const std::string&) { sink.write(change(record)); },
      [&](const std::string& name, const Error& error) { sink.failure(name, error); });
  sink.commit();
  return status;
}

struct PruneOptions : ConvertOptions {
  std::optional<double> threshold;
  std::optional<double> beam;
};

ExitStatus prune(const PruneOptions& options, Context& context) {
  if (options.threshold.has_value() == options.beam.has_value()) {
    const bool both = options.beam.has_value();
    throw UsageError(both ? "give --threshold or --max-marginal, not both"
                          : "prune needs --threshold or --max-marginal",
                     {.code = both ? "E006" : "E004"});
  }
  std::size_t before = 0, after = 0;
  const ExitStatus status = rewrite(options, context, [&](const ForestRecord& record) {
    const Forest& forest = record.forest;
    auto pruned =
        options.beam ? prune_by_max_marginal(forest, record.scores, *options.beam)
                     : prune_by_marginal(forest, record.scores,
                                         edge_marginals(forest, record.scores), *options.threshold);
    before += forest.num_edges();
    after += pruned.forest.num_edges();
    return restrict_record(record, std::move(pruned));
  });
  context.detail("kept    {} of {} edges", after, before);
  return status;
}

}  // namespace

Command forest_check_verb() {
  auto files = std::make_shared<ForestInput>();
  return {.name = "check",
          .summary = "validate forest files and tell their sizes",
          .help =
              "One row a record: its size, the exact number of derivations, the names of its "
              "edges' values, and the code of its error if it has one. Reads on after errors; "
              "exit status 7 when there were any.",
          .examples = {{"coppice forest check f.jsonl", "one row for each forest"}},
          .files = forest_files(*files),
          .reports = true,
          .run = [files](Context& context) { return check(files->files, context); }};
}

Command forest_convert_verb() {
  auto options = std::make_shared<ConvertOptions>();
  return {.name = "convert",
          .summary = "rewrite forests as JSON lines or binary",
          .help = "Nothing is lost in either direction: scores and values keep every bit.",
          .examples = {{"coppice forest convert f.jsonl -o f.cpf", "makes a binary file"},
                       {"coppice forest convert f.cpf", "prints JSON lines"}},
          .options = output_options(options->output, options->input.on_error),
          .files = forest_files(options->input),
          .writes_files = true,
          .run = [options](Context& context) {
            return rewrite(*options, context, [](const ForestRecord& record) { return record; });
          }};
}

Command forest_prune_verb() {
  auto options = std::make_shared<PruneOptions>();
  std::vector<Option> list{
      {.name = "threshold",
       .value = &options->threshold,
       .metavar = "P",
       .help = "keep edges of posterior probability P or more",
       .min = 0,
       .max = 1},
      {.name = "max-marginal",
       .value = &options->beam,
       .metavar = "BEAM",
       .help = "keep edges whose best derivation scores within BEAM of the best",
       .min = 0}};
  for (Option& option : output_options(options->output, options->input.on_error))
    list.push_back(std::move(option));
  return {.name = "prune",
          .summary = "leave out unlikely edges",
          .help =
              "Writes the smaller forests; labels, spans, scores and values stay. The best "
              "derivation always survives. -v tells how many edges were kept.",
          .examples = {{"coppice forest prune --threshold 0.01 f.jsonl -o small.jsonl",
                        "drops edges of probability below 1 %"}},
          .options = std::move(list),
          .files = forest_files(options->input),
          .writes_files = true,
          .run = [options](Context& context) { return prune(*options, context); }};
}

}  // namespace coppice::cli

// coppice forest split: the joint distribution of two counts that add over edges.
#include <fmt/core.h>

#include <cmath>
#include <memory>

#include "cli/forest_input.h"
#include "cli/forest_report.h"
#include "cli/forest_verbs.h"
#include "coppice/base/usage_error.h"
#include "coppice/forest/count_distribution.h"

namespace coppice::cli {

namespace {

struct SplitVerbOptions {
  ForestInput input;
  std::vector<std::string> counts;
};

ExitStatus run(const SplitVerbOptions& options, Context& context) {
  if (options.counts.size() != 2)
    throw UsageError("--counts takes two names: N,D", {.code = "E003"});
  ValueColumn first(options.counts[0]);
  ValueColumn second(options.counts[1]);
  ListReport report(context, "counts",
                    {{.name = options.counts[0], .align = Align::kRight},
                     {.name = options.counts[1], .align = Align::kRight},
                     {.name = "p", .align = Align::kRight}});
  const ExitStatus status = for_each_forest(
      options.input, context,
      [&](const ForestRecord& record, const std::string& name) {
        const auto counts = edge_counts(first.of(record), second.of(record));
        std::vector<ListReport::Item> items;
        for (const CountProbability& pair :
             count_distribution(record.forest, record.scores, counts)) {
          items.push_back({.values = {pair.counts.n, pair.counts.d, json_of(pair.probability)}});
        }
        report.list(record, name, Json::object(), items);
      },
      [&](const std::string& name, const Error& error) { report.failure(name, error); });
  first.require_seen();
  second.require_seen();
  return status;
}

}  // namespace

Command forest_split_verb() {
  auto options = std::make_shared<SplitVerbOptions>();
  return {.name = "split",
          .summary = "joint distribution of two counts over derivations",
          .help =
              "Splits every node by two counts of its derivations, which are values of edges that "
              "are whole numbers from 0 up, and prints the probability of each pair.",
          .examples = {{"coppice forest split --counts right,guessed f.jsonl",
                        "what F1 needs, exactly"}},
          .options = {{.name = "counts",
                       .value = &options->counts,
                       .metavar = "N,D",
                       .help = "the two values",
                       .required = true},
                      on_error_option(options->input.on_error)},
          .files = forest_files(options->input),
          .reports = true,
          .run = [options](Context& context) { return run(*options, context); }};
}

}  // namespace coppice::cli

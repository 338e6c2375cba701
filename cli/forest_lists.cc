// coppice forest marginals, kbest and sample: a list a forest.
#include <cmath>
#include <limits>
#include <memory>

#include "cli/forest_input.h"
#include "cli/forest_report.h"
#include "cli/forest_verbs.h"
#include "coppice/base/random.h"
#include "coppice/base/usage_error.h"
#include "coppice/forest/draw.h"
#include "coppice/forest/inside.h"
#include "coppice/forest/kbest.h"
#include "coppice/forest/marginals.h"
#include "coppice/forest/sample.h"
#include "coppice/semiring/log.h"

namespace coppice::cli {

namespace {

using Item = ListReport::Item;

// Calls `items_of` for every record and prints the list.
ExitStatus report_lists(const ForestInput& input, Context& context, ListReport report,
                        const std::function<std::vector<Item>(const ForestRecord&)>& items_of) {
  return for_each_forest(
      input, context,
      [&](const ForestRecord& record, const std::string& name) {
        report.list(record, name, Json::object(), items_of(record));
      },
      [&](const std::string& name, const Error& error) { report.failure(name, error); });
}

struct MarginalOptions {
  ForestInput input;
  double min = 0;
  bool nodes = false;
  bool edges = false;
};

std::vector<Item> node_items(const ForestRecord& record, double min) {
  const auto marginals = node_marginals(record.forest, record.scores);
  std::vector<Item> items;
  for (NodeId node : record.forest.nodes()) {
    if (marginals[node] < min) continue;
    Json object = json_of(record, node);
    object["p"] = json_of(marginals[node]);
    items.push_back(
        {.values = {json_of(marginals[node]), describe(record, node)}, .json = std::move(object)});
  }
  return items;
}

std::vector<Item> edge_items(const ForestRecord& record, double min) {
  const auto marginals = edge_marginals(record.forest, record.scores);
  std::vector<Item> items;
  for (EdgeId edge : record.forest.edges()) {
    if (marginals[edge] < min) continue;
    const NodeId head = record.forest.head(edge);
    Json object = {{"edge", index(edge)}, {"head", index(head)}};
    if (!record.label(edge).empty()) object["label"] = record.label(edge);
    object["p"] = json_of(marginals[edge]);
    items.push_back(
        {.values = {json_of(marginals[edge]), describe(record, head), describe(record, edge)},
         .json = std::move(object)});
  }
  return items;
}

ExitStatus marginals(const MarginalOptions& options, Context& context) {
  if (options.nodes && options.edges)
    throw UsageError("give --nodes or --edges, not both", {.code = "E006"});
  std::vector<Column> columns{{.name = "p", .align = Align::kRight}, {.name = "node"}};
  if (options.edges) columns.push_back({.name = "edge"});
  const char* key = options.edges ? "edges" : "nodes";
  return report_lists(options.input, context, ListReport(context, key, std::move(columns)),
                      [&](const ForestRecord& record) {
                        return options.edges ? edge_items(record, options.min)
                                             : node_items(record, options.min);
                      });
}

struct DerivationOptions {
  ForestInput input;
  std::uint64_t k = 10;
  std::uint64_t seed = 1;
  bool draw = false;
};

std::vector<Column> derivation_columns(const char* number) {
  return {{.name = number, .align = Align::kRight},
          {.name = "score", .align = Align::kRight},
          {.name = "p", .align = Align::kRight},
          {.name = "tree"}};
}

Item derivation_item(const ForestRecord& record, const Derivation& derivation, double log_z,
                     std::uint64_t number, bool draw) {
  Item item{.values = {number, json_of(derivation.score),
                       json_of(std::exp(derivation.score - log_z)),
                       derivation_to_brackets(record, derivation.edges)}};
  if (draw) item.below = derivation_to_text(record, derivation.edges);
  return item;
}

ExitStatus kbest(const DerivationOptions& options, Context& context) {
  return report_lists(
      options.input, context, ListReport(context, "kbest", derivation_columns("rank")),
      [&](const ForestRecord& record) {
        const double log_z = log_partition(record.forest, record.scores);
        KBest best(record.forest, record.scores);
        std::vector<Item> items;
        for (std::uint64_t rank = 1; rank <= options.k; ++rank) {
          const auto derivation = best.next();
          if (!derivation) break;
          items.push_back(derivation_item(record, *derivation, log_z, rank, options.draw));
        }
        return items;
      });
}

ExitStatus sample(const DerivationOptions& options, Context& context) {
  std::uint64_t stream = 0;  // one a record, so that a record's samples are its own
  return report_lists(
      options.input, context, ListReport(context, "samples", derivation_columns("sample")),
      [&](const ForestRecord& record) {
        Random random(options.seed, stream++);
        const auto chart = inside<LogSemiring>(record.forest, record.scores);
        std::vector<Item> items;
        for (std::uint64_t number = 1; number <= options.k; ++number) {
          const auto derivation = sample_derivation(record.forest, record.scores, chart, random);
          if (!derivation)
            throw InvalidArgument("the forest has no derivation to sample", {.code = "E301"});
          items.push_back(derivation_item(record, *derivation, chart[record.forest.root()], number,
                                          options.draw));
        }
        return items;
      });
}

Option draw_option(DerivationOptions& options) {
  return {.name = "draw",
          .value = &options.draw,
          .help = "draw each tree below its line",
          .only_with = {"json", {"false"}}};
}

}  // namespace

Command forest_marginals_verb() {
  auto options = std::make_shared<MarginalOptions>();
  return {
      .name = "marginals",
      .summary = "posterior probability of every node or edge",
      .help =
          "How often derivations use each node or edge on average, which is a probability "
          "unless a derivation can use one twice.",
      .examples = {{"coppice forest marginals --min 0.05 f.jsonl", "nodes of 5 % and more"}},
      .options = {{.name = "min",
                   .value = &options->min,
                   .metavar = "P",
                   .help = "leave out less likely entries",
                   .min = 0},
                  {.name = "nodes", .value = &options->nodes, .help = "list nodes (the default)"},
                  {.name = "edges", .value = &options->edges, .help = "list edges"},
                  on_error_option(options->input.on_error)},
      .files = forest_files(options->input),
      .reports = true,
      .run = [options](Context& context) { return marginals(*options, context); }};
}

Command forest_kbest_verb() {
  auto options = std::make_shared<DerivationOptions>();
  return {.name = "kbest",
          .summary = "the best derivations, best first",
          .help =
              "Rank, score, share of the total weight, and the tree in brackets. Nodes whose label "
              "begins with @ are left out of trees.",
          .examples = {{"coppice forest kbest -k 3 --draw f.jsonl", "three trees a forest"}},
          .options = {{.name = "k",
                       .letter = 'k',
                       .value = &options->k,
                       .metavar = "N",
                       .help = "how many",
                       .min = 1},
                      draw_option(*options),
                      on_error_option(options->input.on_error)},
          .files = forest_files(options->input),
          .reports = true,
          .run = [options](Context& context) { return kbest(*options, context); }};
}

Command forest_sample_verb() {
  auto options = std::make_shared<DerivationOptions>();
  return {
      .name = "sample",
      .summary = "derivations drawn at random, by their probability",
      .help = "Exact and independent draws. The same seed gives the same samples everywhere.",
      .examples = {{"coppice forest sample -n 5 --seed 7 f.jsonl", "five trees a forest"}},
      .options = {{.name = "number",
                   .letter = 'n',
                   .value = &options->k,
                   .metavar = "N",
                   .help = "how many",
                   .min = 1},
                  {.name = "seed", .value = &options->seed, .metavar = "S", .help = "which draws"},
                  draw_option(*options),
                  on_error_option(options->input.on_error)},
      .files = forest_files(options->input),
      .reports = true,
      .run = [options](Context& context) { return sample(*options, context); }};
}

}  // namespace coppice::cli

// coppice forest inside, outside and count: weights in semirings that are chosen by name.
#include <fmt/core.h>

#include <memory>

#include "cli/forest_input.h"
#include "cli/forest_report.h"
#include "cli/forest_verbs.h"
#include "coppice/base/suggest.h"
#include "coppice/base/usage_error.h"
#include "coppice/forest/count.h"
#include "coppice/forest/named_semiring.h"

namespace coppice::cli {

namespace {

constexpr const char* kSemirings =
    "boolean: is there a derivation. counting: how many, exactly; saturating: the same up to 2^64 "
    "- 1. real: the sum of weights; log: its logarithm. viterbi: the largest weight; max-plus: its "
    "logarithm; tropical: the least cost, minus that. expectation: the mean of --value. entropy: "
    "in nats. top:K: the K best scores, K from 1 to 64.";

struct InsideOptions {
  ForestInput input;
  std::vector<std::string> semirings{"log"};
  std::optional<std::string> value;
  bool nodes = false;
};

[[noreturn]] void refuse(const std::string& name) {
  const std::vector<std::string> names = semiring_names();
  std::string known;
  for (const std::string& other : names) known += (known.empty() ? "" : ", ") + other;
  throw UsageError(fmt::format("unknown semiring \"{}\"{}", name, did_you_mean(name, names)),
                   {.code = "E131", .help = "one of " + known});
}

std::vector<NamedSemiring> named(const std::vector<std::string>& names) {
  std::vector<NamedSemiring> semirings;
  for (const std::string& name : names) {
    auto semiring = NamedSemiring::find(name);
    if (!semiring) refuse(name);
    semirings.push_back(std::move(*semiring));
  }
  return semirings;
}

// Prints a row of charts for each node.
class NodeReport {
 public:
  NodeReport(Context& context, const std::vector<std::string>& names)
      : names_(names), report_(context, "nodes", columns_of(names)) {}

  void list(const ForestRecord& record, const std::string& name,
            const std::vector<NodeMap<SemiringValue>>& charts) {
    std::vector<ListReport::Item> items;
    for (NodeId node : record.forest.nodes()) {
      ListReport::Item item{.values = {describe(record, node)}, .json = json_of(record, node)};
      for (std::size_t i = 0; i < charts.size(); ++i) {
        item.values.push_back(json_of(charts[i][node]));
        item.json[names_[i]] = item.values.back();
      }
      items.push_back(std::move(item));
    }
    report_.list(record, name, Json::object(), items);
  }
  void failure(const std::string& name, const Error& error) { report_.failure(name, error); }

 private:
  static std::vector<Column> columns_of(const std::vector<std::string>& names) {
    std::vector<Column> columns{{.name = "node"}};
    for (const std::string& name : names) columns.push_back({.name = name, .align = Align::kRight});
    return columns;
  }

  std::vector<std::string> names_;
  ListReport report_;
};

// The charts of one record, one a semiring.
class Charts {
 public:
  explicit Charts(const InsideOptions& options) : semirings_(named(options.semirings)) {
    if (options.value) value_.emplace(*options.value);
    for (const NamedSemiring& semiring : semirings_)
      if (semiring.needs_values() && !value_)
        throw UsageError("the semiring expectation needs --value", {.code = "E004"});
  }

  std::vector<NodeMap<SemiringValue>> inside(const ForestRecord& record) {
    const auto values = value_ ? value_->of(record) : EdgeMap<double>();
    std::vector<NodeMap<SemiringValue>> charts;
    charts.reserve(semirings_.size());
    for (const NamedSemiring& semiring : semirings_)
      charts.push_back(semiring.inside(record.forest, record.scores, values));
    return charts;
  }
  std::vector<NodeMap<SemiringValue>> outside(const ForestRecord& record) const {
    std::vector<NodeMap<SemiringValue>> charts;
    charts.reserve(semirings_.size());
    for (const NamedSemiring& semiring : semirings_)
      charts.push_back(semiring.outside(record.forest, record.scores));
    return charts;
  }
  const std::vector<NamedSemiring>& semirings() const { return semirings_; }
  void require_seen() const {
    if (value_) value_->require_seen();
  }

 private:
  std::vector<NamedSemiring> semirings_;
  std::optional<ValueColumn> value_;
};

// The root's value; an empty forest has none.
Json root_value(const ForestRecord& record, const NodeMap<SemiringValue>& chart) {
  return record.forest.empty() ? Json() : json_of(chart[record.forest.root()]);
}

ExitStatus list_nodes(
    const InsideOptions& options, Context& context,
    const std::function<std::vector<NodeMap<SemiringValue>>(const ForestRecord&)>& charts) {
  NodeReport report(context, options.semirings);
  return for_each_forest(
      options.input, context,
      [&](const ForestRecord& record, const std::string& name) {
        report.list(record, name, charts(record));
      },
      [&](const std::string& name, const Error& error) { report.failure(name, error); });
}

ExitStatus inside(const InsideOptions& options, Context& context) {
  Charts charts(options);
  if (options.nodes) {
    const ExitStatus status = list_nodes(
        options, context, [&](const ForestRecord& record) { return charts.inside(record); });
    charts.require_seen();
    return status;
  }
  return report_rows(
      options.input, context, options.semirings,
      [&](const ForestRecord& record) {
        std::vector<Json> values;
        for (const auto& chart : charts.inside(record)) values.push_back(root_value(record, chart));
        return values;
      },
      [&] { charts.require_seen(); });
}

ExitStatus outside(const InsideOptions& options, Context& context) {
  const Charts charts(options);
  for (const NamedSemiring& semiring : charts.semirings())
    if (!semiring.has_outside())
      throw UsageError(fmt::format("the semiring {} has no outside weights", semiring.name()),
                       {.code = "E131"});
  return list_nodes(options, context,
                    [&](const ForestRecord& record) { return charts.outside(record); });
}

Option semiring_option(InsideOptions& options) {
  return {.name = "semiring",
          .letter = 's',
          .value = &options.semirings,
          .metavar = "LIST",
          .help = "one column for each"};
}

}  // namespace

Command forest_inside_verb() {
  auto options = std::make_shared<InsideOptions>();
  return {.name = "inside",
          .summary = "total weight of all derivations, in any semiring",
          .help = std::string("The inside weight of the root, or of every node. Semirings: ") +
                  kSemirings,
          .examples = {{"coppice forest inside --semiring log,counting,entropy f.jsonl",
                        "three numbers a forest"}},
          .options = {semiring_option(*options),
                      {.name = "value",
                       .value = &options->value,
                       .metavar = "NAME",
                       .help = "the edges' value that expectation adds up",
                       .only_with = {"semiring", {"expectation"}}},
                      {.name = "nodes", .value = &options->nodes, .help = "list every node"},
                      on_error_option(options->input.on_error)},
          .files = forest_files(options->input),
          .reports = true,
          .run = [options](Context& context) { return inside(*options, context); }};
}

Command forest_outside_verb() {
  auto options = std::make_shared<InsideOptions>();
  return {
      .name = "outside",
      .summary = "weight of what surrounds each node",
      .help = std::string("For every node, the sum over the contexts in which derivations use it. "
                          "Semirings, without expectation, entropy and top: ") +
              kSemirings,
      .examples = {{"coppice forest outside --semiring log f.jsonl", "a table a forest"}},
      .options = {semiring_option(*options), on_error_option(options->input.on_error)},
      .files = forest_files(options->input),
      .reports = true,
      .run = [options](Context& context) { return outside(*options, context); }};
}

Command forest_count_verb() {
  auto options = std::make_shared<ForestInput>();
  return {.name = "count",
          .summary = "number of derivations, exactly",
          .help =
              "Derivations with an edge of score -inf do not count. JSON has numbers above 2^53 as "
              "strings.",
          .examples = {{"coppice forest count f.jsonl", "one number a forest"}},
          .options = {on_error_option(options->on_error)},
          .files = forest_files(*options),
          .reports = true,
          .run = [options](Context& context) {
            return report_rows(*options, context, {"derivations"}, [](const ForestRecord& record) {
              return std::vector<Json>{json_of(count_derivations(record.forest, record.scores))};
            });
          }};
}

}  // namespace coppice::cli

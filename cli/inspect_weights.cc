#include "cli/inspect_weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/human.h"
#include "cli/label_number.h"
#include "cli/tag.h"
#include "coppice/base/usage_error.h"
#include "coppice/tag/tagger.h"
#include "coppice/tag/weights.h"

namespace coppice::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kDefaultTop = 20;
constexpr std::size_t kMaxNameWidth = 80;
constexpr int kWeightDecimals = 4;

class Report {
 public:
  Report(ModelFile model, const WeightOptions& options, Context& context)
      : options_(options),
        context_(context),
        tagger_(std::move(model)),
        top_(options.top.value_or(kDefaultTop)) {}

  void run() {
    if (options_.diff) {
      difference();
    } else if (options_.transitions) {
      transitions();
    } else {
      features();
    }
  }

 private:
  TableFormat format() const { return options_.tsv ? TableFormat::kTsv : TableFormat::kAligned; }

  // Names for people are shortened; a program gets all of them.
  std::string shown(const std::string& name) const {
    return options_.tsv ? name : shortened(visible(name), kMaxNameWidth);
  }

  Json document() const {
    return {{"v", 1}, {"file", tagger_.file().name()}, {"task", tagger_.file().task()}};
  }

  void print(const Json& document) {
    context_.out() << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  }

  // The largest weights of one label, or of each.
  void features() {
    std::optional<std::size_t> label;
    if (options_.label) label = label_number(tagger_, *options_.label);
    const std::vector<tag::NamedWeight> all = tag::largest_weights(tagger_, top_, label);
    if (context_.json()) {
      Json report = document();
      report["features"] = Json::array();
      for (const tag::NamedWeight& one : all) {
        report["features"].push_back(
            {{"label", one.label}, {"feature", one.feature}, {"weight", one.weight}});
      }
      return print(report);
    }
    Table table = context_.report_table(
        {{.name = "label"}, {.name = "weight", .decimals = kWeightDecimals}, {.name = "feature"}},
        format());
    for (const tag::NamedWeight& one : all) {
      table.row({one.label, one.weight, shown(one.feature)});
    }
    table.finish();
  }

  struct Pair {
    std::size_t previous, next;
    double weight;
  };

  // In the order of labels; with --top, the largest first.
  std::vector<Pair> pairs() const {
    std::vector<Pair> all;
    const std::size_t labels = tagger_.num_labels();
    for (std::size_t u = 0; u < labels && tagger_.config().order > 0; ++u) {
      for (std::size_t y = 0; y < labels; ++y) {
        const bool is_wanted = !options_.label || tagger_.label(u) == *options_.label ||
                               tagger_.label(y) == *options_.label;
        if (is_wanted) all.push_back({u, y, tagger_.pair_score(u, y)});
      }
    }
    if (!options_.top) return all;
    std::erase_if(all, [](const Pair& pair) { return std::isinf(pair.weight); });
    std::stable_sort(all.begin(), all.end(), [](const Pair& a, const Pair& b) {
      return std::abs(a.weight) > std::abs(b.weight);
    });
    all.resize(std::min<std::size_t>(all.size(), top_));
    return all;
  }

  void transitions() {
    if (options_.label) label_number(tagger_, *options_.label);
    if (context_.json()) {
      Json report = document();
      report["transitions"] = Json::array();
      for (const Pair& pair : pairs()) {
        Json one = {{"from", tagger_.label(pair.previous)}, {"to", tagger_.label(pair.next)}};
        one["allowed"] = std::isfinite(pair.weight);
        if (std::isfinite(pair.weight)) one["weight"] = pair.weight;
        report["transitions"].push_back(std::move(one));
      }
      return print(report);
    }
    Table table = context_.report_table(
        {{.name = "from"},
         {.name = "to"},
         {.name = "weight", .decimals = kWeightDecimals, .align = Align::kRight}},
        format());
    for (const Pair& pair : pairs()) {
      table.row({std::string(tagger_.label(pair.previous)), std::string(tagger_.label(pair.next)),
                 std::isfinite(pair.weight) ? Cell(pair.weight) : Cell("forbidden")});
    }
    table.finish();
  }

  static Json json_of(const std::vector<tag::WeightDifference>& differences, const char* key) {
    Json list = Json::array();
    for (const tag::WeightDifference& one : differences) {
      list.push_back(
          {{key, one.feature}, {"label", one.label}, {"first", one.first}, {"second", one.second}});
    }
    return list;
  }

  void difference() {
    const tag::Tagger other = tag::Tagger::open(*options_.diff);
    const tag::ModelDifference found = tag::difference(tagger_, other, top_);
    if (context_.json()) {
      Json report = document();
      report["second"] = *options_.diff;
      report["labels_of_first"] = found.labels_of_first;
      report["labels_of_second"] = found.labels_of_second;
      report["common_features"] = found.common_features;
      report["features_of_first"] = found.features_of_first;
      report["features_of_second"] = found.features_of_second;
      report["features"] = json_of(found.features, "feature");
      report["transitions"] = json_of(found.pairs, "from");
      return print(report);
    }
    if (!options_.tsv) summarise(found);
    Table table = context_.report_table({{.name = "kind"},
                                         {.name = "label"},
                                         {.name = "first", .decimals = kWeightDecimals},
                                         {.name = "second", .decimals = kWeightDecimals},
                                         {.name = "difference", .decimals = kWeightDecimals},
                                         {.name = "feature"}},
                                        format());
    const auto add = [&](const char* kind, const std::vector<tag::WeightDifference>& all) {
      for (const tag::WeightDifference& one : all) {
        table.row(
            {kind, one.label, one.first, one.second, one.second - one.first, shown(one.feature)});
      }
    };
    add("feature", found.features);
    add("after", found.pairs);
    table.finish();
  }

  void summarise(const tag::ModelDifference& found) {
    const auto listed = [](const std::vector<std::string>& labels) {
      std::string text;
      for (const std::string& label : labels) text += ' ' + visible(label);
      return labels.empty() ? std::string(" none") : text;
    };
    context_.out() << fmt::format(
        "labels only in the first:{}; only in the second:{}\n"
        "features in both: {}; only in the first: {}; only in the second: {}\n\n",
        listed(found.labels_of_first), listed(found.labels_of_second),
        thousands(found.common_features), thousands(found.features_of_first),
        thousands(found.features_of_second));
  }

  const WeightOptions& options_;
  Context& context_;
  tag::Tagger tagger_;
  std::uint64_t top_;
};

}  // namespace

std::vector<Option> weight_options(WeightOptions& options) {
  return {{.name = "top",
           .value = &options.top,
           .metavar = "N",
           .help = "list the N features with the largest weights, of each label"},
          {.name = "label",
           .value = &options.label,
           .metavar = "LABEL",
           .help = "weights of this label only"},
          {.name = "transitions",
           .value = &options.transitions,
           .help = "list the weights of pairs of labels; with --top, the N largest"},
          {.name = "diff",
           .value = &options.diff,
           .metavar = "MODEL",
           .help = "list the weights that differ most from those of another model (N: 20)"},
          {.name = "tsv", .value = &options.tsv, .help = "print the list as TSV"}};
}

ExitStatus list_weights(ModelFile model, const WeightOptions& options, Context& context) {
  if (options.tsv && context.json()) {
    throw UsageError("--tsv and --json exclude one another", {.code = "E006"});
  }
  if (options.diff && (options.transitions || options.label)) {
    throw UsageError("--diff compares all weights; it goes without --transitions and --label",
                     {.code = "E006"});
  }
  Report(std::move(model), options, context).run();
  return ExitStatus::kDone;
}

}  // namespace coppice::cli

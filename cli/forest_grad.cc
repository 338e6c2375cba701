// coppice forest grad: the derivative of a number by the score of every edge.
#include <functional>
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

struct GradOptions {
  ForestInput input;
  std::string of = "logz";
  std::optional<std::string> value;
  std::optional<std::string> loss;
  OtherOptions other;
  std::string by = "p";
  AnnealedRiskOptions annealing;
};

// The function that --of names.
struct Objective {
  std::function<EdgeGradient(const ForestRecord&)> gradient;
  // Call after the last record. Throws InvalidArgument when --value, --loss, --q or --other does
  // not fit the input.
  std::function<void()> check_end = [] {};
};

std::string needed(const GradOptions& options, const std::optional<std::string>& name,
                   const char* option) {
  if (!name) throw UsageError("--of " + options.of + " needs " + option, {.code = "E004"});
  return *name;
}

// `gradient` takes a forest, its scores, and the values of that name.
template <class Gradient>
Objective of_values(const std::string& name, Gradient gradient) {
  auto column = std::make_shared<ValueColumn>(name);
  return {[column, gradient](const ForestRecord& record) {
            return gradient(record.forest, record.scores, column->of(record));
          },
          [column] { column->require_seen(); }};
}

Objective of_divergence(const GradOptions& options) {
  auto other = std::make_shared<OtherScores>(options.other, options.input);
  const Weighting by = options.by == "p" ? Weighting::kP : Weighting::kQ;
  return {[other, by](const ForestRecord& record) {
            return kl_divergence_gradient(record.forest, record.scores, other->of(record), by);
          },
          [other] { other->require_used_up(); }};
}

Objective make_objective(const GradOptions& options) {
  using Values = EdgeMap<double>;
  if (options.of == "kl") return of_divergence(options);
  if (options.of == "expectation")
    return of_values(needed(options, options.value, "--value"),
                     [](const Forest& forest, const Values& scores, const Values& values) {
                       return expectation_gradient(forest, scores, values);
                     });
  if (options.of == "risk")
    return of_values(needed(options, options.loss, "--loss"),
                     [](const Forest& forest, const Values& scores, const Values& losses) {
                       return risk_gradient(forest, scores, losses);
                     });
  if (options.of == "annealed-risk")
    return of_values(needed(options, options.loss, "--loss"),
                     [annealing = options.annealing](const Forest& forest, const Values& scores,
                                                     const Values& losses) {
                       return annealed_risk_gradient(forest, scores, losses, annealing);
                     });
  if (options.of == "entropy")
    return {
        [](const ForestRecord& record) { return entropy_gradient(record.forest, record.scores); }};
  return {[](const ForestRecord& record) {
    return log_partition_gradient(record.forest, record.scores);
  }};
}

ExitStatus run(const GradOptions& options, Context& context) {
  const Objective objective = make_objective(options);
  ListReport report(context, "gradient",
                    {{.name = "edge", .align = Align::kRight},
                     {.name = "score", .align = Align::kRight},
                     {.name = "d/d score", .align = Align::kRight},
                     {.name = "label"}});
  const ExitStatus status = for_each_forest(
      options.input, context,
      [&](const ForestRecord& record, const std::string& name) {
        const EdgeGradient found = objective.gradient(record);
        std::vector<ListReport::Item> items;
        for (EdgeId edge : record.forest.edges()) {
          items.push_back({.values = {index(edge), json_of(record.scores[edge]),
                                      json_of(found.gradient[edge]), describe(record, edge)},
                           .json = json_of(found.gradient[edge])});
        }
        report.list(record, name, {{"of", options.of}, {"value", json_of(found.value)}}, items);
      },
      [&](const std::string& name, const Error& error) { report.failure(name, error); });
  objective.check_end();
  return status;
}

std::vector<Option> grad_options(GradOptions& options) {
  std::vector<Option> list{
      {.name = "of",
       .value = &options.of,
       .choices = {"logz", "entropy", "expectation", "risk", "annealed-risk", "kl"},
       .help = "which function"},
      {.name = "value",
       .value = &options.value,
       .metavar = "NAME",
       .help = "of expectation: which value",
       .only_with = {"of", {"expectation"}}},
      {.name = "loss",
       .value = &options.loss,
       .metavar = "NAME",
       .help = "of both risks: the edges' value that is their loss",
       .only_with = {"of", {"risk", "annealed-risk"}}},
      {.name = "temperature",
       .value = &options.annealing.temperature,
       .metavar = "T",
       .help = "of annealed-risk: weight of the entropy",
       .only_with = {"of", {"annealed-risk"}}},
      {.name = "scale",
       .value = &options.annealing.scale,
       .metavar = "S",
       .help = "of annealed-risk: factor of all scores",
       .only_with = {"of", {"annealed-risk"}}},
      {.name = "by",
       .value = &options.by,
       .choices = {"p", "q"},
       .help = "of kl: whose scores",
       .only_with = {"of", {"kl"}}}};
  for (Option& option : other_options(options.other)) {
    option.only_with = {"of", {"kl"}};
    option.help = "of kl: " + option.help;
    list.push_back(std::move(option));
  }
  list.push_back(on_error_option(options.input.on_error));
  return list;
}

}  // namespace

Command forest_grad_verb() {
  auto options = std::make_shared<GradOptions>();
  return {
      .name = "grad",
      .summary = "derivative of a number by every edge's score",
      .help =
          "The value of the function and its derivative by the score of each edge. JSON has "
          "the derivatives as a list, in the order of the edges.",
      .examples = {{"coppice forest grad --of entropy f.jsonl", "a table a forest"},
                   {"coppice forest grad --of risk --loss loss --json f.jsonl", "for programs"}},
      .options = grad_options(*options),
      .files = forest_files(options->input),
      .reports = true,
      .run = [options](Context& context) { return run(*options, context); }};
}

}  // namespace coppice::cli

// coppice forest grad: the derivative of a number by the score of every edge.
#include <memory>

#include "cli/forest_input.h"
#include "cli/forest_other.h"
#include "cli/forest_report.h"
#include "cli/forest_verbs.h"
#include "cli/usage_error.h"
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

// The function that --of names, with what it needs.
class Objective {
 public:
  explicit Objective(const GradOptions& options) : options_(options) {
    const bool wants_loss = options.of == "risk" || options.of == "annealed-risk";
    if (wants_loss) column_.emplace(needed(options.loss, "--loss"));
    if (options.of == "expectation") column_.emplace(needed(options.value, "--value"));
    if (options.of == "kl") other_.emplace(options.other, options.input);
  }

  EdgeGradient operator()(const ForestRecord& record) {
    const Forest& forest = record.forest;
    const EdgeMap<double>& scores = record.scores;
    if (options_.of == "entropy") return entropy_gradient(forest, scores);
    if (options_.of == "expectation")
      return expectation_gradient(forest, scores, column_->of(record));
    if (options_.of == "risk") return risk_gradient(forest, scores, column_->of(record));
    if (options_.of == "annealed-risk")
      return annealed_risk_gradient(forest, scores, column_->of(record), options_.annealing);
    if (options_.of == "kl")
      return kl_divergence_gradient(forest, scores, other_->of(record),
                                    options_.by == "p" ? Weighting::kP : Weighting::kQ);
    return log_partition_gradient(forest, scores);
  }

  // Call after the last record. Throws InvalidArgument when --value, --loss, --q or --other did not
  // fit the input.
  void check_end() {
    if (column_) column_->require_seen();
    if (other_) other_->require_used_up();
  }

 private:
  std::string needed(const std::optional<std::string>& name, const char* option) const {
    if (!name) throw UsageError("--of " + options_.of + " needs " + option, {.code = "E004"});
    return *name;
  }

  const GradOptions& options_;
  std::optional<ValueColumn> column_;
  std::optional<OtherScores> other_;
};

ExitStatus run(const GradOptions& options, Context& context) {
  Objective objective(options);
  ListReport report(context, "gradient",
                    {{.name = "edge", .align = Align::kRight},
                     {.name = "score", .align = Align::kRight},
                     {.name = "d/d score", .align = Align::kRight},
                     {.name = "label"}});
  const ExitStatus status = for_each_forest(
      options.input, context,
      [&](const ForestRecord& record, const std::string& name) {
        const EdgeGradient found = objective(record);
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

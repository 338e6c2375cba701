#include "coppice/learn/objective_options.h"

#include <array>
#include <charconv>
#include <utility>

#include "coppice/base/file.h"
#include "coppice/base/usage_error.h"

namespace coppice::learn {

namespace {

// A measure of a sentence is at most 1, its likelihood is not: with the penalty that suits the
// likelihood, the risk of a measure would keep weights too small.
constexpr double kRiskScale = 30;

constexpr std::array<std::pair<std::string_view, LossName>, 8> kLosses{{
    {"hamming", LossName::kHamming},
    {"cost-matrix", LossName::kCostMatrix},
    {"dec-precision", LossName::kDecPrecision},
    {"dec-recall", LossName::kDecRecall},
    {"dec-f1", LossName::kDecF1},
    {"precision", LossName::kPrecision},
    {"recall", LossName::kRecall},
    {"f1", LossName::kF},
}};

void set_loss(TrainingObjective& objective, const std::string& name) {
  constexpr std::string_view prefix = "fbeta:";
  for (const auto& [known, loss] : kLosses) {
    if (known == name) {
      objective.loss = loss;
      return;
    }
  }
  if (name.starts_with(prefix)) {
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, objective.beta);
    if (error == std::errc() && stop == end && objective.beta > 0 && objective.beta < 1e6) {
      objective.loss = LossName::kF;
      return;
    }
  }
  throw UsageError(concat("--loss is \"", name, "\""),
                   {.code = "E003",
                    .help = "expected hamming, cost-matrix, precision, recall, f1, fbeta:B (B a "
                            "positive number), dec-precision, dec-recall or dec-f1"});
}

[[noreturn]] void refuse_objective(const std::string& message) {
  throw UsageError(message, {.code = "E003"});
}

}  // namespace

std::vector<Option> loss_options(LossOptions& o) {
  return {{.name = "loss",
           .value = &o.loss,
           .metavar = "NAME",
           .help = "hamming, precision, recall, f1, fbeta:B, dec-precision, dec-recall, dec-f1 or "
                   "cost-matrix (docs/objectives.md)"},
          {.name = "cost",
           .value = &o.costs,
           .metavar = "COSTS",
           .help = "of a missed and of a wrong item, such as fn=5,fp=1; or of one type, such as "
                   "Disease:fn=5; may be given several times",
           .separate = true},
          {.name = "cost-matrix",
           .value = &o.cost_matrix,
           .metavar = "FILE",
           .help = "lines of gold label, answered label and cost; other errors cost 1"}};
}

std::vector<Option> objective_options(ObjectiveOptions& o) {
  std::vector<Option> options{
      {.name = "objective",
       .value = &o.objective,
       .choices = {"auto", "likelihood", "pseudo", "softmax-margin", "risk", "annealed-risk",
                   "parts"},
       .help = "what training minimises; auto: softmax-margin where there is a loss, else "
               "likelihood"}};
  for (Option& option : loss_options(o.loss)) options.push_back(std::move(option));
  std::vector<Option> more{
      {.name = "loss-scale",
       .value = &o.loss_scale,
       .metavar = "X",
       .help = "factor of the loss, beside likelihood or penalty (else 1; 30 for the risk of "
               "precision, recall and f1, which are at most 1)",
       .min = 0},
      {.name = "loss-level",
       .value = &o.loss_level,
       .choices = {"sentence", "corpus"},
       .help = "precision, recall and f1 of each sentence, or of all together"},
      {.name = "temperature",
       .value = &o.temperature,
       .metavar = "X",
       .help = "weight of the entropy in the first stage of annealed risk",
       .advanced = true,
       .min = 0,
       .only_with = {"objective", {"annealed-risk"}}},
      {.name = "cooling",
       .value = &o.cooling,
       .metavar = "X",
       .help = "factor of the temperature from stage to stage",
       .advanced = true,
       .min = 0.001,
       .max = 0.999,
       .only_with = {"objective", {"annealed-risk"}}},
      {.name = "largest-scale",
       .value = &o.largest_scale,
       .metavar = "X",
       .help = "of the scores, doubled from stage to stage once the temperature is 0",
       .advanced = true,
       .min = 1,
       .only_with = {"objective", {"annealed-risk"}}},
      {.name = "unlabelled",
       .value = &o.unlabelled,
       .metavar = "FILE",
       .help = "sentences on which the model is to be sure of itself; with --entropy-weight",
       .separate = true},
      {.name = "entropy-weight",
       .value = &o.entropy_weight,
       .metavar = "X",
       .help = "weight of the entropy of the sentences of --unlabelled"}};
  for (Option& option : more) options.push_back(std::move(option));
  return options;
}

TrainingObjective training_loss(const LossOptions& options) {
  TrainingObjective objective;
  for (const std::string& text : options.costs) {
    for (ItemCost& cost : parse_costs(text)) objective.costs.push_back(cost);
  }
  if (!options.cost_matrix.empty()) {
    objective.matrix = parse_cost_matrix(read_file(options.cost_matrix), options.cost_matrix);
  }
  const std::string otherwise = !options.costs.empty()         ? "dec-f1"
                                : !options.cost_matrix.empty() ? "cost-matrix"
                                                               : "hamming";
  set_loss(objective, options.loss.empty() ? otherwise : options.loss);
  return objective;
}

TrainingObjective training_objective(const ObjectiveOptions& options) {
  const bool has_loss = !options.loss.loss.empty() || !options.loss.costs.empty() ||
                        !options.loss.cost_matrix.empty();
  TrainingObjective objective = training_loss(options.loss);
  if (options.objective == "auto" && has_loss) objective.goal = ObjectiveKind::kSoftmaxMargin;
  if (const auto goal = objective_kind(options.objective)) objective.goal = *goal;
  if (has_loss && !objective.has_loss()) {
    refuse_objective(concat("--objective ", options.objective,
                            " has no loss; leave out --loss, --cost and --cost-matrix"));
  }
  if (!objective.has_loss() && (options.loss_scale || options.loss_level == "corpus")) {
    refuse_objective(
        "--loss-scale and --loss-level are of a loss: give --loss, --cost or --cost-matrix");
  }
  if (options.unlabelled.empty() != (options.entropy_weight == 0)) {
    refuse_objective("--unlabelled and --entropy-weight go together");
  }
  objective.of_corpus = options.loss_level == "corpus";
  const bool is_small = objective.is_risk() && objective.is_measure();
  objective.loss_scale = options.loss_scale.value_or(is_small ? kRiskScale : 1);
  objective.annealing.temperature = options.temperature;
  objective.annealing.cooling = options.cooling;
  objective.annealing.largest_scale = options.largest_scale;
  objective.entropy_weight = options.entropy_weight;
  return objective;
}

}  // namespace coppice::learn

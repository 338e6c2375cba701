#include "coppice/learn/learning_options.h"

#include <iterator>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/base/usage_error.h"

namespace coppice::learn {

namespace {

constexpr double kAdaGradStep = 0.4, kSgdStep = 0.1;
constexpr unsigned kPassesBefore = 4, kPassesAlone = 20;
constexpr std::uint64_t kMaxIterations = 200;

std::vector<Option> data_options(LearningOptions& o, const LearningWords& words) {
  return {{.name = "train",
           .letter = 't',
           .value = &o.train,
           .metavar = "FILE",
           .help = "training data; may be given several times",
           .separate = true},
          {.name = "dev",
           .letter = 'd',
           .value = &o.development,
           .metavar = "FILE",
           .help = "development data: the best check's weights are kept"},
          {.name = "dev-fraction",
           .value = &o.dev_fraction,
           .metavar = "X",
           .help = concat("hold out this share of the training ", words.example,
                          "s as development data"),
           .min = 0.0001,
           .max = 0.9},
          {.name = "init",
           .value = &o.init,
           .metavar = "MODEL",
           .help = "go on from an older model: labels and features are united",
           .only_with = {"potential", {"linear"}}}};
}

// --potential and the shape of trees.
std::vector<Option> tree_options(LearningOptions& o, const LearningWords& words) {
  const Company trees{"potential", {"trees", "linear+trees"}};
  return {
      {.name = "potential",
       .value = &o.potential,
       .choices = {"linear", "trees", "linear+trees"},
       .help = concat("what scores ", words.part, "s: weights of features, ", words.trees,
                      ", or both: trees fitted to what weights leave")},
      {.name = "rounds",
       .value = &o.rounds,
       .metavar = "N",
       .help = concat("rounds of boosting at the most, a tree for each ", words.output, " in each"),
       .min = 1,
       .only_with = trees},
      {.name = "leaves",
       .value = &o.boosting.max_leaves,
       .metavar = "N",
       .help = "leaves of a tree at the most",
       .min = 2,
       .only_with = trees},
      {.name = "shrinkage",
       .value = &o.boosting.shrinkage,
       .metavar = "X",
       .help = "the share of a tree that is added",
       .min = 0.0001,
       .max = 1,
       .only_with = trees},
      {.name = "leaf-values",
       .value = &o.leaf_values,
       .choices = {"mean", "newton"},
       .help = "the mean of the gradient, or a Newton step",
       .only_with = trees},
      {.name = "ridge",
       .value = &o.boosting.ridge,
       .metavar = "X",
       .help = "added to the curvature of a Newton step",
       .advanced = true,
       .min = 0,
       .only_with = {"leaf-values", {"newton"}}},
      {.name = "pseudo-rounds",
       .value = &o.boosting.pseudo_rounds,
       .metavar = "N",
       .help = "first rounds that follow the pseudo-likelihood",
       .advanced = true,
       .only_with = trees}};
}

// What trees are grown on.
std::vector<Option> sampling_options(LearningOptions& o, const LearningWords& words) {
  const Company trees{"potential", {"trees", "linear+trees"}};
  return {
      {.name = "trees-per-round",
       .value = &o.boosting.trees_per_round,
       .metavar = "N",
       .help = concat("trees of a ", words.output,
                      " in each round, averaged; needs --row-fraction or --feature-fraction"),
       .advanced = true,
       .min = 1,
       .only_with = trees},
      {.name = "row-fraction",
       .value = &o.boosting.row_fraction,
       .metavar = "X",
       .help = concat("grow each tree on this share of the ", words.row, "s"),
       .min = 0.0001,
       .max = 1,
       .only_with = trees},
      {.name = "feature-fraction",
       .value = &o.boosting.feature_fraction,
       .metavar = "X",
       .help = "let each tree ask for this share of the features",
       .min = 0.0001,
       .max = 1,
       .only_with = trees},
      {.name = "trim",
       .value = &o.boosting.trim,
       .metavar = "X",
       .help = concat("leave out ", words.row, "s that together have this share of the gradient"),
       .advanced = true,
       .min = 0,
       .max = 0.99,
       .only_with = trees},
      {.name = "surrogates",
       .value = &o.boosting.max_surrogates,
       .metavar = "N",
       .help = "questions to fall back on where a value is missing",
       .advanced = true,
       .max = 100,
       .only_with = trees},
      {.name = "max-categories",
       .value = &o.inputs.max_categories,
       .metavar = "N",
       .help = "templates with more values are asked for value by value",
       .advanced = true,
       .only_with = trees}};
}

std::vector<Option> weight_options(LearningOptions& o, const LearningWords&) {
  const Company linear{"potential", {"linear", "linear+trees"}};
  return {
      {.name = "l1",
       .value = &o.trainer.l1,
       .metavar = "X",
       .help = "penalty l1 * |w|",
       .min = 0,
       .only_with = linear},
      {.name = "l2",
       .value = &o.trainer.l2,
       .metavar = "X",
       .help = "penalty l2 * w^2",
       .min = 0,
       .only_with = linear},
      {.name = "optimizer",
       .value = &o.optimizer,
       .choices = {"auto", "lbfgs", "owlqn", "adagrad", "sgd"},
       .help = "auto: a few AdaGrad passes, then L-BFGS (OWL-QN with --l1)",
       .only_with = linear},
      {.name = "passes",
       .value = &o.passes,
       .metavar = "N",
       .help = "stochastic passes over the data (else 4, or 20 when they are all there is)",
       .advanced = true,
       .only_with = linear},
      {.name = "step",
       .value = &o.step,
       .metavar = "X",
       .help = "length of stochastic steps (else 0.4, or 0.1 with sgd)",
       .advanced = true,
       .min = 1e-6,
       .only_with = linear},
      {.name = "averaging",
       .value = &o.trainer.averaging,
       .help = "with adagrad and sgd: the mean of the weights over the later half of the passes",
       .only_with = linear},
      {.name = "max-iterations",
       .value = &o.max_iterations,
       .metavar = "N",
       .help = "L-BFGS iterations at the most (else 200)",
       .only_with = linear},
  };
}

std::vector<Option> development_options(LearningOptions& o, const LearningWords& words) {
  return {
      {.name = "metric", .value = &o.metric, .choices = words.metrics, .help = words.metric_help},
      {.name = "patience",
       .value = &o.patience,
       .metavar = "N",
       .help = "stop when so many checks were not better; 0: never (else 5)"},
      {.name = "check-every",
       .value = &o.check_every,
       .metavar = "N",
       .help = "iterations between checks on the development data (else 5)",
       .advanced = true,
       .min = 1},
      {.name = "seed",
       .value = &o.seed,
       .metavar = "N",
       .help = concat("of the order of ", words.example, "s")}};
}

void refuse_if(bool condition, const char* message) {
  if (condition) throw UsageError(message, {.code = "E006"});
}

void check_optimizer(const LearningOptions& o) {
  refuse_if(o.optimizer == "lbfgs" && o.trainer.l1 > 0,
            "--optimizer lbfgs does not go with --l1; owlqn does");
  refuse_if(o.optimizer == "owlqn" && o.trainer.l1 == 0, "--optimizer owlqn goes only with --l1");
  refuse_if(!o.is_stochastic() && (o.passes || o.step),
            "--passes and --step do not go with --optimizer lbfgs or owlqn");
  refuse_if(o.trainer.averaging && o.is_batch(),
            "--averaging goes only with --optimizer adagrad or sgd");
  refuse_if(o.max_iterations && !o.is_batch(),
            "--max-iterations does not go with --optimizer adagrad or sgd; --passes does");
}

TrainerOptions trainer_options(const LearningOptions& o) {
  TrainerOptions trainer = o.trainer;
  trainer.seed = o.seed;
  trainer.batch = o.is_batch() && o.max_iterations != 0;
  trainer.adaptive = o.optimizer != "sgd";
  trainer.stochastic_step = o.step.value_or(trainer.adaptive ? kAdaGradStep : kSgdStep);
  // Passes before L-BFGS would leave the place where an older model ended.
  unsigned passes = o.is_batch() ? kPassesBefore : kPassesAlone;
  if (o.is_batch() && (!o.is_stochastic() || !o.init.empty())) passes = 0;
  trainer.stochastic_passes = o.passes ? static_cast<unsigned>(*o.passes) : passes;
  trainer.stopping.max_iterations = o.max_iterations.value_or(kMaxIterations);
  return trainer;
}

}  // namespace

std::vector<Option> learning_options(LearningOptions& options, const LearningWords& words) {
  std::vector<Option> all;
  for (auto* group :
       {&data_options, &tree_options, &sampling_options, &weight_options, &development_options}) {
    for (Option& option : group(options, words)) all.push_back(std::move(option));
  }
  for (Option& option : objective_options(options.objective)) all.push_back(std::move(option));
  return all;
}

void check(const LearningOptions& o) {
  refuse_if(o.boosting.trees_per_round > 1 && o.boosting.row_fraction == 1 &&
                o.boosting.feature_fraction == 1,
            "--trees-per-round goes only with --row-fraction or --feature-fraction: without, all "
            "trees of a round are the same");
  const bool checks = o.patience.has_value() || o.check_every.has_value();
  refuse_if(o.metric != "auto" && !o.develops(),
            "--metric goes only with development data: --dev or --dev-fraction");
  refuse_if(!o.development.empty() && o.dev_fraction, "--dev-fraction does not go with --dev");
  refuse_if(checks && !o.develops(),
            "--patience and --check-every go only with development data: --dev or --dev-fraction");
  check_optimizer(o);
}

LoopOptions loop_options(const LearningOptions& options, const TrainingObjective& objective) {
  LoopOptions loop{.trainer = trainer_options(options),
                   .rounds = options.has_trees() ? options.rounds : 0};
  loop.patience = options.patience.value_or(loop.patience);
  loop.check_every = options.check_every.value_or(loop.check_every);
  if (objective.starts_from_likelihood() && !loop.trainer.batch) {
    throw UsageError("this objective begins after the stochastic passes, which are all there is",
                     {.code = "E003"});
  }
  return loop;
}

BoostingOptions boosting_options(const LearningOptions& options) {
  BoostingOptions boosting = options.boosting;
  boosting.newton = options.leaf_values == "newton";
  boosting.seed = options.seed;
  return boosting;
}

bool is_limit(std::string_view option) {
  return option == "max-iterations" || option == "rounds" || option == "patience";
}

}  // namespace coppice::learn

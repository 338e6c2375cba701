#include "coppice/tag/training_request.h"

#include <utility>

#include "coppice/base/usage_error.h"

namespace coppice::tag {

namespace {

std::vector<Option> declare_file_options(TrainingRequest& o) {
  return {{.name = "train",
           .letter = 't',
           .value = &o.train,
           .metavar = "FILE",
           .help = "training data; may be given several times",
           .separate = true},
          {.name = "partial-labels",
           .value = &o.partial_labels,
           .help = "in training columns, the label ? is unknown and A|B one of several"},
          {.name = "dev",
           .letter = 'd',
           .value = &o.development,
           .metavar = "FILE",
           .help = "development data: the best check's weights are kept"},
          {.name = "dev-fraction",
           .value = &o.dev_fraction,
           .metavar = "X",
           .help = "hold out this share of the training sentences as development data",
           .min = 0.0001,
           .max = 0.9},
          {.name = "init",
           .value = &o.init,
           .metavar = "MODEL",
           .help = "go on from an older model: labels and features are united",
           .only_with = {"potential", {"linear"}}}};
}

std::vector<Option> declare_feature_options(TrainingRequest& o) {
  return {{.name = "templates",
           .value = &o.templates,
           .metavar = "FILE",
           .help = "feature templates (docs/templates.md); without it, a set for any language"},
          {.name = "template-format",
           .value = &o.template_format,
           .choices = {"coppice", "crfpp", "wapiti"},
           .help = "what kind of template file it is; else coppice"},
          {.name = "classes",
           .value = &o.classes,
           .metavar = "FILE",
           .help = "word classes (of `coppice classes`) for the templates that need no file"},
          {.name = "raw",
           .value = &o.raw,
           .metavar = "FILE",
           .help = "raw text to learn word classes from, with the training data's own; may be "
                   "given several times",
           .separate = true},
          {.name = "features",
           .value = &o.features,
           .choices = {"observed", "all"},
           .help = "pairs of attribute and label seen in training, or all of them",
           .only_with = {"potential", {"linear", "linear+trees"}}},
          {.name = "min-count",
           .value = &o.min_count,
           .metavar = "N",
           .help = "leave out attributes that occur less often",
           .min = 1},
          {.name = "no-names",
           .value = &o.no_names,
           .help = "leave the names of features out of the model, which inspect shows"},
          {.name = "hash-bits",
           .value = &o.hash_bits,
           .metavar = "N",
           .help = "at most 2^N attributes: those whose hashes fall together share weights",
           .max = 32}};
}

std::vector<Option> declare_structure_options(TrainingRequest& o) {
  return {{.name = "order",
           .value = &o.order,
           .metavar = "N",
           .help = "labels that a label depends on: 0 to 3",
           .min = 0,
           .max = 3},
          {.name = "prune",
           .value = &o.prune,
           .metavar = "X",
           .help = "leave out label sequences whose posterior is below X in the model of the "
                   "next lower order; 0: exact. 0.01 at orders 2 and 3, 0 below and for trees "
                   "without weights, which have no such model",
           .min = 0,
           .max = 0.5},
          {.name = "unconstrained",
           .value = &o.unconstrained,
           .help = "allow label sequences that break their scheme (I-X after O)"},
          {.name = "constraints",
           .value = &o.constraints,
           .metavar = "FILE",
           .help = "rules on what label may follow what (docs/tagging.md)"}};
}

std::vector<Option> declare_tree_options(TrainingRequest& o) {
  const Company trees{"potential", {"trees", "linear+trees"}};
  return {
      {.name = "potential",
       .value = &o.potential,
       .choices = {"linear", "trees", "linear+trees"},
       .help = "what scores label pairs: weights of features, boosted trees (TreeCRF), or both: "
               "trees fitted to what weights leave"},
      {.name = "rounds",
       .value = &o.rounds,
       .metavar = "N",
       .help = "rounds of boosting at the most, a tree for each label in each",
       .min = 1,
       .only_with = trees},
      {.name = "leaves",
       .value = &o.leaves,
       .metavar = "N",
       .help = "leaves of a tree at the most",
       .min = 2,
       .only_with = trees},
      {.name = "shrinkage",
       .value = &o.shrinkage,
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
       .value = &o.ridge,
       .metavar = "X",
       .help = "added to the curvature of a Newton step",
       .advanced = true,
       .min = 0,
       .only_with = {"leaf-values", {"newton"}}},
      {.name = "pseudo-rounds",
       .value = &o.pseudo_rounds,
       .metavar = "N",
       .help = "first rounds that follow the pseudo-likelihood",
       .advanced = true,
       .only_with = trees},
      {.name = "trees-per-round",
       .value = &o.trees_per_round,
       .metavar = "N",
       .help =
           "trees of a label in each round, averaged; needs --row-fraction or --feature-fraction",
       .advanced = true,
       .min = 1,
       .only_with = trees},
      {.name = "row-fraction",
       .value = &o.row_fraction,
       .metavar = "X",
       .help = "grow each tree on this share of the tokens",
       .min = 0.0001,
       .max = 1,
       .only_with = trees},
      {.name = "feature-fraction",
       .value = &o.feature_fraction,
       .metavar = "X",
       .help = "let each tree ask for this share of the features",
       .min = 0.0001,
       .max = 1,
       .only_with = trees},
      {.name = "trim",
       .value = &o.trim,
       .metavar = "X",
       .help = "leave out tokens that together have this share of the gradient",
       .advanced = true,
       .min = 0,
       .max = 0.99,
       .only_with = trees},
      {.name = "surrogates",
       .value = &o.surrogates,
       .metavar = "N",
       .help = "questions to fall back on where a value is missing",
       .advanced = true,
       .max = 100,
       .only_with = trees},
      {.name = "max-categories",
       .value = &o.max_categories,
       .metavar = "N",
       .help = "templates with more values are asked for value by value",
       .advanced = true,
       .only_with = trees},
      {.name = "label-depth",
       .value = &o.label_depth,
       .metavar = "N",
       .help = "how many of the labels before a token trees see; --order at the most",
       .advanced = true,
       .min = 1,
       .max = chain::kMaxOrder,
       .only_with = trees}};
}

std::vector<Option> declare_learning_options(TrainingRequest& o) {
  const Company linear{"potential", {"linear", "linear+trees"}};
  return {
      {.name = "l1",
       .value = &o.l1,
       .metavar = "X",
       .help = "penalty l1 * |w|",
       .min = 0,
       .only_with = linear},
      {.name = "l2",
       .value = &o.l2,
       .metavar = "X",
       .help = "penalty l2 * w^2",
       .min = 0,
       .only_with = linear},
      {.name = "class-weight",
       .value = &o.class_weight,
       .metavar = "LABEL=W,...",
       .help = "how much labels count, or: balanced; B-*=2 is for all that match"},
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
       .value = &o.averaging,
       .help = "with adagrad and sgd: the mean of the weights over the later half of the passes",
       .only_with = linear},
      {.name = "max-iterations",
       .value = &o.max_iterations,
       .metavar = "N",
       .help = "L-BFGS iterations at the most (else 200)",
       .only_with = linear},
      {.name = "metric",
       .value = &o.metric,
       .choices = {"auto", "f1", "accuracy"},
       .help = "the development score: F1 of spans or accuracy of tokens; auto: F1 where labels "
               "spell spans"},
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
      {.name = "seed", .value = &o.seed, .metavar = "N", .help = "of the order of sentences"},
  };
}

void refuse_if(bool condition, const char* message) {
  if (condition) throw UsageError(message, {.code = "E006"});
}

void check_optimizer(const TrainingRequest& o) {
  refuse_if(o.optimizer == "lbfgs" && o.l1 > 0,
            "--optimizer lbfgs does not go with --l1; owlqn does");
  refuse_if(o.optimizer == "owlqn" && o.l1 == 0, "--optimizer owlqn goes only with --l1");
  refuse_if(!o.is_stochastic() && (o.passes || o.step),
            "--passes and --step do not go with --optimizer lbfgs or owlqn");
  refuse_if(o.averaging && o.is_batch(), "--averaging goes only with --optimizer adagrad or sgd");
  refuse_if(o.max_iterations && !o.is_batch(),
            "--max-iterations does not go with --optimizer adagrad or sgd; --passes does");
}

}  // namespace

std::vector<Option> training_request_options(TrainingRequest& request) {
  std::vector<Option> all;
  for (auto* group : {&declare_file_options, &declare_feature_options, &declare_structure_options,
                      &declare_tree_options, &declare_learning_options}) {
    for (Option& option : group(request)) all.push_back(std::move(option));
  }
  for (Option& option : learn::objective_options(request.objective))
    all.push_back(std::move(option));
  for (Option& option : text::data_options(request.data)) all.push_back(std::move(option));
  return all;
}

void check(const TrainingRequest& o) {
  refuse_if(
      o.trees_per_round > 1 && o.row_fraction == 1 && o.feature_fraction == 1,
      "--trees-per-round goes only with --row-fraction or --feature-fraction: without, all trees "
      "of a round are the same");
  refuse_if(
      o.potential == "trees" && o.prune.value_or(0) > 0,
      "--prune does not go with --potential trees, which has no model of a lower order to prune "
      "by; linear+trees has");
  const bool checks = o.patience.has_value() || o.check_every.has_value();
  refuse_if(o.metric != "auto" && !o.develops(),
            "--metric goes only with development data: --dev or --dev-fraction");
  refuse_if(!o.development.empty() && o.dev_fraction, "--dev-fraction does not go with --dev");
  refuse_if(checks && !o.develops(),
            "--patience and --check-every go only with development data: --dev or --dev-fraction");
  refuse_if(o.template_format && o.templates.empty(),
            "--template-format goes only with --templates");
  refuse_if(!o.templates.empty() && (!o.classes.empty() || !o.raw.empty()),
            "--classes and --raw do not go with --templates, which names its own classes");
  refuse_if(!o.classes.empty() && !o.raw.empty(), "--raw does not go with --classes");
  refuse_if(!o.init.empty() && (!o.classes.empty() || !o.raw.empty()),
            "--classes and --raw do not go with --init, which has its own templates");
  refuse_if(o.order == 0 && (o.unconstrained || !o.constraints.empty()),
            "--unconstrained and --constraints do not go with --order 0, which has no label pairs");
  check_optimizer(o);
}

}  // namespace coppice::tag

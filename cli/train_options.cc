#include "cli/train_options.h"

#include <utility>

namespace coppice::cli {

namespace {

std::vector<Option> file_options(TrainTagOptions& o) {
  return {{.name = "train",
           .letter = 't',
           .value = &o.train,
           .metavar = "FILE",
           .help = "training data; may be given several times",
           .required = true,
           .separate = true},
          {.name = "dev",
           .letter = 'd',
           .value = &o.development,
           .metavar = "FILE",
           .help = "development data: the best check's weights are kept"},
          {.name = "output",
           .letter = 'o',
           .value = &o.output,
           .metavar = "FILE",
           .help = "the model to write",
           .required = true}};
}

std::vector<Option> feature_options(TrainTagOptions& o) {
  return {{.name = "templates",
           .value = &o.templates,
           .metavar = "FILE",
           .help = "feature templates (docs/templates.md); without it, a set for any language"},
          {.name = "template-format",
           .value = &o.template_format,
           .choices = {"coppice", "crfpp", "wapiti"},
           .help = "what kind of template file it is"},
          {.name = "features",
           .value = &o.features,
           .choices = {"observed", "all"},
           .help = "pairs of attribute and label seen in training, or all of them"},
          {.name = "min-count",
           .value = &o.min_count,
           .metavar = "N",
           .help = "leave out attributes that occur less often",
           .min = 1}};
}

std::vector<Option> structure_options(TrainTagOptions& o) {
  return {{.name = "order",
           .value = &o.order,
           .metavar = "N",
           .help = "labels that a label depends on: 0 or 1",
           .min = 0,
           .max = 1},
          {.name = "unconstrained",
           .value = &o.unconstrained,
           .help = "allow label sequences that break their scheme (I-X after O)"}};
}

std::vector<Option> learning_options(TrainTagOptions& o) {
  return {
      {.name = "l1", .value = &o.l1, .metavar = "X", .help = "penalty l1 * |w|", .min = 0},
      {.name = "l2", .value = &o.l2, .metavar = "X", .help = "penalty l2 * w^2", .min = 0},
      {.name = "passes",
       .value = &o.passes,
       .metavar = "N",
       .help = "stochastic passes before L-BFGS",
       .advanced = true},
      {.name = "max-iterations",
       .value = &o.max_iterations,
       .metavar = "N",
       .help = "L-BFGS iterations at the most; 0 for stochastic passes only"},
      {.name = "patience",
       .value = &o.patience,
       .metavar = "N",
       .help = "stop when so many checks were not better; 0: never"},
      {.name = "check-every",
       .value = &o.check_every,
       .metavar = "N",
       .help = "iterations between checks on the development data",
       .advanced = true,
       .min = 1},
      {.name = "seed", .value = &o.seed, .metavar = "N", .help = "of the order of sentences"},
  };
}

std::vector<Option> run_options(TrainTagOptions& o) {
  return {{.name = "resume",
           .value = &o.resume,
           .help = "go on from OUTPUT.ckpt, with the same data and options"}};
}

}  // namespace

std::vector<Option> train_tag_options(TrainTagOptions& options) {
  std::vector<Option> all;
  for (auto* group :
       {&file_options, &feature_options, &structure_options, &learning_options, &run_options}) {
    for (Option& option : group(options)) all.push_back(std::move(option));
  }
  for (Option& option : data_options(options.data)) all.push_back(std::move(option));
  return all;
}

}  // namespace coppice::cli

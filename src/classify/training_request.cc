#include "coppice/classify/training_request.h"

namespace coppice::classify {

std::vector<Option> training_request_options(TrainingRequest& o) {
  return {
      {.name = "train",
       .letter = 't',
       .value = &o.train,
       .metavar = "FILE",
       .help = "training data: lines of features, or what --map wrote"},
      {.name = "dev",
       .letter = 'd',
       .value = &o.development,
       .metavar = "FILE",
       .help = "development data: the lambda with the lowest log-loss there is chosen"},
      {.name = "min-count",
       .value = &o.rules.min_count,
       .metavar = "N",
       .help = "leave out features that fewer examples have",
       .min = 1},
      {.name = "min-lambda",
       .value = &o.boosting.min_lambda,
       .metavar = "X",
       .help = "the end of the path: the least penalty"},
      {.name = "lambda-factor",
       .value = &o.boosting.lambda_factor,
       .metavar = "X",
       .help = "by which lambda is lowered at each point of the path"},
      {.name = "patience",
       .value = &o.patience,
       .metavar = "N",
       .help = "stop when so many points of the path were not better; 0: never"},
      {.name = "within",
       .value = &o.boosting.within,
       .metavar = "X",
       .help = "choose the largest lambda whose development loss exceeds the lowest by no more "
               "than this share",
       .min = 0},
      {.name = "fit",
       .value = &o.fit,
       .choices = {"all", "tree"},
       .help = "what is fitted in a round: the weights of all compound features together, or the "
               "leaves of one tree, which is for data larger than memory"},
      {.name = "question-cost",
       .value = &o.boosting.question_cost,
       .metavar = "X",
       .help = "every question of a conjunction but the first adds so many lambdas to its penalty",
       .min = 0},
      {.name = "max-trees",
       .value = &o.boosting.max_trees,
       .metavar = "N",
       .help = "trees at the most, for each class; with --fit all, compound features; 0: no limit"},
      {.name = "max-depth",
       .value = &o.boosting.grow.max_depth,
       .metavar = "N",
       .help = "questions in a conjunction at the most; 0: no limit"},
      {.name = "max-leaves",
       .value = &o.boosting.grow.max_leaves,
       .metavar = "N",
       .help = "leaves of a tree at the most; 0: no limit"},
      {.name = "sample",
       .value = &o.boosting.sample,
       .metavar = "X",
       .help = "choose splits on this share of the examples; leaves are fitted on all",
       .only_with = {"fit", {"tree"}}},
      {.name = "tolerance",
       .value = &o.boosting.tolerance,
       .metavar = "X",
       .help = "lower lambda when a round takes less than this share off the objective",
       .advanced = true,
       .min = 0},
      {.name = "max-bins",
       .value = &o.rules.max_bins,
       .metavar = "N",
       .help = "intervals of a feature with values",
       .advanced = true,
       .min = 2,
       .max = 65535},
      {.name = "seed",
       .value = &o.boosting.seed,
       .metavar = "N",
       .help = "of samples",
       .advanced = true},
  };
}

trees::L1Options boosting_options(const TrainingRequest& request) {
  trees::L1Options boosting = request.boosting;
  boosting.fit = request.fit == "tree" ? trees::Fit::kTree : trees::Fit::kAll;
  boosting.patience = static_cast<unsigned>(request.patience);
  return boosting;
}

}  // namespace coppice::classify

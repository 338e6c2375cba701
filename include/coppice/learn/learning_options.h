// Options of learning, the same for every task: data, trees, weights, development, objective.
//
// Options are bound to the library's own structs wherever these hold what users say: a new option
// of boosting is a member of BoostingOptions and a declaration here. What users say in other words
// (--optimizer) is a member of LearningOptions, and takes effect in loop_options() or
// boosting_options().
//
//     struct ParserRequest : learn::LearningOptions { ... };      // and what is a parser's
//     std::vector<Option> all = learn::learning_options(request, words);
//     ...
//     learn::check(request);
//     const auto objective = learn::training_objective(request.objective);
//     TrainingLoop loop(learner, learn::loop_options(request, objective));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/option.h"
#include "coppice/learn/booster.h"
#include "coppice/learn/objective_options.h"
#include "coppice/learn/trainer.h"
#include "coppice/learn/training_loop.h"
#include "coppice/score/tree_inputs.h"

namespace coppice::learn {

struct LearningOptions {
  // data
  std::vector<std::string> train;  // files; with given examples, a name for them
  std::string development;         // the same
  std::optional<double> dev_fraction;
  std::string init;
  // trees
  std::string potential = "linear";
  std::uint64_t rounds = 100;
  BoostingOptions boosting;
  std::string leaf_values = "mean";
  TreeInputOptions inputs;
  // weights
  TrainerOptions trainer{.l2 = 0.5};
  std::string optimizer = "auto";
  std::optional<std::uint64_t> passes;
  std::optional<double> step;
  std::optional<std::uint64_t> max_iterations;
  // development
  std::string metric = "auto";
  std::optional<std::uint64_t> patience;
  std::optional<std::uint64_t> check_every;
  std::uint64_t seed = 1;
  // what is minimised
  ObjectiveOptions objective;

  bool has_weights() const noexcept { return potential != "trees"; }
  bool has_trees() const noexcept { return potential != "linear"; }
  // Whether the optimiser makes stochastic passes, and whether L-BFGS iterations.
  bool is_stochastic() const { return optimizer != "lbfgs" && optimizer != "owlqn"; }
  bool is_batch() const { return optimizer != "adagrad" && optimizer != "sgd"; }
  bool develops() const { return !development.empty() || dev_fraction.has_value(); }
};

// What a task calls its things, in help texts; all but the first four are whole phrases.
struct LearningWords {
  std::string example = "example";
  std::string part = "part";
  std::string row = "part";       // what trees see at a time
  std::string output = "output";  // there is a tree for each
  std::string trees = "boosted trees";
  std::vector<std::string> metrics = {"auto"};
  std::string metric_help = "the development score";
};

// The declarations, bound to `options`, which must outlive them: --train to --init, --potential to
// --max-categories, --l1 to --seed, and those of the objective. A task puts its own among them with
// insert_before().
std::vector<Option> learning_options(LearningOptions& options, const LearningWords& words);

// Throws UsageError (E006) for options that exclude each other, or of which one has no effect with
// the others.
void check(const LearningOptions& options);

// What the library takes. Throws UsageError (E003) for an objective that begins after the
// stochastic passes where these are all there is.
LoopOptions loop_options(const LearningOptions& options, const TrainingObjective& objective);
BoostingOptions boosting_options(const LearningOptions& options);

// Limits: a run that goes on from a checkpoint may have others than the one before.
bool is_limit(std::string_view option);

}  // namespace coppice::learn

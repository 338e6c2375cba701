// What the training of a tagger can be told, by users: the variables behind the options of `coppice
// train tag` and of Python's Tagger.train, and their declarations.
//
// A new option is a member here, an entry in the list of its subject in training_request.cc, and a
// line in training_options() (training_data.cc) or wherever it has its effect.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coppice/base/option.h"
#include "coppice/chain/options.h"
#include "coppice/learn/objective_options.h"
#include "coppice/text/data_options.h"

namespace coppice::tag {

struct TrainingRequest {
  // data
  text::DataOptions data;
  std::vector<std::string> train;  // files; with given sentences, a name for them
  bool partial_labels = false;
  std::string development;  // the same
  std::optional<double> dev_fraction;
  std::string init;
  // features
  std::string templates;
  std::optional<std::string> template_format;
  std::string classes;           // a file; not with templates or raw
  std::vector<std::string> raw;  // text to learn classes from; not with templates
  std::string features = "observed";
  std::uint64_t min_count = 1;
  std::uint64_t hash_bits = 0;
  // structure
  int order = 1;
  std::optional<double> prune;  // by default, the order decides
  bool unconstrained = false;
  std::string constraints;
  // what is minimised
  learn::ObjectiveOptions objective;
  // trees
  std::string potential = "linear";
  bool has_trees() const noexcept { return potential != "linear"; }
  std::uint64_t rounds = 100;
  std::uint64_t leaves = 16;
  double shrinkage = 1;
  std::string leaf_values = "mean";
  double ridge = 1;
  std::uint64_t pseudo_rounds = 3;
  std::uint64_t trees_per_round = 1;
  double row_fraction = 1;
  double feature_fraction = 1;
  double trim = 0;
  std::uint64_t surrogates = 0;
  std::uint64_t max_categories = 64;
  std::uint64_t label_depth = chain::kMaxOrder;
  // learning
  double l1 = 0;
  double l2 = 0.5;
  std::string class_weight;
  std::string optimizer = "auto";
  std::optional<std::uint64_t> passes;
  std::optional<double> step;
  bool averaging = false;
  std::optional<std::uint64_t> max_iterations;
  std::string metric = "auto";
  std::optional<std::uint64_t> patience;
  std::optional<std::uint64_t> check_every;
  std::uint64_t seed = 1;
  // the model
  bool no_names = false;
  bool curve = false;  // see TaggerTrainingOptions; no option

  // Whether the optimiser makes stochastic passes, and whether L-BFGS iterations.
  bool is_stochastic() const { return optimizer != "lbfgs" && optimizer != "owlqn"; }
  bool is_batch() const { return optimizer != "adagrad" && optimizer != "sgd"; }
  bool develops() const { return !development.empty() || dev_fraction.has_value(); }
};

// The declarations, bound to `request`, which must outlive them.
std::vector<Option> training_request_options(TrainingRequest& request);

// Throws UsageError (E006) for options that exclude each other, or of which one has no effect with
// the others.
void check(const TrainingRequest& request);

}  // namespace coppice::tag

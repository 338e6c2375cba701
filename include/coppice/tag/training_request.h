// Options of training a tagger: the variables behind those of `coppice train tag` and of Python's
// Tagger.train, and their declarations. Options of learning are the same for every task
// (learn/learning_options.h); here are a tagger's own.
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
#include "coppice/learn/learning_options.h"
#include "coppice/text/data_options.h"

namespace coppice::tag {

struct TrainingRequest : learn::LearningOptions {
  // data
  text::DataOptions data;
  bool partial_labels = false;
  // features
  std::string templates;
  std::optional<std::string> template_format;
  std::string classes;           // a file; not with templates or raw
  std::vector<std::string> raw;  // text to learn classes from; not with templates
  std::string features = "observed";
  std::uint64_t min_count = 1;
  std::uint64_t hash_bits = 0;
  bool no_names = false;
  // structure
  int order = 1;
  std::optional<double> prune;  // by default, the order decides
  bool unconstrained = false;
  std::string constraints;
  std::uint64_t label_depth = chain::kMaxOrder;  // of trees
  // learning
  std::string class_weight;
  bool curve = false;  // see TaggerTrainingOptions; no option
};

// The declarations, bound to `request`, which must outlive them.
std::vector<Option> training_request_options(TrainingRequest& request);

// Throws UsageError (E006) for options that exclude each other, or of which one has no effect with
// the others.
void check(const TrainingRequest& request);

}  // namespace coppice::tag

// What `coppice train tag` can be told: the variables behind its options, and their declarations.
//
// A new option is a member here, an entry in the list of its subject in train_options.cc, and a
// line in training_options() (train_setup.cc) or wherever it has its effect.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/data_options.h"

namespace coppice::cli {

struct TrainTagOptions {
  // data
  DataOptions data;
  std::vector<std::string> train;
  std::string development;
  std::string output;
  // features
  std::string templates;
  std::string template_format = "coppice";
  std::string features = "observed";
  std::uint64_t min_count = 1;
  // structure
  int order = 1;
  bool unconstrained = false;
  // learning
  double l1 = 0;
  double l2 = 0.5;
  std::uint64_t passes = 4;
  std::uint64_t max_iterations = 200;
  std::uint64_t patience = 5;
  std::uint64_t check_every = 5;
  std::uint64_t seed = 1;
  // the run
  bool resume = false;
};

// The declarations, bound to `options`, which must outlive them.
std::vector<Option> train_tag_options(TrainTagOptions& options);

}  // namespace coppice::cli

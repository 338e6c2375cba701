// What `coppice train tag` can be told: what any training of a tagger can, and what is of a run.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "coppice/tag/training_request.h"

namespace coppice::cli {

struct TrainTagOptions {
  tag::TrainingRequest request;
  std::string output;
  std::string log;
  bool resume = false;
  bool dry_run = false;
};

// The declarations, bound to `options`, which must outlive them.
std::vector<Option> train_tag_options(TrainTagOptions& options);

// Throws UsageError (E006) for options that exclude each other, or of which one has no effect with
// the others.
void check_train_tag_options(const TrainTagOptions& options);

}  // namespace coppice::cli

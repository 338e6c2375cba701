// What predict, eval and inspect do with a classifier.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "coppice/base/model_file.h"

namespace coppice::cli {

struct ClassifyOptions {
  std::optional<double> lambda{};    // of the path; without it the one chosen in training
  std::vector<std::string> files{};  // "-" when empty
  std::string output = "-";
  bool jsonl = false;
  std::string posteriors = "none";
};

// A line for each example: its label and the probability of that, or a JSON object.
ExitStatus predict_classes(ModelFile model, const ClassifyOptions& options, Context& context);

// Precision, recall and F1 of each class, accuracy and log-loss.
ExitStatus score_classes(ModelFile model, const std::string& gold, Context& context);

// The compound features with the largest weights, at most `top` of them; of each, the first few
// negated conditions, or all with -v.
void list_compound_features(ModelFile model, std::size_t top, Context& context);
// Every lambda of the path, of every class that has a learner of its own.
void list_path(ModelFile model, Context& context);

}  // namespace coppice::cli

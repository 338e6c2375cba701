// The task `classify` in the program: rows of the table of tasks (cli/tasks.h).
#pragma once

#include <cstddef>

#include "cli/command.h"
#include "cli/context.h"
#include "cli/tasks.h"
#include "coppice/base/model_file.h"

namespace coppice::cli {

Command train_classify_verb();

// A line for each example: its label and the probability of that, or a JSON object.
ExitStatus predict_classes(ModelFile model, const PredictOptions& options, Context& context);

// Precision, recall and F1 of each class, accuracy and log-loss.
ExitStatus evaluate_classifier(ModelFile model, const EvalOptions& options, Context& context);

// The compound features with the largest weights, at most `top` of them; of each, the first few
// negated conditions, or all with -v.
ExitStatus list_compound_features(ModelFile model, const std::size_t& top, Context& context);
// Every lambda of the path, of every class that has a learner of its own.
void list_path(ModelFile model, Context& context);

}  // namespace coppice::cli

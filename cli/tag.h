// The task `tag` in the program: rows of the table of tasks (cli/tasks.h).
#pragma once

#include "cli/command.h"
#include "cli/context.h"
#include "cli/tasks.h"
#include "coppice/base/model_file.h"

namespace coppice::cli {

Command train_tag_verb();

// Labels for the sentences of all files, or forests of all label sequences.
ExitStatus predict_tags(ModelFile model, const PredictOptions& options, Context& context);

// Labels the gold data and reports scores, calibration and, where asked for, the operating curve.
ExitStatus evaluate_tagger(ModelFile model, const EvalOptions& options, Context& context);

// Exact sums of log-odds, token by token.
ExitStatus explain_tags(ModelFile model, const ExplainOptions& options, Context& context);

// Writes the model with the temperature of the least loss.
ExitStatus calibrate_tagger(ModelFile model, const CalibrateOptions& options, Context& context);

// The largest weights, those of label pairs, or the difference to another model. Requires
// options.any(). Throws ModelError (E407) for a model without names, UsageError for options that do
// not fit together.
ExitStatus list_weights(ModelFile model, const WeightOptions& options, Context& context);

// What the trees ask for, or one of them drawn. Requires options.any(). Throws UsageError (E003)
// for a tree or label that there is not, InvalidArgument for a model without trees.
ExitStatus report_trees(ModelFile model, const TreeOptions& options, Context& context);

}  // namespace coppice::cli

// coppice calibrate: a temperature that makes a model's probabilities mean what they say.
#include "cli/calibrate.h"

#include <memory>
#include <utility>

#include "cli/context.h"
#include "cli/tasks.h"
#include "cli/verbs.h"

namespace coppice::cli {

namespace {

std::vector<Option> options_of(CalibrateOptions& options) {
  std::vector<Option> all{
      {.name = "model",
       .letter = 'm',
       .value = &options.model,
       .metavar = "FILE",
       .help = "the model",
       .required = true},
      {.name = "dev",
       .letter = 'd',
       .value = &options.development,
       .metavar = "FILE",
       .help = "labelled data that the model was not trained on",
       .required = true},
      {.name = "output",
       .letter = 'o',
       .value = &options.output,
       .metavar = "FILE",
       .help = "the calibrated model",
       .required = true},
      {.name = "plot",
       .value = &options.plot,
       .metavar = "FILE",
       .help = "a reliability diagram before and after, as SVG"},
  };
  for (Option& option : data_options(options.data)) all.push_back(std::move(option));
  return all;
}

ExitStatus run(const CalibrateOptions& options, Context& context) {
  ModelFile model = ModelFile::open(options.model);
  const auto calibrate = function_of<&Task::calibrate>(model, "calibrate");
  return calibrate(std::move(model), options, context);
}

}  // namespace

Command calibrate_verb() {
  auto options = std::make_shared<CalibrateOptions>();
  return {.name = "calibrate",
          .summary = "make a model's probabilities mean what they say",
          .group = "models",
          .help =
              "Finds the temperature (one number that all scores are divided by) with the least "
              "loss, the mean of -ln p of the right labels, on data that the model was not trained "
              "on, and writes the model with it. What the model predicts stays the same; how sure "
              "it says it is changes. Prints loss, Brier score and expected calibration error "
              "(ECE) before and after.",
          .examples = {{"coppice calibrate -m ner.cop -d dev.conll -o ner-cal.cop", "calibrate"}},
          .options = options_of(*options),
          .reports = true,
          .writes_files = true,
          .run = [options](Context& context) { return run(*options, context); }};
}

}  // namespace coppice::cli

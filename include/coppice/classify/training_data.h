// From what users ask for and their data to the training of a classifier.
//
//     ClassifierData data = read_training_data(request, {});
//     ClassifierTraining training(data.features, data.labels, data.train(),
//     data.development.view(),
//                                 boosting_options(request));
//     ...
//     training.model(training_card(request, data, training)).write("spam.cop", Overwrite::kRefuse);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coppice/base/file.h"
#include "coppice/classify/classifier_training.h"
#include "coppice/classify/training_request.h"
#include "coppice/trees/example_file.h"
#include "coppice/trees/feature_table.h"

namespace coppice::classify {

struct ClassifierData {
  trees::FeatureTable features;
  std::vector<std::string> labels;
  trees::ExampleTable examples, development;
  std::optional<trees::ExampleFile> mapped;  // in place of `examples`

  trees::ExampleView train() const { return mapped ? mapped->view() : examples.view(); }
};

// Where examples are kept, if not in memory.
struct MapOptions {
  std::string path{};  // empty: in memory
  Overwrite overwrite = Overwrite::kRefuse;
};

// Reads both files; the training data may be what a MapOptions::path once got. Throws IoError,
// ModelError, and ParseError: E260 to E262 as text/feature_lines.h does, E263 for an example
// without a label or, in the development data, with a new one, E264 for a file without examples.
ClassifierData read_training_data(const TrainingRequest& request, const MapOptions& map);

// A JSON object for people: options, data, what was learnt.
std::string training_card(TrainingRequest& request, const ClassifierData& data,
                          const ClassifierTraining& training);

}  // namespace coppice::classify

// What `coppice predict` can be told, whatever the task of the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coppice/tag/predictor.h"
#include "coppice/text/data_options.h"

namespace coppice::cli {

inline constexpr const char* kForests = "forest-jsonl";  // of --out

struct PredictOptions {
  text::DataOptions data;
  tag::PredictionOptions prediction;
  std::string model;
  std::string output = "-";
  std::string out_format = "auto";
  bool replace = false;
  std::optional<double> lambda;
  std::vector<std::string> files;
};

}  // namespace coppice::cli

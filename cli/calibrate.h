// The options of `coppice calibrate`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coppice/text/data_options.h"

namespace coppice::cli {

struct CalibrateOptions {
  text::DataOptions data;
  std::string model;
  std::string development;
  std::string output;
  std::string plot;
};

}  // namespace coppice::cli

// What `coppice explain` can be told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coppice/text/data_options.h"

namespace coppice::cli {

struct ExplainOptions {
  text::DataOptions data;
  std::string model;
  std::optional<std::string> text;
  std::optional<std::uint64_t> token;
  std::optional<std::uint64_t> sentence;
  std::optional<std::string> against;
  std::uint64_t top = 10;
  std::vector<std::string> files;
};

}  // namespace coppice::cli

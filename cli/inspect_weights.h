// The parts of inspect that look at weights: the largest ones, pairs of labels, and what differs
// between two models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace coppice::cli {

struct WeightOptions {
  std::optional<std::uint64_t> top;
  std::optional<std::string> label;
  bool transitions = false;
  std::optional<std::string> diff;
  bool tsv = false;

  bool any() const noexcept { return top || label || transitions || diff || tsv; }
};

// The declarations of --top, --label, --transitions, --diff and --tsv.
std::vector<Option> weight_options(WeightOptions& options);

}  // namespace coppice::cli

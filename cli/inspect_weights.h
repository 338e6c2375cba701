// The parts of inspect that look at weights: the largest ones, pairs of labels, and what differs
// between two models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"

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

// Requires options.any(). Throws ModelError (E407) for a model without names, UsageError for
// options that do not fit together.
void report_weights(const std::string& path, const WeightOptions& options, Context& context);

}  // namespace coppice::cli

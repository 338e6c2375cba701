// The parts of inspect that look at a tagger's trees: what they ask for most, and one of them
// drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace coppice::cli {

struct TreeOptions {
  std::optional<std::uint64_t> splits;
  std::optional<std::uint64_t> tree;
  std::string output = "-";
  std::optional<std::string> label{};  // declared by weight_options(), as is the next
  bool tsv = false;

  bool any() const noexcept { return splits || tree; }
};

// The declarations of --splits, --tree and --output.
std::vector<Option> tree_options(TreeOptions& options);

}  // namespace coppice::cli

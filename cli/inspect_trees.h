// The parts of inspect that look at a tagger's trees: what they ask for most, and one of them
// drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"

namespace coppice::cli {

struct TreeOptions {
  std::optional<std::uint64_t> splits;
  std::optional<std::uint64_t> tree;
  std::string output = "-";

  bool any() const noexcept { return splits || tree; }
};

// The declarations of --splits, --tree and --output.
std::vector<Option> tree_options(TreeOptions& options);

// Requires options.any(). `label`: of its trees only. Throws UsageError (E003) for a tree or label
// that there is not, InvalidArgument for a model without trees.
void report_trees(const std::string& path, const TreeOptions& options,
                  const std::optional<std::string>& label, bool tsv, Context& context);

}  // namespace coppice::cli

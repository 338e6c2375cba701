// What eval does for word alignments: error rate, precision, recall, and drawings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/context.h"
#include "coppice/base/option.h"

namespace coppice::cli {

struct AlignmentEvalOptions {
  std::string source;  // texts, for drawings
  std::string target;
  std::uint64_t draw = 0;  // so many pairs
  std::string svg;         // the file of the first of them
};

// The declarations of --source, --target, --draw and --svg.
std::vector<Option> alignment_eval_options(AlignmentEvalOptions& options);

// Whether any of them was given.
bool asks_for_drawings(const AlignmentEvalOptions& options);

// Prints a table, or with --json a document.
ExitStatus score_alignments(const std::string& gold, const std::string& predicted,
                            const AlignmentEvalOptions& options, Context& context);

}  // namespace coppice::cli

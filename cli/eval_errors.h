// The errors of a labelling as people see them: of which kind, where, and in what context.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/label_pairs.h"
#include "cli/scoring.h"

namespace coppice::cli {

// A few tokens on each side; "... " and " ..." stand for more.
struct ErrorContext {
  std::string before;   // with the blank that follows it
  std::string words;    // what is labelled
  std::string after{};  // with the blank that precedes it

  // "to [New York] in May"
  std::string text() const { return before + '[' + words + ']' + after; }
};

struct ShownError {
  std::size_t line = 0;  // of the gold data
  std::string what;      // "PER", or "PER as LOC"
  ErrorContext context;
};

// "missed", "spurious", "wrong type", "wrong bounds" of spans; "wrong label" of tokens.
struct ErrorsOfKind {
  std::string kind;
  std::vector<ShownError> errors;
};

// All errors by their kind, in the order in which kinds are shown; none of them is empty. Requires
// pairs that keep their context.
std::vector<ErrorsOfKind> errors_by_kind(const LabelPairs& pairs, const Scoring& scoring);

}  // namespace coppice::cli

// Every span that went wrong, sorted into four kinds.
//
// kWrongType     same bounds, another type
// kWrongBounds   same type, bounds that overlap without being equal
// kMissed        a gold span with neither of these
// kSpurious      a predicted span with neither of these
//
// A span takes part in one error at most; partners are chosen from left to right, equal bounds
// before overlaps.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "coppice/eval/span_score.h"

namespace coppice::eval {

enum class ErrorKind : std::uint8_t { kMissed, kSpurious, kWrongType, kWrongBounds };

// "missed", "spurious", "wrong type", "wrong bounds".
std::string_view name(ErrorKind kind) noexcept;

struct SpanError {
  ErrorKind kind = ErrorKind::kMissed;
  std::size_t sentence = 0;
  std::optional<LabelledSpan> gold{};
  std::optional<LabelledSpan> predicted{};

  // Where it is in the sentence: the gold span, or the predicted one when there is no gold.
  const LabelledSpan& place() const { return gold ? *gold : *predicted; }

  bool operator==(const SpanError&) const = default;
};

// The errors of sentence number `sentence`, by their place. Requires spans in the order in which
// spans_of() gives them.
std::vector<SpanError> span_errors(std::size_t sentence, std::span<const LabelledSpan> gold,
                                   std::span<const LabelledSpan> predicted);

}  // namespace coppice::eval

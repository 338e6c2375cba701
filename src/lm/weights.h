// How a probability and a flag share a float, and what both kinds of tables ask of a search.
#pragma once

#include <cmath>
#include <cstdint>

#include "coppice/lm/ngrams.h"

namespace coppice::lm {

// log10 of a probability is at most 0, so its sign says something else: it is set when no longer
// n-gram ends in this one.
inline float log10_of(float stored) noexcept { return -std::fabs(stored); }
inline bool is_extended_left(float stored) noexcept { return !std::signbit(stored); }
inline float without_extension(float log10_prob) noexcept { return -std::fabs(log10_prob); }
inline float with_extension(float stored) noexcept { return std::fabs(stored); }

struct Weights {
  float prob;     // see above
  float backoff;  // see extends_right
};

}  // namespace coppice::lm

// Log-probabilities: (log-add, +, -inf, 0).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "coppice/semiring/semiring.h"

namespace coppice {

struct LogSemiring {
  using Value = double;
  static constexpr bool is_selective = false;

  static constexpr Value zero() noexcept { return -std::numeric_limits<Value>::infinity(); }
  static constexpr Value one() noexcept { return 0.0; }
  static Value times(Value a, Value b) noexcept { return a + b; }
  static Value quotient(Value c, Value a) noexcept { return c - a; }

  static Value plus(Value a, Value b) noexcept {
    const auto [low, high] = std::minmax(a, b);
    if (low == zero()) return high;  // also keeps -inf - -inf from making a NaN
    return high + std::log1p(std::exp(low - high));
  }
};

}  // namespace coppice

// Log-probabilities: (log-add, +, -inf, 0).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "coppice/base/error.h"
#include "coppice/semiring/semiring.h"

namespace coppice {

struct LogSemiring {
  using Value = double;
  static constexpr bool is_selective = false;
  static constexpr bool is_commutative = true;

  static constexpr Value zero() noexcept { return -std::numeric_limits<Value>::infinity(); }
  static constexpr Value one() noexcept { return 0.0; }
  static Value times(Value a, Value b) noexcept { return a + b; }
  static Value quotient(Value c, Value a) noexcept { return c - a; }

  static Value plus(Value a, Value b) noexcept {
    const auto [low, high] = std::minmax(a, b);
    if (low == zero()) return high;  // also keeps -inf - -inf from making a NaN
    return high + std::log1p(std::exp(low - high));
  }

  // One exp a value and one log in all; the largest value is taken out, so nothing overflows.
  static Value sum(std::span<const Value> values) noexcept {
    if (values.size() == 1) return values[0];
    Value high = zero();
    for (Value value : values) high = std::max(high, value);
    if (high == zero()) return high;
    Value scaled = 0;
    for (Value value : values) scaled += std::exp(value - high);
    return high + std::log(scaled);
  }

  // -ln(1 - e^a). Throws InvalidArgument when e^a >= 1: the sum of its powers diverges.
  static Value star(Value a) {
    require(a < 0, "star: the sum of the powers of e^", a, " diverges; expected a number below 1");
    return -std::log1p(-std::exp(a));
  }
};

}  // namespace coppice

// The best derivation's weight, in the three usual scales.
//
//     MaxPlusSemiring    (max, +, -inf, 0)   log-probabilities or scores; larger is better
//     TropicalSemiring   (min, +, +inf, 0)   costs; smaller is better
//     ViterbiSemiring    (max, x, 0, 1)      probabilities or other non-negative factors
//
// All three are selective: plus(a, b) is a or b. Values must not be NaN, nor the infinity
// opposite to zero(), which times zero() would make a NaN. star(a) is one() where going round a
// cycle of weight a never helps, and throws InvalidArgument where it always does.
#pragma once

#include <algorithm>
#include <limits>

#include "coppice/base/error.h"
#include "coppice/semiring/semiring.h"

namespace coppice {

struct MaxPlusSemiring {
  using Value = double;
  static constexpr bool is_selective = true;
  static constexpr bool is_commutative = true;

  static constexpr Value zero() noexcept { return -std::numeric_limits<Value>::infinity(); }
  static constexpr Value one() noexcept { return 0.0; }
  static constexpr Value plus(Value a, Value b) noexcept { return std::max(a, b); }
  static constexpr Value times(Value a, Value b) noexcept { return a + b; }
  static Value star(Value a) {
    require(a <= 0, "max-plus: star of ", a,
            " diverges; a cycle of positive score has no best derivation");
    return one();
  }
};

struct TropicalSemiring {
  using Value = double;
  static constexpr bool is_selective = true;
  static constexpr bool is_commutative = true;

  static constexpr Value zero() noexcept { return std::numeric_limits<Value>::infinity(); }
  static constexpr Value one() noexcept { return 0.0; }
  static constexpr Value plus(Value a, Value b) noexcept { return std::min(a, b); }
  static constexpr Value times(Value a, Value b) noexcept { return a + b; }
  static Value star(Value a) {
    require(a >= 0, "tropical: star of ", a,
            " diverges; a cycle of negative cost has no cheapest derivation");
    return one();
  }
};

struct ViterbiSemiring {
  using Value = double;
  static constexpr bool is_selective = true;
  static constexpr bool is_commutative = true;

  static constexpr Value zero() noexcept { return 0.0; }
  static constexpr Value one() noexcept { return 1.0; }
  static constexpr Value plus(Value a, Value b) noexcept { return std::max(a, b); }
  static constexpr Value times(Value a, Value b) noexcept { return a * b; }
  static Value star(Value a) {
    require(a <= 1, "viterbi: star of ", a,
            " diverges; a cycle of weight above one has no best derivation");
    return one();
  }
};

}  // namespace coppice

// Is there a derivation at all: (or, and, 0, 1). Values are 0 and 1 in an unsigned char, because
// a vector of bool holds no objects.
#pragma once

#include "coppice/semiring/semiring.h"

namespace coppice {

struct BooleanSemiring {
  using Value = unsigned char;
  static constexpr bool is_selective = true;
  static constexpr bool is_commutative = true;

  static constexpr Value zero() noexcept { return 0; }
  static constexpr Value one() noexcept { return 1; }
  static constexpr Value plus(Value a, Value b) noexcept { return a | b; }
  static constexpr Value times(Value a, Value b) noexcept { return a & b; }
  static constexpr Value star(Value) noexcept { return 1; }
};

}  // namespace coppice

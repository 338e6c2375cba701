// Real numbers: (+, *, 0, 1). Inside sums probabilities with it, and whatever else is signed.
//
// T is double where nothing leaves its range, else WideFloat or SignedLog (base/number.h).
#pragma once

#include "coppice/base/error.h"
#include "coppice/base/number.h"
#include "coppice/semiring/semiring.h"

namespace coppice {

template <Number T = double>
struct RealSemiring {
  using Value = T;
  static constexpr bool is_selective = false;
  static constexpr bool is_commutative = true;

  static Value zero() noexcept { return T(0.0); }
  static Value one() noexcept { return T(1.0); }
  static Value plus(const Value& a, const Value& b) noexcept { return a + b; }
  static Value times(const Value& a, const Value& b) noexcept { return a * b; }
  static Value quotient(const Value& c, const Value& a) noexcept { return c / a; }

  // 1 / (1 - a). Throws InvalidArgument when |a| >= 1: the sum of its powers diverges.
  static Value star(const Value& a) {
    require(-one() < a && a < one(), "star: the sum of the powers of ", static_cast<double>(a),
            " diverges; expected a number between -1 and 1");
    return one() / (one() - a);
  }
};

}  // namespace coppice

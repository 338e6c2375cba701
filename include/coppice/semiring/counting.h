// How many derivations: (+, x, 0, 1) on whole numbers.
//
// CountingSemiring is exact at any size. SaturatingCountingSemiring stays in one word and stops
// at `many`, which then means "at least so many"; saturation keeps all the laws.
//
// star: a cycle with a derivation in it has infinitely many. Exact counting throws; saturating
// counting answers `many`. star(0) is 1 in both.
#pragma once

#include <cstdint>
#include <limits>

#include "coppice/base/big_count.h"
#include "coppice/base/error.h"
#include "coppice/semiring/semiring.h"

namespace coppice {

struct CountingSemiring {
  using Value = BigCount;
  static constexpr bool is_selective = false;
  static constexpr bool is_commutative = true;

  static Value zero() noexcept { return BigCount(0); }
  static Value one() noexcept { return BigCount(1); }
  static Value plus(const Value& a, const Value& b) { return a + b; }
  static Value times(const Value& a, const Value& b) { return a * b; }
  static Value star(const Value& a) {
    require(a.is_zero(), "counting: star of ", a.to_string(),
            " diverges; a cycle has infinitely many derivations");
    return one();
  }
};

struct SaturatingCountingSemiring {
  using Value = std::uint64_t;
  static constexpr bool is_selective = false;
  static constexpr bool is_commutative = true;
  static constexpr Value many = std::numeric_limits<Value>::max();

  static constexpr Value zero() noexcept { return 0; }
  static constexpr Value one() noexcept { return 1; }
  static constexpr Value plus(Value a, Value b) noexcept {
    Value sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? many : sum;
  }
  static constexpr Value times(Value a, Value b) noexcept {
    Value product = 0;
    return __builtin_mul_overflow(a, b, &product) ? many : product;
  }
  static constexpr Value star(Value a) noexcept { return a == 0 ? 1 : many; }
};

}  // namespace coppice

// The number of derivations of a forest. Exact below 2^64; larger numbers stay at 2^64 - 1.
#pragma once

#include <cstdint>
#include <limits>

#include "coppice/forest/forest.h"
#include "coppice/forest/inside.h"

namespace coppice::testing {

struct CountSemiring {
  using Value = std::uint64_t;
  static constexpr Value kMax = std::numeric_limits<Value>::max();
  static constexpr Value zero() noexcept { return 0; }
  static constexpr Value one() noexcept { return 1; }
  static Value plus(Value a, Value b) noexcept { return a > kMax - b ? kMax : a + b; }
  static Value times(Value a, Value b) noexcept { return a != 0 && b > kMax / a ? kMax : a * b; }
};

inline std::uint64_t count_derivations(const Forest& forest) {
  if (forest.empty()) return 0;
  const EdgeMap<std::uint64_t> ones(forest.num_edges(), 1);
  return inside<CountSemiring>(forest, ones)[forest.root()];
}

}  // namespace coppice::testing

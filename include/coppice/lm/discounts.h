// Discounts of modified Kneser-Ney smoothing (Chen and Goodman 1998, equation 26).
//
//     Y = t1 / (t1 + 2 t2)        D_k = k - (k + 1) Y t_(k+1) / t_k      for k = 1, 2, 3
//
// t_k is the number of n-grams of one length whose (adjusted) count is k. D_3 is for counts from 3
// on. A small or artificial text may have no n-grams of some count, or numbers from which a D_k
// falls outside of [0, k]: then the formula says nothing, and fixed discounts stand in.
#pragma once

#include <array>
#include <cstdint>

namespace coppice::lm {

struct Discounts {
  std::array<double, 3> amounts{};  // of counts 1, 2, and 3 or more
  bool is_fallback = false;

  // For a count of 0, which has nothing to give, 0.
  double of(std::uint64_t count) const noexcept {
    if (count == 0) return 0;
    return amounts[count < 3 ? static_cast<std::size_t>(count) - 1 : 2];
  }
};

inline constexpr std::array<double, 3> kFallbackDiscounts = {0.5, 1.0, 1.5};

// `counts_of_counts` are t_1 to t_4.
Discounts discounts_from(const std::array<std::uint64_t, 4>& counts_of_counts);

}  // namespace coppice::lm

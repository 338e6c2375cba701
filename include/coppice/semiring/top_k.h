// The K best scores, with multiplicity: two derivations of equal score count twice.
//
// A value is K scores in descending order, -inf where there are fewer. plus merges, times forms
// the K best sums. zero() is all -inf; one() is 0 and then -inf. For the derivations themselves,
// or a K that is not known when compiling, see forest/kbest.h.
//
// star sums the powers of a value: power number K and all later ones lie below K scores already
// there, so K rounds suffice; a positive best score diverges and throws InvalidArgument.
//
// Cost: plus K, times K log^2 K, no allocation. Meant for K up to a few dozen.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>

#include "coppice/base/error.h"
#include "coppice/semiring/semiring.h"

namespace coppice {

template <std::size_t K>
struct TopK {
  static_assert(K > 0);
  using Value = std::array<double, K>;
  static constexpr bool is_selective = K == 1;

  static constexpr Value zero() noexcept {
    Value value{};
    value.fill(-std::numeric_limits<double>::infinity());
    return value;
  }
  static constexpr Value one() noexcept {
    Value value = zero();
    value[0] = 0;
    return value;
  }
  static constexpr Value plus(const Value& a, const Value& b) noexcept {
    Value best{};
    std::size_t i = 0, j = 0;
    for (double& score : best) score = a[i] >= b[j] ? a[i++] : b[j++];
    return best;
  }
  static constexpr Value times(const Value& a, const Value& b) noexcept {
    std::array<double, num_pairs> sums{};
    std::size_t n = 0;
    for (std::size_t i = 0; i < K; ++i) {
      for (std::size_t j = 0; (i + 1) * (j + 1) <= K; ++j) sums[n++] = a[i] + b[j];
    }
    std::partial_sort(sums.begin(), sums.begin() + K, sums.end(), std::greater<>());
    Value best{};
    std::copy_n(sums.begin(), K, best.begin());
    return best;
  }
  static Value star(const Value& a) {
    require(a[0] <= 0, "top-k: star of a best score of ", a[0],
            " diverges; a cycle of positive score has no best derivation");
    Value sum = one();
    for (std::size_t round = 0; round < K; ++round) sum = plus(one(), times(a, sum));
    return sum;
  }

 private:
  // a[i] + b[j] lies below (i + 1)(j + 1) - 1 others, so only few pairs can be among the K best.
  static constexpr std::size_t num_pairs = [] {
    std::size_t pairs = 0;
    for (std::size_t i = 1; i <= K; ++i) pairs += K / i;
    return pairs;
  }();
};

}  // namespace coppice

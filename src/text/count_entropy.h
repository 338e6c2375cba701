// f(n) = n log n of counts, by table where they are small. Private.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace coppice::text {

inline constexpr std::size_t kTabulatedCounts = std::size_t{1} << 15;

inline double computed_count_entropy(std::uint64_t count) noexcept {
  const auto n = static_cast<double>(count);
  return count == 0 ? 0 : n * std::log(n);
}

inline const double* count_entropy_table() {
  static const std::vector<double> table = [] {
    std::vector<double> values(kTabulatedCounts);
    for (std::size_t n = 0; n < values.size(); ++n) values[n] = computed_count_entropy(n);
    return values;
  }();
  return table.data();
}

inline double count_entropy(std::uint64_t count) {
  return count < kTabulatedCounts ? count_entropy_table()[count] : computed_count_entropy(count);
}

// f(n + more) - f(n).
inline double count_entropy_step(std::uint32_t count, std::uint32_t more) {
  return count_entropy(std::uint64_t{count} + more) - count_entropy(count);
}

// sums[i] += f(counts[i] + more) - f(counts[i]), for all i.
inline void add_entropy_steps(std::span<const std::uint32_t> counts, std::uint32_t more,
                              std::span<double> sums) {
  const double* table = count_entropy_table();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t count = counts[i], sum = count + more;
    if (sum < kTabulatedCounts) {
      sums[i] += table[sum] - table[count];
    } else {
      sums[i] += count_entropy(sum) - count_entropy(count);
    }
  }
}

}  // namespace coppice::text

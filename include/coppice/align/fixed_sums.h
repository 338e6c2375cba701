// Sums of expected counts that many threads add to, with the same bits in any order of addition.
//
// A sum is a whole number of 2^-32: adding integers is associative, which adding floating-point
// numbers is not. A count loses what is below 2^-33, and a sum holds up to 2^32.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace coppice::align {

// Requires value >= 0.
inline std::uint64_t to_fixed(double value) noexcept {
  // Never negative, and in the inner loop, where a call of llround would show.
  return static_cast<std::uint64_t>(value * 0x1p32 + 0.5);  // NOLINT(bugprone-incorrect-roundings)
}
inline double from_fixed(std::uint64_t fixed) noexcept {
  return static_cast<double>(fixed) * 0x1p-32;
}

// Threads: may be called at the same time for one sum.
inline void add_fixed(std::uint64_t& sum, double value) noexcept {
  const std::uint64_t fixed = to_fixed(value);
  if (fixed != 0) std::atomic_ref(sum).fetch_add(fixed, std::memory_order_relaxed);
}

class FixedSums {
 public:
  explicit FixedSums(std::size_t size = 0) : sums_(size, 0) {}

  std::size_t size() const noexcept { return sums_.size(); }
  // Requires value >= 0. Threads: as add_fixed.
  void add(std::size_t index, double value) noexcept { add_fixed(sums_[index], value); }
  double operator[](std::size_t index) const noexcept { return from_fixed(sums_[index]); }

 private:
  std::vector<std::uint64_t> sums_;
};

}  // namespace coppice::align

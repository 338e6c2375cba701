// BigCount: an exact non-negative integer of any size, for counting derivations.
//
// A forest of a thousand edges may hold more derivations than a double can express. Most counts
// are small all the same, so a value below 2^64 lives in the object itself, without allocation;
// a larger one is a vector of 64-bit limbs.
//
// Cost: one addition or multiplication of words while values are small; n + m, n m limbs after.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace coppice {

class BigCount {
 public:
  BigCount() noexcept = default;  // zero
  explicit BigCount(std::uint64_t value) noexcept : small_(value) {}

  bool is_zero() const noexcept { return small_ == 0 && limbs_.empty(); }
  bool fits_uint64() const noexcept { return limbs_.empty(); }
  // Requires fits_uint64().
  std::uint64_t to_uint64() const noexcept { return small_; }

  // The nearest double, ties to even; +inf from 2^1024 on.
  double to_double() const noexcept;
  // The natural logarithm, also where to_double() is infinite; -inf for zero.
  double log() const noexcept;
  // Decimal digits. O(limbs^2).
  std::string to_string() const;

  friend BigCount operator+(const BigCount& a, const BigCount& b) {
    std::uint64_t sum = 0;
    if (a.fits_uint64() && b.fits_uint64() && !__builtin_add_overflow(a.small_, b.small_, &sum)) {
      return BigCount(sum);
    }
    return add_large(a, b);
  }
  friend BigCount operator*(const BigCount& a, const BigCount& b) {
    std::uint64_t product = 0;
    if (a.fits_uint64() && b.fits_uint64() &&
        !__builtin_mul_overflow(a.small_, b.small_, &product)) {
      return BigCount(product);
    }
    return multiply_large(a, b);
  }
  BigCount& operator+=(const BigCount& other) { return *this = *this + other; }
  BigCount& operator*=(const BigCount& other) { return *this = *this * other; }

  bool operator==(const BigCount&) const noexcept = default;
  std::strong_ordering operator<=>(const BigCount& other) const noexcept;

 private:
  using Limbs = std::vector<std::uint64_t>;

  static BigCount from_limbs(Limbs limbs);
  static BigCount add_large(const BigCount& a, const BigCount& b);
  static BigCount multiply_large(const BigCount& a, const BigCount& b);
  Limbs limbs() const;
  // The value is mantissa * 2^exponent; bits cut off set the mantissa's last one, so that
  // rounding it to a double rounds the value. Requires a large value.
  std::pair<std::uint64_t, std::uint64_t> mantissa_and_exponent() const noexcept;

  // Invariant: either limbs_ is empty, or it holds the value, least limb first, the last one not
  // zero, at least two of them, and small_ is 0.
  std::uint64_t small_ = 0;
  Limbs limbs_;
};

}  // namespace coppice

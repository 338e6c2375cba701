// WideFloat: a double with an exponent that does not end.
//
//     value = mantissa * 2^(960 * exponent),   2^-480 <= |mantissa| < 2^480
//
// A double's own exponent does nearly all the work: while numbers stay within 2^(+-480), sums and
// products are those of doubles and one predictable test. Only a result that leaves that band is
// moved back by an exact power of two. So there is no log, exp or rounding beyond that of double.
// (Fukushima 2012, "Numerical computation of spherical harmonics ... by extending exponent";
// Li & Eisner 2009, footnote 6, ask for such a type.)
//
// Invariants: (1) a finite number other than zero has its mantissa in the band, so representation
// is unique; (2) zero has mantissa +0 and the lowest exponent, infinities and NaN have the
// highest, so that sums need no test for them.
//
// The exponent has 64 bits. exp(x) gives 0 or infinity beyond |x| = 2^50; products are not checked
// beyond that, since it would take a thousand factors of that size to reach the end.
#pragma once

#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <utility>

namespace coppice {

class WideFloat {
 public:
  constexpr WideFloat() noexcept = default;  // zero
  constexpr explicit WideFloat(double value) noexcept : WideFloat(value, 0) {}

  // e^x for a natural logarithm x, also where e^x is no double; exp(-inf) is 0.
  static WideFloat exp(double x) noexcept {
    if (std::fabs(x) < log_band) return WideFloat(std::exp(x), 0);
    return exp_beyond_double(x);
  }
  // ln a; -inf for zero, NaN for a negative number.
  friend double log(const WideFloat& a) noexcept {
    const auto turns = static_cast<double>(a.exponent_);
    return (std::log(a.mantissa_) + turns * log_radix_low) + turns * log_radix;
  }

  // The nearest double: 0 or infinity where the number is out of a double's range.
  constexpr explicit operator double() const noexcept {
    if (exponent_ == 0) [[likely]]
      return mantissa_;
    if (exponent_ < 0) return exponent_ == -1 ? mantissa_ / radix : 0.0;
    if (exponent_ == 1) return mantissa_ * radix;
    return mantissa_ * radix * radix;
  }

  friend constexpr WideFloat operator*(const WideFloat& a, const WideFloat& b) noexcept {
    return {a.mantissa_ * b.mantissa_, a.exponent_ + b.exponent_};
  }
  friend constexpr WideFloat operator/(const WideFloat& a, const WideFloat& b) noexcept {
    return {a.mantissa_ / b.mantissa_, a.exponent_ - b.exponent_};
  }
  friend constexpr WideFloat operator+(const WideFloat& a, const WideFloat& b) noexcept {
    if (a.exponent_ == b.exponent_) [[likely]]
      return {a.mantissa_ + b.mantissa_, a.exponent_};
    return a.exponent_ < b.exponent_ ? add_smaller(b, a) : add_smaller(a, b);
  }
  friend constexpr WideFloat operator-(const WideFloat& a, const WideFloat& b) noexcept {
    return a + (-b);
  }
  constexpr WideFloat operator-() const noexcept {
    WideFloat negated = *this;
    negated.mantissa_ = 0.0 - mantissa_;  // not -m: zero stays +0
    return negated;
  }
  constexpr WideFloat& operator+=(const WideFloat& b) noexcept { return *this = *this + b; }
  constexpr WideFloat& operator*=(const WideFloat& b) noexcept { return *this = *this * b; }

  friend constexpr WideFloat abs(const WideFloat& a) noexcept { return a.mantissa_ < 0 ? -a : a; }

  constexpr bool operator==(const WideFloat&) const noexcept = default;
  friend constexpr std::partial_ordering operator<=>(const WideFloat& a,
                                                     const WideFloat& b) noexcept {
    const double x = a.mantissa_;
    const double y = b.mantissa_;
    const bool same_side = (x < 0 && y < 0) || (x > 0 && y > 0);
    if (a.exponent_ == b.exponent_ || !same_side) return x <=> y;
    return (a.exponent_ < b.exponent_) == (x > 0) ? std::partial_ordering::less
                                                  : std::partial_ordering::greater;
  }

 private:
  static constexpr double radix = 0x1p960;
  static constexpr double log_radix = 0x1.4cb5ecf0a965p+9;        // 960 ln 2, rounded
  static constexpr double log_radix_low = 0x1.0886a2bc2f41ep-45;  // what rounding left
  static constexpr double log_band = 332.5;                       // below 480 ln 2
  static constexpr std::uint64_t lowest_biased = 1023 - 480;      // of a mantissa in the band
  static constexpr std::int64_t zero_exponent = -(std::int64_t{1} << 60);
  static constexpr std::int64_t infinite_exponent = std::int64_t{1} << 60;

  // Any mantissa and exponent that one operation on numbers in the band can give.
  constexpr WideFloat(double mantissa, std::int64_t exponent) noexcept
      : mantissa_(mantissa), exponent_(exponent) {
    const std::uint64_t biased = (std::bit_cast<std::uint64_t>(mantissa) >> 52) & 0x7ff;
    if (biased - lowest_biased >= 960) [[unlikely]]  // unsigned: also when biased is smaller
      normalise();
  }

  constexpr void normalise() noexcept {
    if (mantissa_ == 0) {
      *this = WideFloat();
    } else if (!(mantissa_ - mantissa_ == 0)) {  // infinite or NaN
      exponent_ = infinite_exponent;
    } else if (mantissa_ > -1 && mantissa_ < 1) {
      mantissa_ *= radix;
      --exponent_;
    } else {
      mantissa_ /= radix;
      ++exponent_;
    }
  }

  // Requires a.exponent_ > b.exponent_. Two steps apart, b is below the last bit of a.
  static constexpr WideFloat add_smaller(const WideFloat& a, const WideFloat& b) noexcept {
    if (a.exponent_ - b.exponent_ > 1) return a;
    return {a.mantissa_ + b.mantissa_ / radix, a.exponent_};
  }

  static WideFloat exp_beyond_double(double x) noexcept {
    if (!(std::fabs(x) < 0x1p50)) return WideFloat(std::exp(x), 0);  // 0, infinity or NaN
    const double turns = std::nearbyint(x / log_radix);
    const double rest = std::fma(-turns, log_radix_low, std::fma(-turns, log_radix, x));
    return WideFloat(std::exp(rest), static_cast<std::int64_t>(turns));
  }

  double mantissa_ = 0.0;
  std::int64_t exponent_ = zero_exponent;
};

}  // namespace coppice

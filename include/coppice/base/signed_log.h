// SignedLog: a real number kept as its sign and the logarithm of its absolute value.
//
// Products add logarithms; sums take one exp and one log1p (or log and expm1 where the operands
// nearly cancel, so that the logarithm of a small difference keeps its digits). Exact: zero in
// every place, products of signs, and a + (-a) = 0. It costs about five times what WideFloat does;
// it is for numbers that are known only by their logarithms.
//
// Invariant: zero is (+, -infinity), so that equal numbers are equal memberwise.
#pragma once

#include <cmath>
#include <compare>
#include <limits>
#include <utility>

namespace coppice {

class SignedLog {
 public:
  constexpr SignedLog() noexcept = default;  // zero
  explicit SignedLog(double value) noexcept : SignedLog(value < 0, std::log(std::fabs(value))) {}

  // e^x; exp(-inf) is 0.
  static SignedLog exp(double x) noexcept { return {false, x}; }
  // ln a; -inf for zero, NaN for a negative number.
  friend double log(const SignedLog& a) noexcept {
    return a.negative_ ? std::numeric_limits<double>::quiet_NaN() : a.log_;
  }
  // ln |a|.
  double log_magnitude() const noexcept { return log_; }
  bool is_negative() const noexcept { return negative_; }

  // 0 or infinity where the number is out of a double's range.
  explicit operator double() const noexcept { return negative_ ? -std::exp(log_) : std::exp(log_); }

  friend SignedLog operator*(const SignedLog& a, const SignedLog& b) noexcept {
    if (a.is_zero() || b.is_zero()) return {};  // also 0 * infinity
    return {a.negative_ != b.negative_, a.log_ + b.log_};
  }
  // a / 0 is an infinity of a's sign, 0 / 0 is NaN.
  friend SignedLog operator/(const SignedLog& a, const SignedLog& b) noexcept {
    return {a.negative_ != b.negative_, a.log_ - b.log_};
  }
  friend SignedLog operator+(const SignedLog& a, const SignedLog& b) noexcept {
    return a.log_ < b.log_ ? add_smaller(b, a) : add_smaller(a, b);
  }
  friend SignedLog operator-(const SignedLog& a, const SignedLog& b) noexcept { return a + (-b); }
  SignedLog operator-() const noexcept { return {!negative_, log_}; }
  SignedLog& operator+=(const SignedLog& b) noexcept { return *this = *this + b; }
  SignedLog& operator*=(const SignedLog& b) noexcept { return *this = *this * b; }

  friend SignedLog abs(const SignedLog& a) noexcept { return {false, a.log_}; }

  bool operator==(const SignedLog&) const noexcept = default;
  friend std::partial_ordering operator<=>(const SignedLog& a, const SignedLog& b) noexcept {
    if (a.negative_ != b.negative_) {
      return a.negative_ ? std::partial_ordering::less : std::partial_ordering::greater;
    }
    return a.negative_ ? b.log_ <=> a.log_ : a.log_ <=> b.log_;
  }

 private:
  static constexpr double log_zero = -std::numeric_limits<double>::infinity();

  SignedLog(bool negative, double log) noexcept
      : log_(log), negative_(negative && log != log_zero) {}

  bool is_zero() const noexcept { return log_ == log_zero; }

  // Requires |a| >= |b|.
  static SignedLog add_smaller(const SignedLog& a, const SignedLog& b) noexcept {
    if (b.is_zero()) return a;
    const double gap = b.log_ - a.log_;
    if (a.negative_ == b.negative_) return {a.negative_, a.log_ + std::log1p(std::exp(gap))};
    return {a.negative_, a.log_ + log_one_minus_exp(gap)};
  }

  // ln(1 - e^x) for x <= 0; each form keeps its digits on its side of -ln 2 (Maechler 2012).
  static double log_one_minus_exp(double x) noexcept {
    constexpr double ln2 = 0.6931471805599453;
    return x > -ln2 ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
  }

  double log_ = log_zero;
  bool negative_ = false;
};

}  // namespace coppice

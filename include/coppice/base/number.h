// What the algorithms ask of a real number, so that they are written once for double, for
// WideFloat and for SignedLog.
//
// double is the fastest and leaves its range at e^(+-700); WideFloat never does, at one and a half
// times to three times the cost (bench/forest); SignedLog never does either, at about ten times,
// and keeps numbers that are known only by their logarithms.
#pragma once

#include <cmath>
#include <concepts>

namespace coppice {

// A signed number with the field operations and an order, from and to a double.
// clang-format off
template <class T>
concept Number = std::regular<T> && std::constructible_from<T, double> &&
    requires(const T& a, const T& b) {
  { a + b } -> std::convertible_to<T>;
  { a - b } -> std::convertible_to<T>;
  { a * b } -> std::convertible_to<T>;
  { a / b } -> std::convertible_to<T>;
  { -a } -> std::convertible_to<T>;
  { a < b } -> std::convertible_to<bool>;
  static_cast<double>(a);
};
// clang-format on

// e^x; 0 for -infinity.
template <Number T>
T from_log(double x) {
  if constexpr (std::same_as<T, double>) {
    return std::exp(x);
  } else {
    return T::exp(x);
  }
}

// ln a; -infinity for 0, NaN for a negative number.
template <Number T>
double to_log(const T& a) {
  using std::log;
  return log(a);
}

}  // namespace coppice

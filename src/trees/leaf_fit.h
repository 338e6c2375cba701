// The value of a leaf: an exact line search on the log-loss of its examples, or a single safe step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "coppice/base/threads.h"

namespace coppice::trees {

// What a binary classifier knows of its examples; arrays by example.
struct BinaryMargins {
  std::span<const float> scores;           // h
  std::span<const std::uint16_t> classes;  // y = +1 where it is `positive`, else -1
  std::uint16_t positive = 1;
  std::span<const float> importance;  // b; empty: all 1

  double sign(std::size_t i) const noexcept { return classes[i] == positive ? 1.0 : -1.0; }
  double weight(std::size_t i) const noexcept {
    return importance.empty() ? 1.0 : static_cast<double>(importance[i]);
  }
};

// L(d) = sum over rows of b ln(1 + exp(-y (h + d))) and its first two derivatives by d.
struct LossCurve {
  double value = 0, first = 0, second = 0;
  LossCurve& operator+=(const LossCurve& other) noexcept {
    value += other.value;
    first += other.first;
    second += other.second;
    return *this;
  }
};
LossCurve loss_curve(const BinaryMargins& margins, std::span<const std::uint32_t> rows, double d,
                     const Threads& threads);

// The d that minimises L(d) + lambda |theta + d|, where theta is what the leaf's compound feature
// weighs already. The function is convex: at the kink d = -theta the minimum is there when
// |L'| <= lambda; else Newton's steps within a bracket find it on the side where the slope falls,
// until a step is below 1e-6 (1 + |d|). Requires lambda > 0.
double fit_leaf(const BinaryMargins& margins, std::span<const std::uint32_t> rows, double theta,
                double lambda, const Threads& threads);

// A step from theta that lowers L(d) + lambda |theta + d| by at least `decrease`, found from the
// derivatives L'(0) and L''(0) alone. The third derivative of log-loss never exceeds the second, so
//
//     L(d) <= L(0) + L' d + L'' (exp(|d|) - 1 - |d|),
//
// whose minimum has a closed form: with s the slope that the penalty leaves, d = -sign(s) ln(1 +
// |s| / L''), cut off where theta + d is 0. Near the minimum that is Newton's step.
struct WeightStep {
  double step = 0;
  double decrease = 0;
};
WeightStep weight_step(double theta, double first, double second, double lambda) noexcept;

}  // namespace coppice::trees

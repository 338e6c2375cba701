#include "trees/leaf_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/reduce.h"
#include "coppice/base/error.h"

namespace coppice::trees {

namespace {

constexpr double kStep = 1e-6;  // steps are Newton's: the one not taken is about its square
constexpr int kMaxSteps = 100;

// loss_curve(), or where kWithValue is false its derivatives alone: a line search needs no more.
template <bool kWithValue>
LossCurve sum_curve(const BinaryMargins& margins, std::span<const std::uint32_t> rows, double d,
                    const Threads& threads) {
  return sum_elements<LossCurve>(threads, rows.size(), [&](std::size_t begin, std::size_t end) {
    LossCurve curve;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t row = rows[i];
      const double sign = margins.sign(row), weight = margins.weight(row);
      const double margin = sign * (static_cast<double>(margins.scores[row]) + d);
      const double small = std::exp(-std::fabs(margin));  // never overflows
      const double share = 1 / (1 + small);
      if constexpr (kWithValue) {
        curve.value += weight * (std::log1p(small) + (margin < 0 ? -margin : 0));
      }
      curve.first -= sign * weight * share * (margin > 0 ? small : 1);
      curve.second += weight * small * share * share;
    }
    return curve;
  });
}

}  // namespace

LossCurve loss_curve(const BinaryMargins& margins, std::span<const std::uint32_t> rows, double d,
                     const Threads& threads) {
  return sum_curve<true>(margins, rows, d, threads);
}

WeightStep weight_step(double theta, double first, double second, double lambda) noexcept {
  double slope = first;
  if (theta != 0) {
    slope += theta > 0 ? lambda : -lambda;
  } else if (std::fabs(first) <= lambda) {
    return {};
  } else {
    slope += first < 0 ? lambda : -lambda;
  }
  const double curvature = std::max(second, 1e-12);
  double size = std::log1p(std::fabs(slope) / curvature);
  const bool towards_zero = theta != 0 && (slope > 0) == (theta > 0);
  if (towards_zero) size = std::min(size, std::fabs(theta));
  return {slope > 0 ? -size : size,
          std::fabs(slope) * size - curvature * (std::expm1(size) - size)};
}

double fit_leaf(const BinaryMargins& margins, std::span<const std::uint32_t> rows, double theta,
                double lambda, const Threads& threads) {
  require(lambda > 0, "fit_leaf: lambda must be positive");
  const double kink = -theta;
  LossCurve curve = sum_curve<false>(margins, rows, kink, threads);
  if (std::fabs(curve.first) <= lambda) return kink;
  const double side = curve.first < 0 ? 1 : -1;  // d - kink has this sign
  // Along t = side (d - kink) > 0 the slope side L' + lambda rises from below 0 through 0.
  double low = 0, high = std::numeric_limits<double>::infinity();
  double t = 0;
  for (int step = 0; step < kMaxSteps; ++step) {
    const double slope = side * curve.first + lambda;
    (slope < 0 ? low : high) = t;
    double next = curve.second > 0 ? t - slope / curve.second : high;
    const double farthest = std::isinf(high) ? 2 * t + 4 : high;
    if (!(next > low)) next = (low + farthest) / 2;
    if (!(next < farthest)) next = std::isinf(high) ? farthest : (low + high) / 2;
    const bool done = std::fabs(next - t) <= kStep * (1 + t);
    t = next;
    if (done) break;
    curve = sum_curve<false>(margins, rows, kink + side * t, threads);
  }
  return kink + side * t;
}

}  // namespace coppice::trees

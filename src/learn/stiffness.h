// How much more an objective bends along a round of trees than its cells do by themselves.
//
// Newton leaves (learn/booster.h) take cells one by one: each has a curvature h, by its derivative
// d. But the trees of all labels step at once, and what is added to a cell moves its neighbours
// too, so that the objective bends more, and a round of such steps overshoots: from round to round
// the further, until training diverges. The stiffness is a factor for h, measured on the step f
// that was taken last:
//
//     stiffness = max(1, 2 (V_after - V_before + sum of g f) / sum of h f^2),     g = -d
//
// whose numerator is the second derivative of V along f, if V were a parabola there. It costs two
// sums, since a round finds V anyway.
#pragma once

#include <algorithm>
#include <cmath>

namespace coppice::learn {

// Of a cell by itself: |d| (1 - |d|), which is p (1 - p) for a likelihood. Other objectives
// have derivatives near 1 and beyond, too, where that would be nothing or less; no factor could
// shorten the steps there, and those elsewhere would pay for them.
inline float cell_curvature(float descent) noexcept {
  const float steepness = std::fabs(descent);
  return steepness * std::max(1 - steepness, 0.1f);
}

// A step: what trees add to the scores of cells.
struct BoostingStep {
  double slope = 0;      // sum of g f: how fast the objective falls at first
  double curvature = 0;  // sum of h f^2

  void add(float descent, double added) noexcept {
    slope += static_cast<double>(descent) * added;
    curvature += static_cast<double>(cell_curvature(descent)) * added * added;
  }
  BoostingStep& operator+=(const BoostingStep& other) noexcept {
    slope += other.slope;
    curvature += other.curvature;
    return *this;
  }
};

class Stiffness {
 public:
  double factor() const noexcept { return factor_; }

  // The objective at the scores of now, after the step told last.
  void evaluated(double value) noexcept {
    if (comparable_) factor_ = std::max(1.0, measured(value));
    value_ = value;
    comparable_ = false;
  }

  // `same_objective`: whether the next value is of the function that the last one is of.
  void stepped(const BoostingStep& step, bool same_objective) noexcept {
    step_ = step;
    comparable_ = same_objective;
  }

 private:
  double measured(double value) const noexcept {
    // Of a flatter step rounding would decide; and steps that are too short must not stay so.
    const bool is_steep = step_.slope > kLeastSlope * std::fabs(value) && step_.curvature > 0;
    return is_steep ? 2 * (value - value_ + step_.slope) / step_.curvature : factor_ / 2;
  }

  static constexpr double kLeastSlope = 1e-4;

  BoostingStep step_;
  double value_ = 0, factor_ = 1;
  bool comparable_ = false;
};

}  // namespace coppice::learn

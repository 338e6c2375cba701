#include "learn/line_search.h"

#include <algorithm>
#include <cmath>

namespace coppice::learn {

namespace {

constexpr double kGrowth = 8;     // the longest stride while nothing brackets the minimum
constexpr double kMargin = 0.1;   // share of the bracket that interpolation keeps off its ends
constexpr double kRetreat = 0.1;  // after a value that is not finite

// Where the cubic through two points and their slopes has its minimum; NaN when it has none.
double cubic_minimum(double a, double fa, double da, double b, double fb, double db) {
  const double d1 = da + db - 3 * (fa - fb) / (a - b);
  const double root = std::sqrt(d1 * d1 - da * db);
  const double d2 = b > a ? root : -root;
  return b - (b - a) * ((db + d2 - d1) / (db - da + 2 * d2));
}

}  // namespace

LineSearch::LineSearch(double value, double slope, double first_step, WolfeConstants constants)
    : constants_(constants), start_{0, value, slope}, low_(start_), step_(first_step) {}

bool LineSearch::decreases_enough(const Point& point) const {
  return point.value <= start_.value + constants_.sufficient_decrease * point.step * start_.slope;
}

bool LineSearch::accepts(const Point& point) const {
  if (decreases_enough(point) && std::abs(point.slope) <= -constants_.curvature * start_.slope)
    return true;
  return point.value <= start_.value + constants_.noise &&
         point.slope >= constants_.curvature * start_.slope &&
         point.slope <= (2 * constants_.sufficient_decrease - 1) * start_.slope;
}

LineSearch::Verdict LineSearch::observe(double value, double slope) {
  if (settles_for_low_) return Verdict::kAccepted;
  const Point point{step_, value, slope};
  const bool finite = std::isfinite(value) && std::isfinite(slope);
  if (finite && accepts(point)) return Verdict::kAccepted;
  if (++trials_ >= constants_.max_trials) {
    if (low_.step == 0) return Verdict::kFailed;
    settles_for_low_ = true;
    step_ = low_.step;
    return Verdict::kContinue;
  }
  if (!finite) {
    high_.reset();  // its value is unknown: retreat, and bracket afresh from there
    step_ = low_.step + kRetreat * (step_ - low_.step);
    return Verdict::kContinue;
  }
  const Point previous = low_;
  narrow(point);
  step_ = high_ ? interpolated() : extrapolated(previous);
  return Verdict::kContinue;
}

void LineSearch::narrow(const Point& point) {
  if (!decreases_enough(point) || (low_.step > 0 && point.value >= low_.value)) {
    high_ = point;
    return;
  }
  const bool turned = high_ ? point.slope * (high_->step - low_.step) >= 0 : point.slope >= 0;
  if (turned) high_ = low_;
  low_ = point;
}

// Beyond low_, which still descends: the cubic's minimum, within [2, kGrowth] strides.
double LineSearch::extrapolated(const Point& previous) const {
  const double guess = cubic_minimum(previous.step, previous.value, previous.slope, low_.step,
                                     low_.value, low_.slope);
  const double stride = low_.step - previous.step;
  const double nearest = low_.step + stride;
  const double farthest = low_.step + (kGrowth - 1) * stride;
  return std::isfinite(guess) && guess > previous.step ? std::clamp(guess, nearest, farthest)
                                                       : farthest;
}

double LineSearch::interpolated() const {
  const double guess =
      cubic_minimum(low_.step, low_.value, low_.slope, high_->step, high_->value, high_->slope);
  const double width = high_->step - low_.step;
  const double share = (guess - low_.step) / width;
  return low_.step + width * (std::isfinite(share) ? std::clamp(share, kMargin, 1 - kMargin) : 0.5);
}

}  // namespace coppice::learn

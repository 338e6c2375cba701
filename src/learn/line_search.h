// A step along a descent direction that meets the strong Wolfe conditions
//
//     f(t) <= f(0) + c1 t f'(0)    and    |f'(t)| <= c2 |f'(0)|,
//
// found by bracketing and safeguarded cubic interpolation (Nocedal and Wright 2006, section 3.5).
// Where f is too flat for its own rounding, Hager and Zhang's approximate conditions stand in:
// f(t) within noise of f(0), and c2 f'(0) <= f'(t) <= (2 c1 - 1) f'(0).
//
// The search asks and the caller evaluates:
//     while (search.observe(f(search.step()), slope(search.step())) == Verdict::kContinue) {}
#pragma once

#include <cstdint>
#include <optional>

namespace coppice::learn {

struct WolfeConstants {
  double sufficient_decrease;
  double curvature;
  double noise;  // absolute
  unsigned max_trials;
};

class LineSearch {
 public:
  enum class Verdict : std::uint8_t { kAccepted, kContinue, kFailed };

  // Requires slope < 0 and first_step > 0.
  LineSearch(double value, double slope, double first_step, WolfeConstants constants);

  // The step to evaluate next; after kAccepted, the one that was accepted.
  double step() const noexcept { return step_; }

  // What was found at step(). A value or slope that is not finite means: too far.
  Verdict observe(double value, double slope);

 private:
  struct Point {
    double step;
    double value;
    double slope;
  };

  bool decreases_enough(const Point& point) const;
  bool accepts(const Point& point) const;
  void narrow(const Point& point);
  double extrapolated(const Point& previous) const;
  double interpolated() const;

  WolfeConstants constants_;
  Point start_;
  Point low_;                  // the best point that decreases enough; at first the start
  std::optional<Point> high_;  // the bracket's other end, once there is one
  double step_;
  unsigned trials_ = 0;
  bool settles_for_low_ = false;
};

}  // namespace coppice::learn

// How long work of so many steps at the most will still take, from the steps that it has made.
//
//     TimeLeft left(first_step);
//     left.step(12, 188, 6.0);        // after step 12, 6 seconds from the beginning
//     left.at_most();                 // 188 times the mean of the steps so far
//
// While nothing limits the steps, or steps of another kind are to follow, the time is unknown, and
// the mean begins afresh when that ends. It is an upper bound as far as steps take equally long.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace coppice::cli {

class TimeLeft {
 public:
  // `steps`: made before, by a run that this one goes on with.
  explicit TimeLeft(std::uint64_t steps = 0) : first_(steps) {}

  // `steps` have been made, and `seconds` have passed since the beginning; at most `left` steps of
  // the same kind are to come, and nothing else.
  void step(std::uint64_t steps, std::optional<std::uint64_t> left, double seconds);

  // In seconds; NaN when unknown.
  double at_most() const noexcept { return at_most_; }

 private:
  std::uint64_t first_;  // the steps before those that the mean is of
  double since_ = 0;
  double at_most_ = NAN;
};

}  // namespace coppice::cli

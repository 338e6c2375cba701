#include "cli/time_left.h"

namespace coppice::cli {

void TimeLeft::step(std::uint64_t steps, std::optional<std::uint64_t> left, double seconds) {
  if (!left) {
    first_ = steps;
    since_ = seconds;
    at_most_ = NAN;
  } else if (*left == 0) {
    at_most_ = 0;
  } else if (steps > first_) {
    at_most_ =
        static_cast<double>(*left) * (seconds - since_) / static_cast<double>(steps - first_);
  }
}

}  // namespace coppice::cli

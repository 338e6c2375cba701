// Scores and weights at the ends of what a double holds.
#pragma once

#include <limits>

namespace coppice {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNever = -kInfinity;  // the score of what cannot be

}  // namespace coppice

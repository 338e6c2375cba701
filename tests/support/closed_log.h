// Log-probabilities with the sum of a geometric series, for tests of cyclic graphs.
#pragma once

#include <cmath>

#include "coppice/base/error.h"
#include "coppice/semiring/log.h"

namespace coppice::testing {

struct ClosedLog : LogSemiring {
  static double star(double a) {
    require(a < 0, "log: star of ", a, " diverges");
    return -std::log1p(-std::exp(a));
  }
};

}  // namespace coppice::testing

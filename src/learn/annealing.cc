#include "coppice/learn/annealing.h"

#include <algorithm>
#include <cmath>

#include "coppice/base/error.h"

namespace coppice::learn {

namespace {

// How many stages have a temperature above 0.
std::size_t warm_stages(const AnnealingSchedule& schedule) {
  std::size_t stages = 0;
  for (double t = schedule.temperature; t > 0 && t >= schedule.least_temperature;
       t *= schedule.cooling) {
    ++stages;
  }
  return stages;
}

}  // namespace

void AnnealingSchedule::check() const {
  require(std::isfinite(temperature) && temperature >= 0, "annealing: a temperature of ",
          temperature, "; expected a number from 0 up");
  require(cooling > 0 && cooling < 1, "annealing: cooling by ", cooling,
          "; expected a number between 0 and 1");
  require(least_temperature > 0, "annealing: a least temperature of ", least_temperature,
          "; expected a positive number");
  require(std::isfinite(sharpening) && sharpening > 1, "annealing: sharpening by ", sharpening,
          "; expected a number above 1");
  require(std::isfinite(largest_scale) && largest_scale >= 1, "annealing: a largest scale of ",
          largest_scale, "; expected a number from 1 up");
}

AnnealedRiskOptions AnnealingSchedule::stage(std::size_t k) const {
  const std::size_t warm = warm_stages(*this);
  if (k < warm) {
    return {.temperature = temperature * std::pow(cooling, static_cast<double>(k)), .scale = 1};
  }
  const double raised = std::pow(sharpening, static_cast<double>(k - warm));
  return {.temperature = 0, .scale = std::min(raised, largest_scale)};
}

std::size_t AnnealingSchedule::num_stages() const {
  std::size_t k = warm_stages(*this);
  while (stage(k).scale < largest_scale) ++k;
  return k + 1;
}

}  // namespace coppice::learn

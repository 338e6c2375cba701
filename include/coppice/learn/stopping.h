// When to stop an optimiser: small rules over its progress, apart from it.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "coppice/learn/lbfgs.h"

namespace coppice::learn {

enum class StopReason : std::uint8_t { kNone, kConverged, kSmallGradient, kMaxIterations };

// "converged", "small gradient", ... for logs.
std::string_view name(StopReason reason) noexcept;

struct StoppingOptions {
  std::uint64_t max_iterations = std::numeric_limits<std::uint64_t>::max();
  // Converged when the value fell by less than `delta`, relative, over the last `period`
  // iterations:   (value[k - period] - value[k]) / |value[k]| < delta.   0 turns it off.
  double delta = 1e-5;
  unsigned period = 10;
  // Small gradient:   |gradient| <= epsilon * max(1, |weights|).
  double epsilon = 1e-5;
};

// Development scores and interrupts are the caller's own conditions, in the same loop.
class StoppingRule {
 public:
  // Throws InvalidArgument for a period of 0 or negative tolerances.
  explicit StoppingRule(StoppingOptions options = {});

  // To be told of every iteration, once. kNone means go on.
  StopReason observe(const LbfgsProgress& progress);

  // The values of the last `period` iterations, oldest first: save them beside the optimiser, and
  // give them back to go on as if never interrupted.
  const std::vector<double>& values() const noexcept { return values_; }
  void restore(std::vector<double> values) { values_ = std::move(values); }

 private:
  StoppingOptions options_;
  std::vector<double> values_;
};

}  // namespace coppice::learn

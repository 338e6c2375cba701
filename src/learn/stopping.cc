#include "coppice/learn/stopping.h"

#include <algorithm>
#include <cmath>

#include "coppice/base/error.h"

namespace coppice::learn {

std::string_view name(StopReason reason) noexcept {
  switch (reason) {
    case StopReason::kNone:
      return "running";
    case StopReason::kConverged:
      return "converged";
    case StopReason::kSmallGradient:
      return "small gradient";
    case StopReason::kMaxIterations:
      return "iteration limit";
  }
  return "";
}

StoppingRule::StoppingRule(StoppingOptions options) : options_(options) {
  require(options.period > 0, "stopping: a period of 0 iterations");
  require(options.delta >= 0 && options.epsilon >= 0, "stopping: tolerances must not be negative");
}

StopReason StoppingRule::observe(const LbfgsProgress& progress) {
  const bool full = values_.size() == options_.period;
  const double decrease = full ? values_.front() - progress.value : 0;
  if (full) values_.erase(values_.begin());
  values_.push_back(progress.value);
  if (progress.gradient_norm <= options_.epsilon * std::max(1.0, progress.weight_norm))
    return StopReason::kSmallGradient;
  if (full && decrease < options_.delta * std::abs(progress.value)) return StopReason::kConverged;
  if (progress.iteration >= options_.max_iterations) return StopReason::kMaxIterations;
  return StopReason::kNone;
}

}  // namespace coppice::learn

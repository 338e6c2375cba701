#include "coppice/forest/risk.h"

#include <cmath>

#include "coppice/forest/moments.h"
#include "forest/conditional_sweep.h"

namespace coppice {

namespace {

void require_losses(const Forest& forest, const EdgeMap<double>& losses) {
  detail::require_entries(forest, losses.size(), "losses");
  detail::require_finite(losses.values(), "loss");
}

}  // namespace

double risk(const Forest& forest, const EdgeMap<double>& scores, const EdgeMap<double>& losses) {
  require_losses(forest, losses);
  return expectation(forest, scores, losses);
}

EdgeGradient risk_gradient(const Forest& forest, const EdgeMap<double>& scores,
                           const EdgeMap<double>& losses) {
  return annealed_risk_gradient(forest, scores, losses);
}

EdgeGradient annealed_risk_gradient(const Forest& forest, const EdgeMap<double>& scores,
                                    const EdgeMap<double>& losses,
                                    const AnnealedRiskOptions& options) {
  require_losses(forest, losses);
  const double temperature = options.temperature;
  require(std::isfinite(temperature), "temperature ", temperature, "; expected a finite number");
  const auto value = [&](EdgeId edge, double conditional) {
    return temperature == 0 ? losses[edge] : losses[edge] + temperature * std::log(conditional);
  };
  EdgeGradient result = detail::expectation_gradient(forest, scores, options.scale, value);
  if (options.scale != 1) {
    for (double& derivative : result.gradient.values()) derivative *= options.scale;
  }
  return result;
}

}  // namespace coppice

#include "coppice/forest/entropy.h"

#include <cmath>
#include <utility>

#include "coppice/forest/marginals.h"
#include "forest/conditional_sweep.h"

namespace coppice {

namespace {

double surprise(EdgeId /*edge*/, double conditional) { return -std::log(conditional); }

// ln conditional_e, from wide numbers: a conditional may be too small for a double.
EdgeMap<double> log_conditionals(const Forest& forest, const EdgeMap<double>& scores) {
  EdgeMap<double> logs(forest.num_edges(), -std::numeric_limits<double>::infinity());
  const auto visit = [&](const detail::NodeEdges& at) {
    for (std::size_t i = 0; i < at.size(); ++i) logs[at.edges[i]] = log(at.wide_conditional(i));
  };
  detail::require_derivation(detail::sweep_conditionals(forest, scores, 1, visit));
  return logs;
}

void require_covered(double value) {
  require(std::isfinite(value),
          "the first weighting has derivations to which the second gives no weight; expected a "
          "finite cross-entropy");
}

// Gradient by p of E_p[value], where the value may be infinite.
template <class Value>
EdgeGradient gradient_by_p(const Forest& forest, const EdgeMap<double>& p_scores, Value value) {
  EdgeGradient result = detail::expectation_gradient(forest, p_scores, 1, value);
  require_covered(result.value);
  return result;
}

EdgeGradient gradient_by_q(const Forest& forest, const EdgeMap<double>& p_scores,
                           const EdgeMap<double>& q_scores, double value) {
  require_covered(value);
  EdgeMap<double> gradient = edge_marginals(forest, q_scores);
  const EdgeMap<double> subtracted = edge_marginals(forest, p_scores);
  for (EdgeId edge : forest.edges()) gradient[edge] -= subtracted[edge];
  return {value, std::move(gradient)};
}

}  // namespace

double entropy(const Forest& forest, const EdgeMap<double>& scores) {
  return detail::expectation(forest, scores, surprise);
}

EdgeGradient entropy_gradient(const Forest& forest, const EdgeMap<double>& scores) {
  return detail::expectation_gradient(forest, scores, 1, surprise);
}

double cross_entropy(const Forest& forest, const EdgeMap<double>& p_scores,
                     const EdgeMap<double>& q_scores) {
  const EdgeMap<double> logs = log_conditionals(forest, q_scores);
  return detail::expectation(forest, p_scores, [&](EdgeId edge, double) { return -logs[edge]; });
}

double kl_divergence(const Forest& forest, const EdgeMap<double>& p_scores,
                     const EdgeMap<double>& q_scores) {
  const EdgeMap<double> logs = log_conditionals(forest, q_scores);
  return detail::expectation(forest, p_scores, [&](EdgeId edge, double conditional) {
    return std::log(conditional) - logs[edge];
  });
}

EdgeGradient cross_entropy_gradient(const Forest& forest, const EdgeMap<double>& p_scores,
                                    const EdgeMap<double>& q_scores, Weighting by) {
  if (by == Weighting::kQ) {
    return gradient_by_q(forest, p_scores, q_scores, cross_entropy(forest, p_scores, q_scores));
  }
  const EdgeMap<double> logs = log_conditionals(forest, q_scores);
  return gradient_by_p(forest, p_scores, [&](EdgeId edge, double) { return -logs[edge]; });
}

EdgeGradient kl_divergence_gradient(const Forest& forest, const EdgeMap<double>& p_scores,
                                    const EdgeMap<double>& q_scores, Weighting by) {
  if (by == Weighting::kQ) {
    return gradient_by_q(forest, p_scores, q_scores, kl_divergence(forest, p_scores, q_scores));
  }
  const EdgeMap<double> logs = log_conditionals(forest, q_scores);
  return gradient_by_p(forest, p_scores, [&](EdgeId edge, double conditional) {
    return std::log(conditional) - logs[edge];
  });
}

}  // namespace coppice

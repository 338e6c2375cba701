// Bayes risk: the expected loss of answering with a derivation drawn from the forest, where a
// derivation's loss adds over its edges.
//
//     R = sum over d of q(d) L(d) = r-bar / Z with r_e = L_e
//     dR / ds_e = (Z dr-bar - r-bar dZ) / Z^2 = Cov(L, n_e)
//
// which is q(d) (L(d) - R) summed over the derivations that use e. Annealed risk smooths it by the
// entropy (Smith & Eisner 2006): with q(d) proportional to p(d)^scale,
//     f = R(q) - temperature H(q).
// H is the expectation of -ln q(d), whose own derivative vanishes in expectation (entropy.h), so
//     df / d(scale s_e) = Cov(L + temperature ln q, n_e)
// and df / ds_e is that times the scale. The derivative by the scale is scale_derivative of
// loglinear.h.
//
// Losses must be finite; they may be negative. Scores, edge cases and errors: edge_gradient.h.
// Cost: one sweep (value) or two (gradient).
#pragma once

#include "coppice/forest/edge_gradient.h"
#include "coppice/forest/forest.h"

namespace coppice {

double risk(const Forest& forest, const EdgeMap<double>& scores, const EdgeMap<double>& losses);
EdgeGradient risk_gradient(const Forest& forest, const EdgeMap<double>& scores,
                           const EdgeMap<double>& losses);

struct AnnealedRiskOptions {
  double temperature = 0;  // weight of the entropy; finite
  double scale = 1;        // positive and finite
};

EdgeGradient annealed_risk_gradient(const Forest& forest, const EdgeMap<double>& scores,
                                    const EdgeMap<double>& losses,
                                    const AnnealedRiskOptions& options = {});

}  // namespace coppice

// Log-linear models on a forest: score_e = scale theta . features_e, that is p_e = exp(scale theta
// . features_e).
//
// By the chain rule over g_e = df/dscore_e (edge_gradient.h),
//     df/dtheta_i = scale sum over e of g_e features_e[i]
//     df/dscale   = sum over e of g_e (theta . features_e) = (1/scale) sum of theta_i df/dtheta_i
//                 = (1/scale) sum over e of g_e score_e.
// The Hessian of ln Z by theta is scale^2 times the covariance of the features,
//     H v = scale^2 Cov(features, v . features) = scale sum over e of (scale Cov(v . features,
//     n_e))
//           features_e,
// so a product with H costs one gradient of an expectation, and H is never formed.
//
// Requires a theta for every feature; throws InvalidArgument otherwise.
#pragma once

#include <span>
#include <vector>

#include "coppice/forest/edge_features.h"
#include "coppice/forest/edge_gradient.h"
#include "coppice/forest/forest.h"
#include "coppice/forest/moments.h"

namespace coppice {

EdgeMap<double> log_linear_scores(const EdgeFeatures& features, std::span<const double> theta,
                                  double scale = 1);

// df/dtheta from df/dscore, one component for each of features.num_features().
std::vector<double> feature_gradient(const EdgeFeatures& features,
                                     const EdgeMap<double>& edge_gradient, double scale = 1);

// df/dscale from df/dscore, where `scores` include the factor `scale`. An edge of score -infinity
// adds nothing.
double scale_derivative(const EdgeMap<double>& scores, const EdgeMap<double>& edge_gradient,
                        double scale = 1);

// The Hessian of ln Z by theta, at the scores given. num_features() squared; num_features()
// gradients.
SquareMatrix log_partition_hessian(const Forest& forest, const EdgeMap<double>& scores,
                                   const EdgeFeatures& features, double scale = 1);

// The Hessian of ln Z by theta, times `direction`.
std::vector<double> log_partition_hessian_product(const Forest& forest,
                                                  const EdgeMap<double>& scores,
                                                  const EdgeFeatures& features,
                                                  std::span<const double> direction,
                                                  double scale = 1);

}  // namespace coppice

#include "coppice/forest/loglinear.h"

#include "coppice/base/error.h"

namespace coppice {

EdgeMap<double> log_linear_scores(const EdgeFeatures& features, std::span<const double> theta,
                                  double scale) {
  require(theta.size() >= features.num_features(), "log-linear model: ", theta.size(),
          " parameters for ", features.num_features(), " features");
  EdgeMap<double> scores(features.size(), 0.0);
  for (EdgeId edge : IdRange<EdgeId>(features.size())) {
    scores[edge] = scale * dot(features[edge], theta);
  }
  return scores;
}

std::vector<double> feature_gradient(const EdgeFeatures& features,
                                     const EdgeMap<double>& edge_gradient, double scale) {
  std::vector<double> gradient = weighted_sum(features, edge_gradient);
  for (double& component : gradient) component *= scale;
  return gradient;
}

double scale_derivative(const EdgeMap<double>& scores, const EdgeMap<double>& edge_gradient,
                        double scale) {
  require(scores.size() == edge_gradient.size(), "scale_derivative: ", scores.size(),
          " scores with derivatives of ", edge_gradient.size(), " edges");
  double sum = 0;
  for (EdgeId edge : IdRange<EdgeId>(scores.size())) {
    if (edge_gradient[edge] != 0) sum += edge_gradient[edge] * scores[edge];
  }
  return sum / scale;
}

SquareMatrix log_partition_hessian(const Forest& forest, const EdgeMap<double>& scores,
                                   const EdgeFeatures& features, double scale) {
  SquareMatrix hessian = covariance(forest, scores, features);
  for (double& entry : hessian.values) entry *= scale * scale;
  return hessian;
}

std::vector<double> log_partition_hessian_product(const Forest& forest,
                                                  const EdgeMap<double>& scores,
                                                  const EdgeFeatures& features,
                                                  std::span<const double> direction, double scale) {
  const EdgeMap<double> along = log_linear_scores(features, direction, scale);
  return feature_gradient(features, expectation_gradient(forest, scores, along).gradient, scale);
}

}  // namespace coppice

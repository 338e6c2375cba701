// Expected value, variance and covariance of additive quantities: r(d) = sum of r_e over d's edges,
// where r is a number, a dense vector (EdgeVectors) or a sparse one (EdgeFeatures).
//
//     E[r] = sum over e of E[n_e] r_e        Cov(r, s) = E[r s] - E[r] E[s]
//
// In the second-order expectation semiring these are r-bar / Z and t-bar / Z - r-bar s-bar / Z^2.
// They are computed by the laws of total expectation and covariance at every node instead,
//     mean[v] = sum of conditional_e rho_e,   rho_e = r_e + sum of mean[u] over tails u,
//     cov[v]  = sum of conditional_e (sum of cov[u] + (rho_e - mean_r[v]) (sigma_e - mean_s[v])),
// which hold because tails are derived independently, and which lose no digits to the difference.
// Variances are never negative.
//
// All values must be finite. Scores, edge cases and errors: edge_gradient.h.
// Cost: one sweep for numbers; for a matrix of n x n, n gradients (below) and n sparse sums.
#pragma once

#include <cstddef>
#include <vector>

#include "coppice/forest/edge_features.h"
#include "coppice/forest/edge_gradient.h"
#include "coppice/forest/forest.h"

namespace coppice {

struct Moments {
  double mean;
  double variance;
};

// Row by row.
struct SquareMatrix {
  std::size_t size = 0;
  std::vector<double> values{};
  double operator()(std::size_t row, std::size_t column) const {
    return values[row * size + column];
  }
};

double expectation(const Forest& forest, const EdgeMap<double>& scores,
                   const EdgeMap<double>& values);
std::vector<double> expectation(const Forest& forest, const EdgeMap<double>& scores,
                                const EdgeVectors& vectors);
// One component for each of features.num_features().
std::vector<double> expectation(const Forest& forest, const EdgeMap<double>& scores,
                                const EdgeFeatures& features);

// The value is E[r]. The gradient is d E[r] / d score_e = E[r n_e] - E[r] E[n_e] = Cov(r, n_e),
// with r held fixed. Two sweeps.
EdgeGradient expectation_gradient(const Forest& forest, const EdgeMap<double>& scores,
                                  const EdgeMap<double>& values);

Moments moments(const Forest& forest, const EdgeMap<double>& scores, const EdgeMap<double>& values);

double covariance(const Forest& forest, const EdgeMap<double>& scores, const EdgeMap<double>& first,
                  const EdgeMap<double>& second);
// Of all pairs of components. Row i is the sum over e of Cov(r_i, n_e) r_e.
SquareMatrix covariance(const Forest& forest, const EdgeMap<double>& scores,
                        const EdgeVectors& vectors);
// As above; the matrix is dense, num_features() squared.
SquareMatrix covariance(const Forest& forest, const EdgeMap<double>& scores,
                        const EdgeFeatures& features);

}  // namespace coppice

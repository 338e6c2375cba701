// Logistic regression on random data, with slow solvers that nobody would doubt.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "coppice/base/random.h"
#include "coppice/learn/penalty.h"

namespace coppice::testing {

// Rows of features and labels -1 or 1; loss(w) = sum over rows of log(1 + exp(-label w.x)).
struct Logistic {
  std::vector<std::vector<double>> rows;
  std::vector<double> labels;

  std::size_t num_weights() const { return rows.empty() ? 0 : rows[0].size(); }

  double margin(std::size_t row, std::span<const double> weights) const {
    double sum = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) sum += weights[j] * rows[row][j];
    return labels[row] * sum;
  }

  // d loss / d margin of a row.
  static double slope(double margin) { return -1 / (1 + std::exp(margin)); }

  template <class T>
  double operator()(std::span<const T> weights, std::span<T> gradient) const {
    const std::vector<double> w(weights.begin(), weights.end());
    std::vector<double> sum(w.size(), 0.0);
    double loss = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const double m = margin(row, w);
      loss += m > 0 ? std::log1p(std::exp(-m)) : std::log1p(std::exp(m)) - m;
      for (std::size_t j = 0; j < w.size(); ++j) sum[j] += slope(m) * labels[row] * rows[row][j];
    }
    for (std::size_t j = 0; j < w.size(); ++j) gradient[j] = static_cast<T>(sum[j]);
    return loss;
  }
};

inline double gaussian(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) *
         std::cos(6.283185307179586 * random.uniform());
}

// Column j is scaled by spread^(-j / (columns - 1)): spread^2 bounds the conditioning from below.
inline Logistic random_logistic(std::size_t rows, std::size_t columns, double spread,
                                std::uint64_t seed) {
  Random random(seed);
  std::vector<double> truth(columns);
  for (double& weight : truth) weight = random.uniform() < 0.5 ? 0 : 0.5 * gaussian(random);
  Logistic problem;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<double> x(columns);
    double score = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      const double z = gaussian(random);
      score += truth[j] * z;
      x[j] = z * std::pow(spread, -static_cast<double>(j) / static_cast<double>(columns - 1));
    }
    problem.rows.push_back(std::move(x));
    problem.labels.push_back(random.uniform() < 1 / (1 + std::exp(-score)) ? 1 : -1);
  }
  return problem;
}

inline double penalty_value(const learn::Penalty& penalty, std::span<const double> weights) {
  double sum = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double scale = penalty.l2_scale.empty() ? 1 : penalty.l2_scale[j];
    sum += scale * (penalty.l1 * std::abs(weights[j]) + penalty.l2 * weights[j] * weights[j]);
  }
  return sum;
}

template <class T>
double objective(const Logistic& problem, const learn::Penalty& penalty,
                 std::span<const T> weights) {
  const std::vector<double> w(weights.begin(), weights.end());
  std::vector<double> gradient(w.size());
  return problem(std::span<const double>(w), std::span(gradient)) + penalty_value(penalty, w);
}

// Minimises the objective over one weight at a time, by bisecting its subgradient.
inline std::vector<double> by_coordinate_descent(const Logistic& problem,
                                                 const learn::Penalty& penalty, int sweeps) {
  std::vector<double> weights(problem.num_weights(), 0.0);
  std::vector<double> margins(problem.rows.size(), 0.0);
  const auto slope_at = [&](std::size_t j, double change) {
    const double scale = penalty.l2_scale.empty() ? 1 : penalty.l2_scale[j];
    double sum = 2 * penalty.l2 * scale * (weights[j] + change);
    for (std::size_t row = 0; row < problem.rows.size(); ++row) {
      const double x = problem.labels[row] * problem.rows[row][j];
      sum += x * Logistic::slope(margins[row] + change * x);
    }
    return sum;
  };
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const double l1 = penalty.l1 * (penalty.l2_scale.empty() ? 1 : penalty.l2_scale[j]);
      const double at_zero = slope_at(j, -weights[j]);
      double target = 0;
      if (std::abs(at_zero) > l1) {
        const double sign = at_zero < 0 ? 1 : -1;  // the side on which the minimum lies
        double low = 0;
        double high = 1;
        while (sign * slope_at(j, sign * high - weights[j]) + l1 < 0) high *= 2;
        for (int step = 0; step < 45; ++step) {
          const double middle = (low + high) / 2;
          (sign * slope_at(j, sign * middle - weights[j]) + l1 < 0 ? low : high) = middle;
        }
        target = sign * (low + high) / 2;
      }
      for (std::size_t row = 0; row < problem.rows.size(); ++row)
        margins[row] += (target - weights[j]) * problem.labels[row] * problem.rows[row][j];
      weights[j] = target;
    }
  }
  return weights;
}

// Solves a x = b by Gaussian elimination with pivots.
inline std::vector<double> solve(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

// Damped Newton steps on loss + l2 penalty.
inline std::vector<double> by_newton(const Logistic& problem, const learn::Penalty& penalty) {
  const std::size_t n = problem.num_weights();
  std::vector<double> weights(n, 0.0);
  for (int iteration = 0; iteration < 25; ++iteration) {
    std::vector<double> gradient(n);
    problem(std::span<const double>(weights), std::span(gradient));
    std::vector<std::vector<double>> hessian(n, std::vector<double>(n, 0.0));
    for (std::size_t row = 0; row < problem.rows.size(); ++row) {
      const double s = Logistic::slope(problem.margin(row, weights));
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          hessian[i][j] -= s * (1 + s) * problem.rows[row][i] * problem.rows[row][j];
    }
    for (std::size_t j = 0; j < n; ++j) {
      const double l2 = penalty.l2 * (penalty.l2_scale.empty() ? 1 : penalty.l2_scale[j]);
      gradient[j] += 2 * l2 * weights[j];
      hessian[j][j] += 2 * l2;
    }
    const std::vector<double> step = solve(hessian, gradient);
    const double before = objective<double>(problem, penalty, weights);
    for (double factor = 1; factor > 1e-10; factor /= 2) {
      std::vector<double> moved = weights;
      for (std::size_t j = 0; j < n; ++j) moved[j] -= factor * step[j];
      if (objective<double>(problem, penalty, moved) > before) continue;
      weights = std::move(moved);
      break;
    }
  }
  return weights;
}

}  // namespace coppice::testing

#include "chain/log_space.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace coppice::chain {

namespace {

constexpr double kForbidden = -std::numeric_limits<double>::infinity();

double log_sum(std::span<const double> terms) {
  const double largest = *std::max_element(terms.begin(), terms.end());
  if (largest == kForbidden) return kForbidden;
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  return largest + std::log(sum);
}

// forward[t][y] = ln of the sum over paths that end in y at t.
std::vector<double> forward_scores(const float* scores, std::size_t length,
                                   const Transitions& transitions) {
  const std::size_t labels = transitions.labels();
  std::vector<double> forward(length * labels), terms(labels);
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t y = 0; y < labels; ++y) {
      double reach = 0;
      if (t > 0) {
        for (std::size_t u = 0; u < labels; ++u) {
          terms[u] = forward[(t - 1) * labels + u] + transitions.score(u, y);
        }
        reach = log_sum(terms);
      }
      forward[t * labels + y] = reach + scores[t * transitions.stride() + y];
    }
  }
  return forward;
}

std::vector<double> backward_scores(const float* scores, std::size_t length,
                                    const Transitions& transitions) {
  const std::size_t labels = transitions.labels();
  std::vector<double> backward(length * labels, 0.0), terms(labels);
  for (std::size_t t = length - 1; t-- > 0;) {
    for (std::size_t u = 0; u < labels; ++u) {
      for (std::size_t y = 0; y < labels; ++y) {
        terms[y] = transitions.score(u, y) + scores[(t + 1) * transitions.stride() + y] +
                   backward[(t + 1) * labels + y];
      }
      backward[t * labels + u] = log_sum(terms);
    }
  }
  return backward;
}

}  // namespace

double log_space_partition(const float* scores, std::size_t length,
                           const Transitions& transitions) {
  const std::size_t labels = transitions.labels();
  const std::vector<double> forward = forward_scores(scores, length, transitions);
  return log_sum(std::span(forward).last(labels));
}

double log_space_marginals(float* scores, std::size_t length, const Transitions& transitions,
                           float* pairs) {
  const std::size_t labels = transitions.labels(), stride = transitions.stride();
  const std::vector<double> forward = forward_scores(scores, length, transitions);
  const std::vector<double> backward = backward_scores(scores, length, transitions);
  const double log_z = log_sum(std::span(forward).last(labels));
  const auto posterior = [&](double log_weight) {
    return log_z == kForbidden ? 0.0f : static_cast<float>(std::exp(log_weight - log_z));
  };
  if (pairs != nullptr && !transitions.none()) {
    for (std::size_t t = 1; t < length; ++t) {
      for (std::size_t u = 0; u < labels; ++u) {
        for (std::size_t y = 0; y < labels; ++y) {
          const float weight = transitions.weights()[u * stride + y];
          if (weight == 0) continue;
          pairs[u * stride + y] +=
              posterior(forward[(t - 1) * labels + u] + transitions.score(u, y) +
                        scores[t * stride + y] + backward[t * labels + y]) /
              weight;
        }
      }
    }
  }
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t y = 0; y < labels; ++y) {
      scores[t * stride + y] = posterior(forward[t * labels + y] + backward[t * labels + y]);
    }
    std::fill(scores + t * stride + labels, scores + (t + 1) * stride, 0.0f);
  }
  return log_z;
}

}  // namespace coppice::chain

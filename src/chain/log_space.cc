#include "chain/log_space.h"

#include <algorithm>
#include <cmath>

#include "chain/forbidden.h"
#include "chain/messages.h"

namespace coppice::chain {

double log_space_partition(const float* scores, std::size_t length,
                           const Transitions& transitions) {
  Messages messages;
  messages.compute(scores, length, transitions);
  return messages.log_partition();
}

double log_space_marginals(float* scores, std::size_t length, const Transitions& transitions,
                           float* pairs) {
  const std::size_t labels = transitions.labels(), stride = transitions.stride();
  Messages messages;
  messages.compute(scores, length, transitions);
  const double log_z = messages.log_partition();
  const auto posterior = [&](double log_weight) {
    return log_z == kLogZero ? 0.0f : static_cast<float>(std::exp(log_weight - log_z));
  };
  if (pairs != nullptr && !transitions.none()) {
    for (std::size_t t = 1; t < length; ++t) {
      for (std::size_t u = 0; u < labels; ++u) {
        for (std::size_t y = 0; y < labels; ++y) {
          const float weight = transitions.weights()[u * stride + y];
          if (weight == 0) continue;
          pairs[u * stride + y] += posterior(messages.forward(t - 1)[u] + transitions.score(u, y) +
                                             scores[t * stride + y] + messages.backward(t)[y]) /
                                   weight;
        }
      }
    }
  }
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t y = 0; y < labels; ++y) {
      scores[t * stride + y] = posterior(messages.forward(t)[y] + messages.backward(t)[y]);
    }
    std::fill(scores + t * stride + labels, scores + (t + 1) * stride, 0.0f);
  }
  return log_z;
}

}  // namespace coppice::chain

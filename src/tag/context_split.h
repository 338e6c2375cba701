// The split of a log sum over a neighbour's labels that tag/explanation.h describes.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chain/messages.h"
#include "coppice/tag/explanation.h"

namespace coppice::tag {

// ln sum over u of exp(pair[u] + rest[u]).
struct ContextSplit {
  double pair = 0;        // the mean of pair[u]
  double rest = 0;        // the mean of rest[u], and the entropy
  std::size_t best = 0;   // the most probable u
  std::vector<double> q;  // how probable each is
};

inline ContextSplit split_context(const std::vector<double>& pair,
                                  const std::vector<double>& rest) {
  std::vector<double> sums(pair.size());
  for (std::size_t u = 0; u < pair.size(); ++u) sums[u] = pair[u] + rest[u];
  const double total = chain::log_sum(sums);
  ContextSplit result;
  result.q.resize(pair.size());
  for (std::size_t u = 0; u < pair.size(); ++u) {
    if (sums[u] > sums[result.best]) result.best = u;
    result.q[u] = std::exp(sums[u] - total);
    if (result.q[u] > 0) result.pair += result.q[u] * pair[u];
  }
  result.rest = total - result.pair;  // E[rest] + H, without rounding of its own
  return result;
}

inline ContextContribution context_difference(const ContextSplit& label,
                                              const ContextSplit& other) {
  return {.exists = true,
          .label = static_cast<std::uint16_t>(label.best),
          .transition = label.pair - other.pair,
          .beyond = label.rest - other.rest};
}

}  // namespace coppice::tag

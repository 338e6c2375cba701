// Chains small enough to list every label sequence.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "coppice/base/random.h"
#include "coppice/chain/kernel.h"

namespace coppice::chain::testing {

inline constexpr float kForbidden = -std::numeric_limits<float>::infinity();

struct Chain {
  std::size_t length, labels, stride;
  AlignedVector<float> scores;
  Transitions transitions;
};

struct ChainShape {
  std::size_t length, labels;
  double spread = 6;                // scores lie in [-spread / 2, spread / 2)
  std::uint64_t forbid_one_in = 0;  // 0: forbid nothing
};

inline Chain random_chain(std::uint64_t seed, const ChainShape& shape) {
  Random random(seed);
  const std::size_t stride = row_stride(shape.labels);
  const auto draw = [&] {
    if (shape.forbid_one_in > 0 && random.below(shape.forbid_one_in) == 0) return kForbidden;
    return static_cast<float>((random.uniform() - 0.5) * shape.spread);
  };
  std::vector<float> pairs(shape.labels * stride, 0.0f);
  for (std::size_t u = 0; u < shape.labels; ++u) {
    for (std::size_t y = 0; y < shape.labels; ++y) pairs[u * stride + y] = draw();
  }
  Chain chain{shape.length, shape.labels, stride, AlignedVector<float>(shape.length * stride, 0.0f),
              Transitions(shape.labels, pairs)};
  for (std::size_t t = 0; t < shape.length; ++t) {
    for (std::size_t y = 0; y < shape.labels; ++y) chain.scores[t * stride + y] = draw();
  }
  return chain;
}

// Calls visit(labels) for every label sequence.
template <class Visit>
void each_sequence(std::size_t length, std::size_t num_labels, Visit visit) {
  std::vector<std::uint16_t> labels(length, 0);
  for (;;) {
    visit(labels);
    std::size_t t = 0;
    while (t < length && ++labels[t] == num_labels) labels[t++] = 0;
    if (t == length) return;
  }
}

inline double score_of(const Chain& chain, const std::vector<std::uint16_t>& labels) {
  double score = 0;
  for (std::size_t t = 0; t < chain.length; ++t) {
    score += chain.scores[t * chain.stride + labels[t]];
    if (t > 0) score += chain.transitions.score(labels[t - 1], labels[t]);
  }
  return score;
}

}  // namespace coppice::chain::testing

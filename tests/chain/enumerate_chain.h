// Chains small enough to list every label sequence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "chain/kernel.h"
#include "chain/label_lattice.h"
#include "chain/lattice_kernel.h"
#include "chain/ngrams.h"
#include "coppice/base/random.h"

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

// What the sequences of three labels and more that end at token t add.
inline double ngram_score(const LabelNgrams& ngrams, std::span<const float> weights,
                          std::span<const std::uint16_t> labels, std::size_t t) {
  double score = 0;
  for (unsigned length = 3; length <= std::min<std::size_t>(kMaxOrder + 1, t + 1); ++length) {
    LabelKey key = 0;
    for (std::size_t i = t + 1 - length; i <= t; ++i) key = extended(key, labels[i], length);
    const std::uint32_t number = ngrams.find(key);
    if (number != LabelNgrams::kNone) score += weights[number];
  }
  return score;
}

// A chain of higher order: one whose sequences of three and four labels have scores too.
struct HigherChain {
  Chain chain;
  LabelNgrams ngrams;
  std::vector<float> parts;
  unsigned order;

  LabelModel model(double prune = 0) const {
    return {order, prune, chain.transitions, ngrams, parts};
  }
  LatticeScores scores() const { return {chain.scores.data(), chain.stride, parts}; }
  double score_of(const std::vector<std::uint16_t>& labels) const {
    double score = testing::score_of(chain, labels);
    const auto weights = std::span(parts).subspan(chain.labels * chain.stride);
    for (std::size_t t = 0; t < labels.size(); ++t)
      score += ngram_score(ngrams, weights, labels, t);
    return score;
  }
};

inline HigherChain random_higher_chain(std::uint64_t seed, std::uint64_t order,
                                       const ChainShape& shape) {
  HigherChain higher{random_chain(seed, shape), {}, {}, static_cast<unsigned>(order)};
  const Chain& chain = higher.chain;
  higher.parts.assign(chain.transitions.scores(),
                      chain.transitions.scores() + chain.labels * chain.stride);
  Random random(seed, 2);
  for (std::size_t length = 3; length <= order + 1; ++length) {
    each_sequence(length, shape.labels, [&](const std::vector<std::uint16_t>& labels) {
      if (random.below(3) == 0) return;  // some have no score of their own
      LabelKey key = 0;
      for (const std::uint16_t label : labels) key = extended(key, label, kMaxOrder + 1);
      higher.ngrams.add(key);
      higher.parts.push_back(static_cast<float>((random.uniform() - 0.5) * shape.spread));
    });
  }
  return higher;
}

}  // namespace coppice::chain::testing

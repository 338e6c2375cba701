#include "chain/pair_potential.h"

#include <algorithm>
#include <limits>

#include "coppice/base/error.h"

namespace coppice::chain {

namespace {

constexpr std::uint16_t kNoPair = std::numeric_limits<std::uint16_t>::max();

// Calls visit(token, previous, next) for all pairs of labels that the annotation has side by side.
template <class Visit>
void each_gold_pair(const Dataset& data, const Visit& visit) {
  for (std::size_t i = 0; i < data.num_sentences(); ++i) {
    for (std::size_t t = data.sentence_begin[i] + 1; t < data.sentence_begin[i + 1]; ++t) {
      for (const std::uint16_t previous : data.gold_of(t - 1)) {
        for (const std::uint16_t next : data.gold_of(t)) visit(t, previous, next);
      }
    }
  }
}

std::vector<LabelPair> numbered_pairs(const Dataset& data, const Constraints& constraints,
                                      FeatureSet features) {
  const std::size_t labels = data.num_labels;
  std::vector<unsigned char> seen(labels * labels, features == FeatureSet::kAllPairs ? 1 : 0);
  each_gold_pair(data, [&](std::size_t, std::size_t previous, std::size_t next) {
    seen[previous * labels + next] = 1;
  });
  std::vector<LabelPair> pairs;
  for (std::size_t u = 0; u < labels; ++u) {
    for (std::size_t v = 0; v < labels; ++v) {
      if (seen[u * labels + v] == 0 || !constraints.allows(u, v, labels)) continue;
      pairs.push_back({static_cast<std::uint16_t>(u), static_cast<std::uint16_t>(v)});
    }
  }
  require(!pairs.empty() && pairs.size() < kNoPair, "templates that are conjoined with pairs of ",
          "labels take from 1 to 65534 pairs, and there are ", pairs.size());
  return pairs;
}

LinearPotential potential_of_pairs(const Dataset& data, std::span<const LabelPair> pairs,
                                   FeatureSet features) {
  const std::size_t labels = data.num_labels;
  std::vector<std::uint16_t> number(labels * labels, kNoPair);
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    number[pairs[n].previous * labels + pairs[n].next] = static_cast<std::uint16_t>(n);
  }
  std::vector<std::uint32_t> count(data.num_tokens() + 1, 0);
  std::vector<std::uint16_t> gold;
  each_gold_pair(data, [&](std::size_t token, std::size_t previous, std::size_t next) {
    const std::uint16_t pair = number[previous * labels + next];
    if (pair == kNoPair) return;
    gold.push_back(pair);
    ++count[token + 1];
  });
  for (std::size_t t = 0; t < data.num_tokens(); ++t) count[t + 1] += count[t];
  return {data.pair_design, {count, gold}, pairs.size(), features};
}

}  // namespace

void add_pair_scores(const EdgeShape& shape, std::span<const LabelPair> pairs, const float* scores,
                     std::size_t stride, std::span<float> edges) {
  const std::size_t length = edges.size() / shape.block();
  for (std::size_t t = 1; t < length; ++t) {
    const float* row = scores + t * stride;
    for (std::size_t n = 0; n < pairs.size(); ++n) {
      edges[shape.place(t, pairs[n].previous, pairs[n].next)] += row[n];
    }
  }
}

PairPotential::PairPotential(const Dataset& data, const Constraints& constraints,
                             FeatureSet features)
    : pairs_(numbered_pairs(data, constraints, features)),
      linear_(potential_of_pairs(data, pairs_, features)) {}

void PairPotential::take_derivatives(const EdgeShape& shape, std::span<const float> edges,
                                     float* scores) const {
  const std::size_t length = edges.size() / shape.block();
  std::fill_n(scores, length * stride(), 0.0f);
  for (std::size_t t = 1; t < length; ++t) {
    float* row = scores + t * stride();
    for (std::size_t n = 0; n < pairs_.size(); ++n) {
      row[n] = edges[shape.place(t, pairs_[n].previous, pairs_[n].next)];
    }
  }
}

}  // namespace coppice::chain

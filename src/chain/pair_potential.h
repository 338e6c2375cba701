// Linear scores of label pairs that depend on the tokens: templates that are conjoined with the
// label before and the label (`transition: pos[0]`, CRF++'s B lines).
//
//     s[t][u][v] = sum over pair attributes a on at t of  value(t, a) * weight[a][(u, v)]
//
// A pair (u, v) that is a feature is one label of a LinearPotential over the pair attributes. Pairs
// get numbers for that: those that the training data has side by side, or all that the constraints
// allow. Together with the scores of labels and of plain pairs they make a chain whose pair scores
// differ from token to token (chain/edge_kernel.h), for which every objective is at home.
//
// Memory in training: a float for each token and numbered pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "chain/dataset.h"
#include "chain/edge_kernel.h"
#include "score/frozen_linear.h"
#include "score/linear.h"

namespace coppice::chain {

struct LabelPair {
  std::uint16_t previous = 0;
  std::uint16_t next = 0;

  bool operator==(const LabelPair&) const = default;
};

// Adds the scores of numbered pairs, `stride` of them a token, to the edges of a sentence; those of
// the first token are not looked at.
void add_pair_scores(const EdgeShape& shape, std::span<const LabelPair> pairs, const float* scores,
                     std::size_t stride, std::span<float> edges);

class PairPotential {
 public:
  // Throws InvalidArgument where there are more than 65535 pairs.
  PairPotential(const Dataset& data, const Constraints& constraints, FeatureSet features);

  const LinearPotential& linear() const noexcept { return linear_; }
  // By number: what the labels of linear() are.
  std::span<const LabelPair> pairs() const noexcept { return pairs_; }
  std::size_t stride() const noexcept { return linear_.stride(); }

  // What add_pair_scores() takes, the other way round: replaces the scores of a sentence's pairs by
  // the derivatives by them.
  void take_derivatives(const EdgeShape& shape, std::span<const float> edges, float* scores) const;

 private:
  std::vector<LabelPair> pairs_;
  LinearPotential linear_;
};

// The same for prediction.
struct FrozenPairs {
  FrozenLinear potential;
  std::vector<LabelPair> pairs;
};

}  // namespace coppice::chain

#include "coppice/chain/objective.h"

namespace coppice::chain {

void PairDerivatives::reset(const Transitions& transitions) {
  stride_ = transitions.stride();
  // The kernel writes four rows at a time.
  const std::size_t rows = transitions.none() ? 0 : (transitions.labels() + 3) / 4 * 4;
  sums_.assign(rows * stride_, 0.0f);
  by_weight_.assign(rows * stride_, 0.0f);
}

std::span<const float> PairDerivatives::finish(const Transitions& transitions) {
  const float* weights = transitions.weights();
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    sums_[k] += by_weight_[k] * weights[k];
    by_weight_[k] = 0;
  }
  return sums_;
}

void PairDerivatives::add(const PairDerivatives& other, float factor) {
  for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += factor * other.sums_[k];
}

}  // namespace coppice::chain

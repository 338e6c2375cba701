#include "chain/pair_derivatives.h"

#include <algorithm>

namespace coppice::chain {

void PairDerivatives::reset(const Transitions& transitions, std::size_t longer_sequences) {
  stride_ = transitions.stride();
  num_pairs_ = transitions.none() ? 0 : transitions.labels() * stride_;
  const std::size_t size = num_pairs_ + longer_sequences;
  if (sums_.size() != size) {
    sums_.assign(size, 0.0f);
    is_touched_.assign(size, 0);
    by_weight_.clear();
  } else {
    std::fill_n(sums_.begin(), num_dense_, 0.0f);
    if (num_dense_ > 0) std::fill(by_weight_.begin(), by_weight_.end(), 0.0f);
    for (const std::uint32_t part : touched_) {
      sums_[part] = 0;
      is_touched_[part] = 0;
    }
  }
  touched_.clear();
  num_dense_ = 0;
}

float* PairDerivatives::by_weight() {
  if (num_pairs_ == 0) return nullptr;
  num_dense_ = num_pairs_;
  // The kernel writes four rows at a time, up to three of them padding.
  if (by_weight_.empty()) by_weight_.assign(num_pairs_ + 3 * stride_, 0.0f);
  return by_weight_.data();
}

std::span<const float> PairDerivatives::finish(const Transitions& transitions) {
  const float* weights = transitions.weights();
  for (std::size_t pair = 0; pair < num_dense_; ++pair) {
    sums_[pair] += by_weight_[pair] * weights[pair];
    by_weight_[pair] = 0;
  }
  return sums_;
}

void PairDerivatives::add(const PairDerivatives& other, float factor) {
  other.for_each([&](std::size_t part, float derivative) { add_part(part, factor * derivative); });
}

}  // namespace coppice::chain

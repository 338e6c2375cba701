// Derivatives by the scores of label pairs and longer sequences, summed over sentences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "chain/kernel.h"

namespace coppice::chain {

// Numbered as in chain/label_lattice.h: labels rows of row_stride floats, then longer sequences.
// The dense kernels give those of pairs divided by the pair's weight exp(score - shift), which is
// multiplied in once for many sentences.
class PairDerivatives {
 public:
  // Sets all to 0; there are no pairs in a chain of order 0. Cost: what has been added to.
  void reset(const Transitions& transitions, std::size_t longer_sequences = 0);
  bool none() const noexcept { return sums_.empty(); }
  std::size_t num_longer() const noexcept { return sums_.size() - num_pairs_; }
  void add(std::size_t previous, std::size_t next, float derivative) {
    add_part(previous * stride_ + next, derivative);
  }
  void add_part(std::size_t part, float derivative) {
    if (is_touched_[part] == 0) touched_.push_back(static_cast<std::uint32_t>(part));
    is_touched_[part] = 1;
    sums_[part] += derivative;
  }
  // What the dense kernels add to; null for a chain of order 0.
  float* by_weight();
  // The sums. Requires the transitions that the kernels had.
  std::span<const float> finish(const Transitions& transitions);
  // Adds factor times the sums of `other`, which must be finished.
  void add(const PairDerivatives& other, float factor);
  // Calls visit(part, derivative) for all that have been added to, and perhaps others. Requires
  // that the sums are finished.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t part = 0; part < num_dense_; ++part) visit(part, sums_[part]);
    for (const std::uint32_t part : touched_) {
      if (part >= num_dense_) visit(part, sums_[part]);
    }
  }

 private:
  std::size_t stride_ = 0;
  std::size_t num_pairs_ = 0;
  std::size_t num_dense_ = 0;       // num_pairs_ once by_weight() has been asked for, else 0
  AlignedVector<float> sums_;       // by part
  AlignedVector<float> by_weight_;  // by pair, with rows of padding
  std::vector<unsigned char> is_touched_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace coppice::chain

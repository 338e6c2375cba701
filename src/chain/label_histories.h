// What the trees of a chain see of the labels before a token: the last `depth` of them, fewer near
// the start, as one number.
//
// Histories of `depth` labels come first, then those of one less, ...; the last is the start, which
// has none. At depth 1 that is the layout of EdgeShape: a number for each label, then the start.
#pragma once

#include <array>
#include <cstddef>

#include "chain/ngrams.h"
#include "coppice/trees/grow.h"

namespace coppice::chain {

class LabelHistories {
 public:
  // Throws InvalidArgument where there are more than 65535, which is more than trees can divide.
  LabelHistories(std::size_t labels, unsigned depth);

  std::size_t num_labels() const noexcept { return labels_; }
  unsigned depth() const noexcept { return depth_; }
  std::size_t size() const noexcept { return first_[0] + 1; }

  // The number of what `key` ends with.
  std::size_t number(LabelKey key) const noexcept;

  // For trees: each label before the token is a factor, whose last value is "before the start".
  trees::States states() const;

 private:
  std::size_t labels_;
  unsigned depth_;
  std::array<std::size_t, kMaxOrder + 1> first_{};  // by length: the first number
};

}  // namespace coppice::chain

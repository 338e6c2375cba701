#include "chain/label_histories.h"

#include "coppice/base/error.h"

namespace coppice::chain {

namespace {

constexpr std::size_t kMostHistories = 0xffff;

}  // namespace

LabelHistories::LabelHistories(std::size_t labels, unsigned depth)
    : labels_(labels), depth_(depth) {
  require(depth <= kMaxOrder, "trees see at most ", kMaxOrder, " labels before a token");
  std::size_t of_length = 1, all = 1;  // of_length: how many have the length at hand
  for (unsigned length = 1; length <= depth; ++length) {
    of_length *= labels;
    all += of_length;
    require(all <= kMostHistories, "trees that see ", depth, " labels before a token, of ", labels,
            ", tell apart more than ", kMostHistories, " label sequences; let them see fewer");
  }
  for (unsigned length = depth; length > 0; --length) {
    first_[length - 1] = first_[length] + of_length;
    of_length /= labels;
  }
}

std::size_t LabelHistories::number(LabelKey key) const noexcept {
  std::size_t number = 0, scale = 1;
  unsigned length = 0;
  for (; length < depth_ && key != 0; ++length, key >>= 16, scale *= labels_) {
    number += scale * last_label(key);
  }
  return first_[length] + number;
}

trees::States LabelHistories::states() const {
  trees::States states{.count = size()};
  for (unsigned distance = 1; distance <= depth_; ++distance) {
    auto& values = states.factors.emplace_back(size(), static_cast<std::uint16_t>(labels_));
    for (unsigned length = distance; length <= depth_; ++length) {
      std::size_t scale = 1;
      for (unsigned i = 1; i < distance; ++i) scale *= labels_;
      for (std::size_t at = first_[length]; at < first_[length - 1]; ++at) {
        values[at] = static_cast<std::uint16_t>((at - first_[length]) / scale % labels_);
      }
    }
  }
  return states;
}

}  // namespace coppice::chain

// Sequences of three and four labels that have a score of their own, and numbers for them.
//
// A label sequence is packed into 64 bits: each label plus one in 16 bits, the last in the lowest.
// What is shorter than four has zeros above, so a key knows its length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/chain/options.h"

namespace coppice::chain {

using LabelKey = std::uint64_t;

// The last `length` labels of `history` followed by `label`.
constexpr LabelKey extended(LabelKey history, std::uint16_t label, unsigned length) noexcept {
  const LabelKey key = history << 16 | (label + 1u);
  return length > kMaxOrder ? key : key & ((LabelKey{1} << 16 * length) - 1);
}
constexpr unsigned key_length(LabelKey key) noexcept {
  unsigned length = 0;
  for (; key != 0; key >>= 16) ++length;
  return length;
}
// Requires a key that is not empty.
constexpr std::uint16_t last_label(LabelKey key) noexcept {
  return static_cast<std::uint16_t>((key & 0xffff) - 1);
}

// All but the last label.
constexpr LabelKey without_last(LabelKey key) noexcept { return key >> 16; }

class LabelNgrams {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  // The number of `key`, a new one when it has none yet.
  std::uint32_t add(LabelKey key);
  // kNone when it has no number.
  std::uint32_t find(LabelKey key) const noexcept;

  std::size_t size() const noexcept { return keys_.size(); }
  // By number: in the order in which they were added.
  std::span<const LabelKey> keys() const noexcept { return keys_; }

 private:
  std::size_t slot_of(LabelKey key) const noexcept;
  void grow();

  std::vector<LabelKey> keys_;
  std::vector<std::uint32_t> slots_;  // open addressing, at most half full; a power of two
};

}  // namespace coppice::chain

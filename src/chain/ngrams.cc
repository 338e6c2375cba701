#include "chain/ngrams.h"

#include <algorithm>

namespace coppice::chain {

// The slot of `key`, or the empty one where it belongs.
std::size_t LabelNgrams::slot_of(LabelKey key) const noexcept {
  constexpr LabelKey multiplier = 0x9e3779b97f4a7c15;
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = (key * multiplier >> 32) & mask;
  while (slots_[slot] != kNone && keys_[slots_[slot]] != key) slot = (slot + 1) & mask;
  return slot;
}

void LabelNgrams::grow() {
  slots_.assign(std::max<std::size_t>(16, slots_.size() * 2), kNone);
  for (std::uint32_t i = 0; i < keys_.size(); ++i) slots_[slot_of(keys_[i])] = i;
}

std::uint32_t LabelNgrams::add(LabelKey key) {
  if (2 * (keys_.size() + 1) > slots_.size()) grow();
  const std::size_t slot = slot_of(key);
  if (slots_[slot] == kNone) {
    slots_[slot] = static_cast<std::uint32_t>(keys_.size());
    keys_.push_back(key);
  }
  return slots_[slot];
}

std::uint32_t LabelNgrams::find(LabelKey key) const noexcept {
  return slots_.empty() ? kNone : slots_[slot_of(key)];
}

}  // namespace coppice::chain

#include "text/word_cache.h"

#include <limits>

#include "coppice/base/assert.h"
#include "coppice/base/error.h"

namespace coppice::text {

namespace {
constexpr std::size_t kFirstSlots = 1024;
}

WordCache::WordCache(std::size_t width) : width_(width) { clear(); }

void WordCache::clear() {
  slots_ = std::vector<Slot>(kFirstSlots);
  texts_ = {};
  numbers_ = {};
  mask_ = kFirstSlots - 1;
  words_ = rows_ = 0;
}

std::uint32_t WordCache::add_row(std::span<const std::uint64_t> numbers) {
  COPPICE_ASSERT(numbers.size() == width_);
  numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  return static_cast<std::uint32_t>(rows_++);
}

std::uint32_t WordCache::insert(std::uint64_t hash, std::string_view word,
                                std::span<const std::uint64_t> numbers) {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  require(texts_.size() + word.size() < most && rows_ < most,
          "a sentence with more than 4 GB of different words");
  if (2 * (words_ + 1) > slots_.size()) grow();
  const auto text = static_cast<std::uint32_t>(texts_.size());
  const auto length = static_cast<std::uint32_t>(word.size());
  texts_.resize(texts_.size() + sizeof length);
  std::memcpy(texts_.data() + text, &length, sizeof length);
  texts_.insert(texts_.end(), word.begin(), word.end());
  const std::uint32_t row = add_row(numbers);
  place({.hash = hash, .text = text, .row = row + 1});
  ++words_;
  return row;
}

void WordCache::place(const Slot& slot) noexcept {
  std::size_t at = slot.hash & mask_;
  while (slots_[at].row != 0) at = (at + 1) & mask_;
  slots_[at] = slot;
}

void WordCache::grow() {
  const std::vector<Slot> old = std::move(slots_);
  slots_ = std::vector<Slot>(2 * old.size());
  mask_ = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.row != 0) place(slot);
  }
}

}  // namespace coppice::text

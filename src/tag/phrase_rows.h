// Rows of scores by 64-bit numbers: sums that are worth keeping between sentences.
//
// A table with open addressing whose entries hold their row, so that looking one up is a cache line
// or two side by side. When it is as large as it may be and half full, it is emptied.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/aligned.h"

namespace coppice::tag {

class PhraseRows {
 public:
  // Rows of `stride` floats, a multiple of 8; at most `bytes` in all, where that is enough for a
  // few.
  PhraseRows(std::size_t stride, std::size_t bytes);

  bool has_room() const noexcept { return most_entries_ > 0; }

  // Asks for the memory ahead of find().
  void prefetch(std::uint64_t number) const noexcept {
    const float* entry = floats_.data() + (number & mask_) * width_;
    __builtin_prefetch(entry);
    __builtin_prefetch(entry + width_ - 1);
  }
  // The row, aligned to 32 bytes, or null; valid until the next add().
  const float* find(std::uint64_t number) const noexcept;
  // A row of zeros to fill. Requires has_room(), and that find() finds none.
  float* add(std::uint64_t number);

 private:
  static constexpr std::size_t kHeader = 8;  // floats: the number, whether it is used, padding

  void resize(std::size_t entries);
  float* place(std::uint64_t number) noexcept;

  std::size_t width_;  // floats of an entry
  std::size_t most_entries_;
  std::size_t mask_ = 0, used_ = 0;
  AlignedVector<float> floats_;
};

}  // namespace coppice::tag

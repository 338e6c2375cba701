// Words with a row of numbers each: what a column's words yielded. Private to the extractor.
//
// Open addressing over 16-byte slots; texts are compared, so that a collision of hashes never
// gives one word the numbers of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace coppice::text {

class WordCache {
 public:
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

  // Every row has `width` numbers.
  explicit WordCache(std::size_t width);

  // The number of the word's row, or kNone.
  std::uint32_t find(std::uint64_t hash, std::string_view word) const noexcept {
    for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.row == 0) return kNone;
      if (slot.hash == hash && equals(slot.text, word)) return slot.row - 1;
    }
  }

  // Requires that the word is not there. Rows are numbered from 0.
  std::uint32_t insert(std::uint64_t hash, std::string_view word,
                       std::span<const std::uint64_t> numbers);
  // A row that belongs to no word.
  std::uint32_t add_row(std::span<const std::uint64_t> numbers);

  // Row after row.
  const std::uint64_t* numbers() const noexcept { return numbers_.data(); }
  std::size_t width() const noexcept { return width_; }
  std::size_t words() const noexcept { return words_; }
  std::size_t text_bytes() const noexcept { return texts_.size(); }

  // Forgets everything, and gives back what memory an uncommonly long sentence took.
  void clear();

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t text = 0;  // where the length and the bytes of the word begin
    std::uint32_t row = 0;   // from 1; 0 is a free slot
  };

  bool equals(std::uint32_t text, std::string_view word) const noexcept {
    std::uint32_t length = 0;
    std::memcpy(&length, texts_.data() + text, sizeof length);
    return length == word.size() &&
           std::memcmp(texts_.data() + text + sizeof length, word.data(), length) == 0;
  }
  void place(const Slot& slot) noexcept;
  void grow();

  std::size_t width_;
  std::size_t mask_ = 0;
  std::size_t words_ = 0, rows_ = 0;
  std::vector<Slot> slots_;
  std::vector<char> texts_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace coppice::text

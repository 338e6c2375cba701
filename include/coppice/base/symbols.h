// A table of strings: each distinct string has a dense id, in the order of first arrival.
//
// Labels and names repeat thousands of times in a forest; the arrays beside it hold ids, and the
// text stands here once. All text lies in one buffer, so that a table of n strings costs a handful
// of allocations, and copying it is copying three arrays.
//
// Cost: add and find are O(length) on average. Not to be fed by an adversary without a bound on the
// number of strings: the hash is not keyed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/id.h"

namespace coppice {

enum class SymbolId : std::uint32_t {};

class Symbols {
 public:
  // The id of `text`, which is added if it is new. Throws InvalidArgument when there is no 32-bit
  // id left.
  SymbolId add(std::string_view text);

  // The id of `text`, if the table has it.
  std::optional<SymbolId> find(std::string_view text) const noexcept;

  // The text of an id; valid until the next add. Requires an id of this table.
  std::string_view operator[](SymbolId id) const noexcept {
    const std::size_t begin = begin_[index(id)];
    return std::string_view(text_).substr(begin, begin_[index(id) + 1] - begin);
  }

  std::size_t size() const noexcept { return begin_.size() - 1; }
  bool empty() const noexcept { return size() == 0; }
  IdRange<SymbolId> ids() const noexcept { return IdRange<SymbolId>(size()); }

  // The same strings in the same order.
  bool operator==(const Symbols& other) const noexcept {
    return text_ == other.text_ && begin_ == other.begin_;
  }

 private:
  // Where `text` stands in slots_, or the free slot where it belongs. Requires a free slot.
  std::size_t slot_of(std::string_view text) const noexcept;
  void grow();

  std::string text_;                   // all strings, end to end
  std::vector<std::size_t> begin_{0};  // string i is [begin_[i], begin_[i + 1])
  std::vector<std::uint32_t> slots_;   // linear probing; a power of two of slots, at most half full
};

}  // namespace coppice

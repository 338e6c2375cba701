// A table of lists of 32-bit numbers: each distinct list has a dense id, in the order of first
// arrival. Equal lists have equal ids, so that a key of many parts is compared as one number.
//
// Cost: add is O(length) on average; all lists lie in one buffer. Not to be fed by an adversary
// without a bound on the number of lists: the hash is not keyed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "coppice/base/symbols.h"

namespace coppice {

class NumberLists {
 public:
  // The id of `list`, which is added if it is new. Throws InvalidArgument when there is no 32-bit
  // id left.
  std::uint32_t add(std::span<const std::uint32_t> list) {
    return static_cast<std::uint32_t>(
        bytes_.add({reinterpret_cast<const char*>(list.data()), list.size_bytes()}));
  }

  // The id of `list`, if the table has it.
  std::optional<std::uint32_t> find(std::span<const std::uint32_t> list) const noexcept {
    const auto id = bytes_.find({reinterpret_cast<const char*>(list.data()), list.size_bytes()});
    if (!id) return std::nullopt;
    return static_cast<std::uint32_t>(*id);
  }

  // The length of the list `id`. Requires an id of this table, as at() does.
  std::size_t length(std::uint32_t id) const noexcept {
    return view(id).size() / sizeof(std::uint32_t);
  }
  // The number in place i of the list. Requires i < length(id).
  std::uint32_t at(std::uint32_t id, std::size_t i) const noexcept {
    std::uint32_t number;
    std::memcpy(&number, view(id).data() + i * sizeof number, sizeof number);
    return number;
  }

  std::size_t size() const noexcept { return bytes_.size(); }

 private:
  std::string_view view(std::uint32_t id) const noexcept {
    return bytes_[static_cast<SymbolId>(id)];
  }

  Symbols bytes_;
};

}  // namespace coppice

// Bytes in memory that arrive in pieces, as those of a pipe do.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/byte_source.h"

namespace coppice::testing {

// Requires that the text outlives it, and pieces of at least one byte.
class MemorySource final : public detail::ByteSource {
 public:
  MemorySource(std::string_view text, std::size_t piece) : text_(text), piece_(piece) {}

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t step = std::min({size, piece_, text_.size()});
    if (step > 0) std::memcpy(to, text_.data(), step);
    text_.remove_prefix(step);
    return step;
  }

 private:
  std::string_view text_;
  std::size_t piece_;
};

}  // namespace coppice::testing

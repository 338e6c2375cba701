// The little of UTF-8 that pictures and forest files need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace coppice::detail {

// The code point at `at`, and where the next one begins. Not valid UTF-8 (overlong, surrogate,
// past U+10FFFF, cut off): size is 0.
struct CodePoint {
  std::uint32_t value = 0;
  std::size_t size = 0;
};
CodePoint code_point_at(std::string_view text, std::size_t at) noexcept;

bool is_utf8(std::string_view text) noexcept;

// The longest prefix of at most `bytes` bytes that does not cut a code point of valid text.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes) noexcept;

}  // namespace coppice::detail

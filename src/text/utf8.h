// UTF-8, code point by code point.
//
// Decoding never fails: a byte that begins no valid sequence (a stray continuation, an overlong
// form, a surrogate, anything past U+10FFFF, a sequence cut short) is one U+FFFD of its own, and
// decoding goes on with the next byte. So every string has a length, and every prefix and suffix
// by code points is a substring of the original bytes.
//
// Cost: linear; ASCII takes one comparison a byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace coppice::text {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;
inline constexpr char32_t kLastCodePoint = 0x10FFFF;

struct CodePoint {
  char32_t value;
  std::size_t bytes;  // 1 to 4; 1 for an invalid byte
};

namespace detail {
CodePoint decode_beyond_ascii(std::string_view text, std::size_t at) noexcept;
}

// The code point that begins at byte `at`. Requires at < text.size().
inline CodePoint decode(std::string_view text, std::size_t at) noexcept {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) [[likely]]
    return {byte, 1};
  return detail::decode_beyond_ascii(text, at);
}

// Appends the encoding of `value`; what is no scalar value is appended as U+FFFD.
void append_utf8(char32_t value, std::string& out);

// Calls visit(char32_t) for every code point, in order.
template <class Visit>
void for_each_code_point(std::string_view text, Visit&& visit) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode(text, at);
    visit(point.value);
    at += point.bytes;
  }
}

// The number of code points.
std::size_t count_code_points(std::string_view text) noexcept;

// Whether every byte belongs to a valid sequence.
bool is_valid_utf8(std::string_view text) noexcept;

// The first or last `n` code points; the whole text when it has no more than that.
std::string_view first_code_points(std::string_view text, std::size_t n) noexcept;
std::string_view last_code_points(std::string_view text, std::size_t n) noexcept;

}  // namespace coppice::text

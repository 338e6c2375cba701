#include "text/utf8.h"

#include <array>

namespace coppice::text {

namespace {

constexpr CodePoint kInvalid{kReplacementCharacter, 1};

// The length that a first byte announces; 0 for a byte that cannot begin a sequence.
std::size_t announced_length(unsigned char byte) noexcept {
  if (byte >= 0xC2 && byte <= 0xDF) return 2;
  if (byte >= 0xE0 && byte <= 0xEF) return 3;
  if (byte >= 0xF0 && byte <= 0xF4) return 4;
  return 0;
}

bool is_surrogate(char32_t value) noexcept { return value >= 0xD800 && value <= 0xDFFF; }

}  // namespace

CodePoint detail::decode_beyond_ascii(std::string_view text, std::size_t at) noexcept {
  constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};  // by length
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t length = announced_length(first);
  if (length == 0 || length > text.size() - at) return kInvalid;
  char32_t value = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xC0u) != 0x80u) return kInvalid;
    value = (value << 6) | (byte & 0x3Fu);
  }
  if (value < smallest[length] || value > kLastCodePoint || is_surrogate(value)) return kInvalid;
  return {value, length};
}

void append_utf8(char32_t value, std::string& out) {
  if (value > kLastCodePoint || is_surrogate(value)) value = kReplacementCharacter;
  const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xC0 | (value >> 6));
    put(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    put(0xE0 | (value >> 12));
    put(0x80 | ((value >> 6) & 0x3F));
    put(0x80 | (value & 0x3F));
  } else {
    put(0xF0 | (value >> 18));
    put(0x80 | ((value >> 12) & 0x3F));
    put(0x80 | ((value >> 6) & 0x3F));
    put(0x80 | (value & 0x3F));
  }
}

std::size_t count_code_points(std::string_view text) noexcept {
  std::size_t count = 0;
  for_each_code_point(text, [&count](char32_t) { ++count; });
  return count;
}

bool is_valid_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode(text, at);
    if (point.value == kReplacementCharacter && point.bytes == 1) return false;
    at += point.bytes;
  }
  return true;
}

std::string_view first_code_points(std::string_view text, std::size_t n) noexcept {
  std::size_t at = 0;
  for (; n > 0 && at < text.size(); --n) at += decode(text, at).bytes;
  return text.substr(0, at);
}

std::string_view last_code_points(std::string_view text, std::size_t n) noexcept {
  // Backwards: the last code point begins at the first of the last four bytes from which a
  // sequence reaches the end; a stray byte stands for itself. A sequence never begins inside
  // another, so this finds the boundaries that reading forwards finds.
  std::size_t end = text.size();
  for (; n > 0 && end > 0; --n) {
    std::size_t begin = end - 1;
    for (std::size_t length = 2; length <= 4 && length <= end; ++length) {
      if (static_cast<unsigned char>(text[end - 1]) < 0x80) break;
      if (decode(text.substr(0, end), end - length).bytes == length) begin = end - length;
    }
    end = begin;
  }
  return text.substr(end);
}

}  // namespace coppice::text

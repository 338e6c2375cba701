#include "base/unicode.h"

namespace coppice::detail {

namespace {

// The smallest code point that needs so many bytes.
constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};

unsigned byte_at(std::string_view text, std::size_t at) noexcept {
  return static_cast<unsigned char>(text[at]);
}

bool is_continuation(unsigned byte) noexcept { return (byte & 0xc0u) == 0x80u; }

}  // namespace

CodePoint code_point_at(std::string_view text, std::size_t at) noexcept {
  const unsigned lead = byte_at(text, at);
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + size > text.size()) return {};
  std::uint32_t value = lead & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const unsigned byte = byte_at(text, at + i);
    if (!is_continuation(byte)) return {};
    value = (value << 6) | (byte & 0x3fu);
  }
  const bool is_surrogate = value >= 0xd800 && value < 0xe000;
  if (value < kSmallest[size] || value > 0x10ffff || is_surrogate) return {};
  return {value, size};
}

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = code_point_at(text, at).size;
    if (size == 0) return false;
    at += size;
  }
  return true;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) noexcept {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && is_continuation(byte_at(text, bytes))) --bytes;
  return text.substr(0, bytes);
}

}  // namespace coppice::detail

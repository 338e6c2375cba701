// Little-endian integers, varints and strings in byte buffers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "coppice/base/error.h"

namespace coppice::detail {

inline void append_fixed(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}

// Seven bits a byte, low ones first; the high bit says that more follow.
inline void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

inline void append_string(std::string& out, std::string_view text) {
  append_varint(out, text.size());
  out += text;
}

// Small magnitudes of either sign become small numbers: 0, -1, 1, -2 ... are 0, 1, 2, 3 ...
inline std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
inline std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

// Reads what the functions above wrote. Throws ParseError (E225) with the byte's offset when the
// bytes end too early or say what cannot be.
class ByteCursor {
 public:
  // `offset` is where the bytes begin in their file.
  ByteCursor(std::span<const std::byte> bytes, std::uint64_t offset)
      : bytes_(bytes), offset_(offset) {}

  std::size_t left() const noexcept { return bytes_.size() - at_; }
  std::uint64_t offset() const noexcept { return offset_ + at_; }

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw ParseError(concat("byte ", offset(), ": ", parts...), {.code = "E225"});
  }

  std::uint64_t fixed(int size) {
    std::uint64_t value = 0;
    for (int i = 0; i < size; ++i) value |= std::uint64_t{byte()} << (8 * i);
    return value;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const unsigned next = byte();
      if (shift == 63 && next > 1) break;
      value |= std::uint64_t{next & 0x7fu} << shift;
      if (next < 0x80) return value;
    }
    fail("a number has more than 64 bits");
  }

  // A number below `limit`.
  std::uint32_t below(std::uint64_t limit, const char* what) {
    const std::uint64_t value = varint();
    if (value >= limit) fail(what, " is ", value, ", expected less than ", limit);
    return static_cast<std::uint32_t>(value);
  }

  // The number of things that follow, each of at least `bytes_each` bytes.
  std::size_t count(std::size_t bytes_each, const char* what) {
    const std::uint64_t value = varint();
    if (value > left() / bytes_each) fail(value, " ", what, ", but only ", left(), " bytes left");
    return static_cast<std::size_t>(value);
  }

  std::string_view string() {
    const std::size_t size = count(1, "bytes of text");
    const auto* begin = reinterpret_cast<const char*>(bytes_.data() + at_);
    at_ += size;
    return {begin, size};
  }

  double number() { return std::bit_cast<double>(fixed(8)); }

 private:
  unsigned byte() {
    if (at_ == bytes_.size()) fail("the record ends too early");
    return std::to_integer<unsigned>(bytes_[at_++]);
  }

  std::span<const std::byte> bytes_;
  std::uint64_t offset_;
  std::size_t at_ = 0;
};

}  // namespace coppice::detail

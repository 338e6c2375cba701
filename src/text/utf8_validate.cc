#include "text/utf8_validate.h"

#include <cstdint>
#include <cstring>

namespace coppice::text {

namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080u;

// The length of the well-formed character at `at`, whose first byte is not ASCII; 0 if there is
// none.
std::size_t character_length(const unsigned char* at, std::size_t left) noexcept {
  const unsigned lead = at[0];
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (left < length) return 0;
  // Only the second byte's range depends on the first.
  const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (at[1] < low || at[1] > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((at[i] & 0xc0u) != 0x80u) return 0;
  }
  return length;
}

}  // namespace

std::size_t first_invalid_utf8(std::string_view text) noexcept {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  const std::size_t size = text.size();
  std::size_t i = 0;
  while (i < size) {
    if (size - i >= sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + i, sizeof word);
      if ((word & kHighBits) == 0) {
        i += sizeof word;
        continue;
      }
    }
    if (bytes[i] < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = character_length(bytes + i, size - i);
    if (length == 0) return i;
    i += length;
  }
  return size;
}

}  // namespace coppice::text

// Model files changed by hand. Written from docs/model-format.md, not from the library's structs.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace coppice::testing {

// Places in the header and in an entry of the table.
inline constexpr std::size_t kMajorAt = 8, kMinorAt = 10, kByteOrderAt = 12, kFileSizeAt = 16,
                             kCountAt = 24, kToolAt = 32, kTaskAt = 64, kDigestAt = 96,
                             kTableChecksumAt = 112, kChecksumAt = 120, kTableAt = 128;
inline constexpr std::size_t kEntrySize = 64, kOffsetAt = 24, kStoredAt = 32, kSizeAt = 40,
                             kSectionChecksumAt = 48, kCodecAt = 56, kFlagsAt = 58;

template <class T>
T number_at(const std::string& bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// Writes text and the zeros that fill its field up.
inline void put_text(std::string& bytes, std::size_t at, std::string text, std::size_t capacity) {
  text.resize(capacity, '\0');
  bytes.replace(at, capacity, text);
}

// The same bytes with checksums that fit them, as far as there is room for them: what a forger
// would write, and what a reader must survive.
inline std::string resealed(std::string bytes) {
  if (bytes.size() < kTableAt) return bytes;
  const std::size_t most = (bytes.size() - kTableAt) / kEntrySize;
  const std::size_t count = number_at<std::uint32_t>(bytes, kCountAt);
  for (std::size_t i = 0; i < count && i < most; ++i) {
    const std::size_t entry = kTableAt + i * kEntrySize;
    const auto offset = number_at<std::uint64_t>(bytes, entry + kOffsetAt);
    const auto size = number_at<std::uint64_t>(bytes, entry + kStoredAt);
    if (offset > bytes.size() || size > bytes.size() - offset) continue;
    put(bytes, entry + kSectionChecksumAt, XXH3_64bits(bytes.data() + offset, size));
  }
  if (count <= most)
    put(bytes, kTableChecksumAt, XXH3_64bits(bytes.data() + kTableAt, count * kEntrySize));
  put(bytes, kChecksumAt, XXH3_64bits(bytes.data(), kChecksumAt));
  return bytes;
}

}  // namespace coppice::testing

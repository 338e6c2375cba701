// The bytes of a model file as structs; docs/model-format.md is the same in words.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "coppice/base/model_file.h"

namespace coppice::model_layout {

static_assert(std::endian::native == std::endian::little, "the structs are the file's bytes");

inline constexpr std::uint32_t kByteOrder = 0x01020304;
inline constexpr std::uint16_t kHashedFlag = 1;
// Far beyond any model; it bounds what a forged table can cost.
inline constexpr std::size_t kMaxSections = 1000;

// Keeps its layout in every version, so that any reader can say which version a file has.
struct Header {
  std::array<unsigned char, 8> magic;
  std::uint16_t format_major;
  std::uint16_t format_minor;
  std::uint32_t byte_order;
  std::uint64_t file_size;
  std::uint32_t num_sections;
  std::uint32_t reserved;             // 0
  std::array<char, 32> tool_version;  // texts are filled up with zeros, at least one
  std::array<char, 32> task;
  std::array<unsigned char, 16> digest;
  std::uint64_t table_checksum;
  std::uint64_t checksum;  // of all that stands before it
};
static_assert(sizeof(Header) == 128);

struct Entry {
  std::array<char, 24> name;
  std::uint64_t offset;
  std::uint64_t stored_size;
  std::uint64_t size;
  std::uint64_t checksum;
  std::uint16_t codec;
  std::uint16_t flags;
  std::uint32_t reserved;  // 0
};
static_assert(sizeof(Entry) == 64);

inline constexpr std::size_t kHeaderChecked = offsetof(Header, checksum);

inline std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

inline constexpr std::uint64_t aligned(std::uint64_t offset) {
  return (offset + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

// Whether a name can stand in a field of `capacity` bytes.
inline bool is_name(std::string_view name, std::size_t capacity) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_-.";
  return !name.empty() && name.size() < capacity &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

// The identity of a model, fed with its hashed sections in the order of the file.
class PayloadDigest {
 public:
  explicit PayloadDigest(std::string_view task) {
    XXH3_128bits_reset(&state_);
    add_sized(std::as_bytes(std::span(task)));
  }

  void add(std::string_view name, std::span<const std::byte> content) {
    add_sized(std::as_bytes(std::span(name)));
    add_sized(content);
  }

  std::array<unsigned char, 16> value() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_));
    return std::to_array(canonical.digest);
  }

 private:
  // The length first, so that no two lists of sections feed the same bytes.
  void add_sized(std::span<const std::byte> bytes) {
    const std::uint64_t size = bytes.size();
    XXH3_128bits_update(&state_, &size, sizeof size);
    if (!bytes.empty()) XXH3_128bits_update(&state_, bytes.data(), bytes.size());
  }

  XXH3_state_t state_;
};

inline std::string to_hex(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace coppice::model_layout

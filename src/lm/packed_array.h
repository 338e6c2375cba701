// Whole numbers, and records of n-grams, of a fixed number of bits, end to end; the lowest bit
// first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lm/paged_array.h"
#include "lm/weights.h"

namespace coppice::lm {

// A number is read as eight bytes, so that many lie behind the last one.
inline constexpr std::size_t kPackedPadding = 8;

inline std::size_t packed_bytes(std::uint64_t size, unsigned bits) noexcept {
  return static_cast<std::size_t>((size * bits + 7) / 8) + kPackedPadding;
}

inline unsigned bits_for(std::uint64_t most) noexcept {
  return static_cast<unsigned>(std::bit_width(most));
}

// The number that begins at a bit, and what follows it; the lowest 57 bits are right.
inline std::uint64_t bits_at(const unsigned char* bytes, std::uint64_t bit) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes + bit / 8, sizeof word);
  return word >> (bit % 8);
}

// Numbers of up to 32 bits. Requires packed_bytes(...) bytes.
class PackedView {
 public:
  PackedView() = default;
  PackedView(const unsigned char* bytes, unsigned bits) noexcept
      : bytes_(bytes), bits_(bits), mask_((std::uint64_t{1} << bits) - 1) {}

  std::uint32_t operator[](std::uint64_t i) const noexcept {
    return static_cast<std::uint32_t>(bits_at(bytes_, i * bits_) & mask_);
  }

 private:
  const unsigned char* bytes_ = nullptr;
  unsigned bits_ = 0;
  std::uint64_t mask_ = 0;
};

// N-grams that may have children: two floats, and where the children begin.
class RecordView {
 public:
  // The bits of a record whose children begin at up to `most`.
  static unsigned bits_with(std::uint64_t most) noexcept { return 64 + bits_for(most); }

  RecordView() = default;
  // Requires packed_bytes(...) bytes, and bits of bits_with(...).
  RecordView(const unsigned char* bytes, unsigned bits) noexcept
      : bytes_(bytes), bits_(bits), mask_((std::uint64_t{1} << (bits - 64)) - 1) {}

  Weights weights(std::uint64_t i) const noexcept {
    const std::uint64_t bit = i * bits_;
    return {std::bit_cast<float>(static_cast<std::uint32_t>(bits_at(bytes_, bit))),
            std::bit_cast<float>(static_cast<std::uint32_t>(bits_at(bytes_, bit + 32)))};
  }
  void prefetch(std::uint64_t i) const noexcept { __builtin_prefetch(bytes_ + i * bits_ / 8); }
  std::uint32_t begin(std::uint64_t i) const noexcept {
    return static_cast<std::uint32_t>(bits_at(bytes_, i * bits_ + 64) & mask_);
  }

 private:
  const unsigned char* bytes_ = nullptr;
  unsigned bits_ = 0;
  std::uint64_t mask_ = 0;
};

class PackedBuilder {
 public:
  PackedBuilder(std::uint64_t size, unsigned bits, const Workspace& workspace)
      : bytes_(packed_bytes(size, bits), workspace) {}

  // Requires room, and a value of so many bits.
  void push(std::uint32_t value, unsigned bits) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, &bytes_[bit_ / 8], sizeof word);
    word |= std::uint64_t{value} << (bit_ % 8);
    std::memcpy(&bytes_[bit_ / 8], &word, sizeof word);
    bit_ += bits;
  }
  void push(const Weights& weights) noexcept {
    push(std::bit_cast<std::uint32_t>(weights.prob), 32);
    push(std::bit_cast<std::uint32_t>(weights.backoff), 32);
  }

  const PagedArray<unsigned char>& bytes() const noexcept { return bytes_; }

 private:
  PagedArray<unsigned char> bytes_;
  std::uint64_t bit_ = 0;
};

}  // namespace coppice::lm

// Arrays of whole numbers of a fixed number of bits, end to end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace coppice::lm {

// A number is read as eight bytes, so that many lie behind the last one.
inline constexpr std::size_t kPackedPadding = 8;

inline std::size_t packed_bytes(std::uint64_t size, unsigned bits) noexcept {
  return static_cast<std::size_t>((size * bits + 7) / 8) + kPackedPadding;
}

inline unsigned bits_for(std::uint64_t most) noexcept {
  return static_cast<unsigned>(std::bit_width(most));
}

// Requires at most 57 bits, and packed_bytes(...) bytes.
class PackedView {
 public:
  PackedView() = default;
  PackedView(const unsigned char* bytes, unsigned bits) noexcept
      : bytes_(bytes), bits_(bits), mask_((std::uint64_t{1} << bits) - 1) {}

  std::uint32_t operator[](std::uint64_t i) const noexcept {
    const std::uint64_t bit = i * bits_;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes_ + bit / 8, sizeof word);
    return static_cast<std::uint32_t>((word >> (bit % 8)) & mask_);
  }

 private:
  const unsigned char* bytes_ = nullptr;
  unsigned bits_ = 0;
  std::uint64_t mask_ = 0;
};

class PackedBuilder {
 public:
  PackedBuilder(std::uint64_t size, unsigned bits)
      : bytes_(packed_bytes(size, bits)), bits_(bits) {}

  // Requires room, and a value of so many bits.
  void push(std::uint32_t value) noexcept {
    const std::uint64_t bit = size_++ * bits_;
    std::uint64_t word = 0;
    std::memcpy(&word, &bytes_[bit / 8], sizeof word);
    word |= std::uint64_t{value} << (bit % 8);
    std::memcpy(&bytes_[bit / 8], &word, sizeof word);
  }

  PackedView view() const noexcept { return {bytes_.data(), bits_}; }
  std::vector<unsigned char> take() noexcept { return std::move(bytes_); }

 private:
  std::vector<unsigned char> bytes_;
  unsigned bits_;
  std::uint64_t size_ = 0;
};

}  // namespace coppice::lm

#include "coppice/base/big_count.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "coppice/base/random.h"

namespace coppice {

namespace {

using detail::Uint128;

constexpr std::uint64_t kDecimalChunk = 10'000'000'000'000'000'000u;  // 10^19, the most in a limb
constexpr std::size_t kDigitsPerChunk = 19;

// Divides in place and returns the remainder.
std::uint64_t divide(std::vector<std::uint64_t>& limbs, std::uint64_t divisor) {
  std::uint64_t remainder = 0;
  for (std::size_t i = limbs.size(); i-- > 0;) {
    const Uint128 dividend = (static_cast<Uint128>(remainder) << 64) | limbs[i];
    limbs[i] = static_cast<std::uint64_t>(dividend / divisor);
    remainder = static_cast<std::uint64_t>(dividend % divisor);
  }
  while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
  return remainder;
}

}  // namespace

BigCount BigCount::from_limbs(Limbs limbs) {
  while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
  BigCount result;
  if (limbs.size() > 1) {
    result.limbs_ = std::move(limbs);
  } else if (!limbs.empty()) {
    result.small_ = limbs.front();
  }
  return result;
}

BigCount::Limbs BigCount::limbs() const {
  if (!limbs_.empty()) return limbs_;
  return small_ == 0 ? Limbs{} : Limbs{small_};
}

BigCount BigCount::add_large(const BigCount& a, const BigCount& b) {
  Limbs sum = a.limbs();
  const Limbs other = b.limbs();
  sum.resize(std::max(sum.size(), other.size()) + 1, 0);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const Uint128 digit = static_cast<Uint128>(sum[i]) + (i < other.size() ? other[i] : 0) + carry;
    sum[i] = static_cast<std::uint64_t>(digit);
    carry = static_cast<std::uint64_t>(digit >> 64);
  }
  return from_limbs(std::move(sum));
}

BigCount BigCount::multiply_large(const BigCount& a, const BigCount& b) {
  const Limbs left = a.limbs();
  const Limbs right = b.limbs();
  Limbs product(left.size() + right.size(), 0);
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const Uint128 digit = static_cast<Uint128>(left[i]) * right[j] + product[i + j] + carry;
      product[i + j] = static_cast<std::uint64_t>(digit);
      carry = static_cast<std::uint64_t>(digit >> 64);
    }
    product[i + right.size()] = carry;
  }
  return from_limbs(std::move(product));
}

std::strong_ordering BigCount::operator<=>(const BigCount& other) const noexcept {
  if (fits_uint64() && other.fits_uint64()) return small_ <=> other.small_;
  if (limbs_.size() != other.limbs_.size()) return limbs_.size() <=> other.limbs_.size();
  return std::lexicographical_compare_three_way(limbs_.rbegin(), limbs_.rend(),
                                                other.limbs_.rbegin(), other.limbs_.rend());
}

std::pair<std::uint64_t, std::uint64_t> BigCount::mantissa_and_exponent() const noexcept {
  const std::size_t last = limbs_.size() - 1;
  const int shift = std::countl_zero(limbs_[last]);
  std::uint64_t mantissa = limbs_[last] << shift;
  std::uint64_t rest = limbs_[last - 1];
  if (shift > 0) {
    mantissa |= rest >> (64 - shift);
    rest <<= shift;
  }
  const bool cut = rest != 0 || std::any_of(limbs_.begin(), limbs_.end() - 2,
                                            [](std::uint64_t limb) { return limb != 0; });
  return {mantissa | (cut ? 1u : 0u), 64 * last - static_cast<std::uint64_t>(shift)};
}

double BigCount::to_double() const noexcept {
  if (fits_uint64()) return static_cast<double>(small_);
  const auto [mantissa, exponent] = mantissa_and_exponent();
  if (exponent > 1024) return std::numeric_limits<double>::infinity();
  return std::ldexp(static_cast<double>(mantissa), static_cast<int>(exponent));
}

double BigCount::log() const noexcept {
  if (fits_uint64()) return std::log(static_cast<double>(small_));
  const auto [mantissa, exponent] = mantissa_and_exponent();
  return std::log(static_cast<double>(mantissa)) +
         static_cast<double>(exponent) * std::numbers::ln2;
}

std::string BigCount::to_string() const {
  if (fits_uint64()) return std::to_string(small_);
  Limbs rest = limbs_;
  std::vector<std::string> chunks;
  while (!rest.empty()) chunks.push_back(std::to_string(divide(rest, kDecimalChunk)));
  std::string digits = chunks.back();
  for (std::size_t i = chunks.size() - 1; i-- > 0;) {
    digits.append(kDigitsPerChunk - chunks[i].size(), '0').append(chunks[i]);
  }
  return digits;
}

}  // namespace coppice

#include "lm/radix_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace coppice::lm {

namespace {

using RadixWords = std::span<std::uint32_t>;

constexpr unsigned kMaxDigitBits = 10;

struct Digit {
  std::size_t word;
  unsigned shift;
  std::uint32_t mask;
  std::size_t of(const std::uint32_t* record) const noexcept {
    return (record[word] >> shift) & mask;
  }
};

// Moves the records from one array to the other, sorted by a digit; false when all have the same.
template <std::size_t kStride>
bool radix_pass(RadixWords from, RadixWords to, Digit digit) {
  std::array<std::size_t, std::size_t{1} << kMaxDigitBits> place{};
  for (std::size_t at = 0; at < from.size(); at += kStride) ++place[digit.of(&from[at])];
  const std::size_t records = from.size() / kStride;
  if (place[digit.of(from.data())] == records) return false;
  std::size_t begin = 0;
  for (std::size_t value = 0; value <= digit.mask; ++value) {
    const std::size_t count = place[value];
    place[value] = begin;
    begin += count * kStride;
  }
  for (std::size_t at = 0; at < from.size(); at += kStride) {
    std::size_t& where = place[digit.of(&from[at])];
    std::memcpy(&to[where], &from[at], kStride * sizeof(std::uint32_t));
    where += kStride;
  }
  return true;
}

using RadixPass = bool (*)(RadixWords, RadixWords, Digit);

RadixPass pass_for(std::size_t stride) {
  constexpr std::array<RadixPass, 10> passes = {
      radix_pass<3>, radix_pass<4>, radix_pass<5>,  radix_pass<6>,  radix_pass<7>,
      radix_pass<8>, radix_pass<9>, radix_pass<10>, radix_pass<11>, radix_pass<12>};
  return passes[stride - 3];
}

bool is_sorted_by(RadixWords records, std::size_t stride, std::span<const std::size_t> key) {
  for (std::size_t at = stride; at < records.size(); at += stride) {
    const std::uint32_t* const last = &records[at - stride];
    const std::uint32_t* const next = &records[at];
    const auto differs =
        std::ranges::find_if(key, [&](std::size_t k) { return last[k] != next[k]; });
    if (differs != key.end() && last[*differs] > next[*differs]) return false;
  }
  return true;
}

}  // namespace

void radix_sort(RadixWords records, RadixWords scratch, std::size_t stride,
                std::span<const std::size_t> key) {
  if (records.empty() || is_sorted_by(records, stride, key)) return;
  const RadixPass pass = pass_for(stride);
  RadixWords from = records;
  RadixWords to = scratch.first(records.size());
  for (std::size_t i = key.size(); i-- > 0;) {
    std::uint32_t most = 0;
    for (std::size_t at = key[i]; at < from.size(); at += stride) most = std::max(most, from[at]);
    const auto width = static_cast<unsigned>(std::bit_width(most));
    const unsigned digits = (width + kMaxDigitBits - 1) / kMaxDigitBits;
    for (unsigned d = 0; d < digits; ++d) {
      const unsigned bits = (width + digits - 1) / digits;
      if (pass(from, to, {key[i], d * bits, (std::uint32_t{1} << bits) - 1})) std::swap(from, to);
    }
  }
  if (from.data() != records.data()) std::ranges::copy(from, records.begin());
}

}  // namespace coppice::lm

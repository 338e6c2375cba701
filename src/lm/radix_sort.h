// Stable radix sort of records of 32-bit words, by some of the words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace coppice::lm {

// Sorts `records`, each `stride` words long, by the words at `key`, the most significant first;
// `scratch` has the same size. Requires 3 <= stride <= 12. Cost: two passes over the records for
// each ten bits or less of a word of the key.
void radix_sort(std::span<std::uint32_t> records, std::span<std::uint32_t> scratch,
                std::size_t stride, std::span<const std::size_t> key);

}  // namespace coppice::lm

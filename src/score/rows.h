// Sums of rows of a table: the inner loop of linear scoring, in both directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace coppice {

// out[0 .. stride) = sum over i of values[i] * table[rows[i] * stride ...]; values may be empty,
// which means all ones. Requires stride to be a multiple of 8.
void sum_rows(const float* table, std::size_t stride, std::span<const std::uint32_t> rows,
              std::span<const float> values, float* out);

}  // namespace coppice

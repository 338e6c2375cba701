// Dividing the rows of a node, in parallel and in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/reduce.h"

namespace coppice::trees {

// Moves the rows for which goes_right(row) does not hold to the front, keeps the order within both
// parts, and returns how many stand in front. `buffer` is scratch memory.
template <class GoesRight>
std::size_t stable_partition(std::span<std::uint32_t> rows, std::vector<std::uint32_t>& buffer,
                             const GoesRight& goes_right, const Threads& threads) {
  constexpr std::uint32_t right_mark = 1u << 31;  // rows are below 2^31
  std::vector<std::size_t> left_begin(num_chunks(rows.size()) + 1);
  for_elements(threads, rows.size(), [&](std::size_t begin, std::size_t end) {
    std::size_t left = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const bool is_right = goes_right(rows[i]);
      rows[i] |= is_right ? right_mark : 0;
      left += is_right ? 0 : 1;
    }
    left_begin[begin / kChunkElements + 1] = left;
  });
  for (std::size_t i = 1; i < left_begin.size(); ++i) left_begin[i] += left_begin[i - 1];
  const std::size_t middle = left_begin.back();
  buffer.resize(std::max(buffer.size(), rows.size()));
  for_elements(threads, rows.size(), [&](std::size_t begin, std::size_t end) {
    std::size_t left = left_begin[begin / kChunkElements];
    std::size_t right = middle + (begin - left);
    for (std::size_t i = begin; i < end; ++i) {
      const bool is_right = (rows[i] & right_mark) != 0;
      buffer[is_right ? right : left] = rows[i] & ~right_mark;
      right += is_right ? 1 : 0;
      left += is_right ? 0 : 1;
    }
  });
  for_elements(threads, rows.size(), [&](std::size_t begin, std::size_t end) {
    std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(begin),
              buffer.begin() + static_cast<std::ptrdiff_t>(end),
              rows.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  return middle;
}

}  // namespace coppice::trees

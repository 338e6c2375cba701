// Inner products of a few long vectors with each other, over a part of their coordinates.
//
// Blocks of the vectors are packed to the chosen coordinates and multiplied in the caches. Cost for
// v vectors: one reading of each, and v^2 / 2 multiply-adds a chosen coordinate.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/reduce.h"

namespace coppice::learn {

// A symmetric matrix, its lower triangle row by row.
struct Gram {
  std::vector<double> triangle;

  double at(std::size_t i, std::size_t j) const noexcept {
    if (i < j) std::swap(i, j);
    return triangle[i * (i + 1) / 2 + j];
  }

  Gram& operator+=(const Gram& other) {
    for (std::size_t k = 0; k < triangle.size(); ++k) triangle[k] += other.triangle[k];
    return *this;
  }
};

// The products of `vectors`, and, as the last of the matrix, of the vector last(i), over the i for
// which chosen(i) holds. Sums are double; the same bits for any number of threads.
template <class H, class Last, class Chosen>
Gram gram_of(const std::vector<std::span<const H>>& vectors, const Last& last, const Chosen& chosen,
             const Threads& threads) {
  constexpr std::size_t block_size = 256;
  const std::size_t size = vectors.size() + 1;
  const std::size_t elements = vectors.empty() ? 0 : vectors[0].size();
  const auto of_chunk = [&](std::size_t chunk_begin, std::size_t chunk_end) {
    Gram gram{std::vector<double>(size * (size + 1) / 2)};
    std::vector<double> packed(size * block_size);
    std::array<std::size_t, block_size> places;
    const auto row = [&](std::size_t v) { return packed.data() + v * block_size; };
    for (std::size_t begin = chunk_begin; begin < chunk_end;) {
      std::size_t n = 0;
      for (; begin < chunk_end && n < block_size; ++begin)
        if (chosen(begin)) places[n++] = begin;
      for (std::size_t v = 0; v + 1 < size; ++v)
        for (std::size_t k = 0; k < n; ++k) row(v)[k] = static_cast<double>(vectors[v][places[k]]);
      for (std::size_t k = 0; k < n; ++k) row(size - 1)[k] = last(places[k]);
      for (std::size_t i = 0, at = 0; i < size; ++i)
        for (std::size_t j = 0; j <= i; ++j, ++at)
          gram.triangle[at] +=
              dot(std::span<const double>(row(i), n), std::span<const double>(row(j), n));
    }
    return gram;
  };
  return sum_elements<Gram>(threads, elements, of_chunk);
}

}  // namespace coppice::learn

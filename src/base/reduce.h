// Loops and sums over long vectors: parallel, and the same bits for any number of threads.
//
// A vector is cut into chunks of kChunkElements; the sum of a chunk is taken in a fixed order, and
// the sums of the chunks are added pairwise, in the order of the chunks. Sums are kept in double,
// also over float elements. An empty vector sums to 0.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/threads.h"

namespace coppice {

// 256 KB of float: some hundred chunks in a vector of millions, and cheap beside a task's cost.
inline constexpr std::size_t kChunkElements = std::size_t{1} << 16;

inline std::size_t num_chunks(std::size_t elements) noexcept {
  return (elements + kChunkElements - 1) / kChunkElements;
}

// Calls loop(begin, end) for consecutive pieces of [0, elements), in parallel.
template <class Loop>
void for_elements(const Threads& threads, std::size_t elements, const Loop& loop) {
  threads.for_chunks(num_chunks(elements), [&](std::size_t chunk, unsigned) {
    const std::size_t begin = chunk * kChunkElements;
    loop(begin, std::min(elements, begin + kChunkElements));
  });
}

// Adds neighbours until one is left; the error grows with log n. `Sum` needs operator+=.
// Returns Sum{} for no values.
template <class Sum>
Sum pairwise_sum(std::vector<Sum> values) {
  if (values.empty()) return Sum{};
  for (std::size_t width = 1; width < values.size(); width *= 2)
    for (std::size_t i = 0; i + width < values.size(); i += 2 * width)
      values[i] += values[i + width];
  return values[0];
}

// The sum of partial(begin, end) over the pieces of [0, elements), each taken in parallel.
template <class Sum = double, class Partial>
Sum sum_elements(const Threads& threads, std::size_t elements, const Partial& partial) {
  std::vector<Sum> sums(num_chunks(elements));
  for_elements(threads, elements, [&](std::size_t begin, std::size_t end) {
    sums[begin / kChunkElements] = partial(begin, end);
  });
  return pairwise_sum(std::move(sums));
}

// sum of a[i] * b[i], in one thread. Eight running sums let the compiler use vectors of any width
// up to eight without changing the result.
template <class A, class B>
double dot(std::span<const A> a, std::span<const B> b) {
  constexpr std::size_t num_lanes = 8;
  std::array<double, num_lanes> lanes{};
  std::size_t i = 0;
  for (; i + num_lanes <= a.size(); i += num_lanes)
    for (std::size_t lane = 0; lane < num_lanes; ++lane)
      lanes[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
  double rest = 0;
  for (; i < a.size(); ++i) rest += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return (((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
          ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))) +
         rest;
}

// sum of a[i] * b[i], in parallel. Requires equal sizes; throws InvalidArgument otherwise.
template <class A, class B>
double dot(const Threads& threads, std::span<const A> a, std::span<const B> b) {
  require(a.size() == b.size(), "dot: ", a.size(), " elements against ", b.size());
  return sum_elements(threads, a.size(), [&](std::size_t begin, std::size_t end) {
    return dot(a.subspan(begin, end - begin), b.subspan(begin, end - begin));
  });
}

// y[i] += factor * x[i], in parallel. Requires equal sizes; throws InvalidArgument otherwise.
template <class X, class Y>
void axpy(const Threads& threads, double factor, std::span<const X> x, std::span<Y> y) {
  require(x.size() == y.size(), "axpy: ", x.size(), " elements against ", y.size());
  for_elements(threads, x.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      y[i] = static_cast<Y>(static_cast<double>(y[i]) + factor * static_cast<double>(x[i]));
  });
}

}  // namespace coppice

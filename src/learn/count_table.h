// A function of two counts on a window: a distribution, or a function to be averaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "coppice/forest/split.h"

namespace coppice::learn {

struct CountTable {
  CountTable() = default;
  CountTable(Counts at, std::size_t num_rows, std::size_t num_columns)
      : origin(at), rows(num_rows), columns(num_columns), values(rows * columns) {}

  double& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
  double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
  Counts counts(std::size_t row, std::size_t column) const {
    return origin + Counts{static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column)};
  }

  Counts origin{};
  std::size_t rows = 0;     // of n
  std::size_t columns = 0;  // of d
  std::vector<double> values{};
};

// The distribution of the sum of two independent counts, on the least window that cuts no more than
// `mass`; what is cut is added to `cut`.
CountTable convolve(const CountTable& first, const CountTable& second, double mass, double& cut);

struct Averages {
  CountTable first;
  CountTable second;
};

// f of the sum of two independent counts, averaged over one of them as a function of the other:
// first(x) = sum over a of second(a) f(x + a), and the reverse, on the windows of the two. Where
// x + a is outside the window of f, which should be improbable, some other value of f or 0 is
// taken.
Averages average(const CountTable& f, const CountTable& first, const CountTable& second);

}  // namespace coppice::learn

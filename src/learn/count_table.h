// A function of two counts on a window: a distribution, or a function to be averaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "coppice/forest/split.h"

namespace coppice::learn {

struct CountTable {
  Counts origin{};
  std::size_t rows = 0;     // of n
  std::size_t columns = 0;  // of d
  std::vector<double> values{};

  double& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
  double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
  Counts counts(std::size_t row, std::size_t column) const {
    return origin + Counts{static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column)};
  }
};

// The distribution of the sum of two independent counts.
CountTable convolve(const CountTable& first, const CountTable& second);

// g(x) = sum over a of p(a) f(x + a), for x in the window of `like`. Where x + a is outside the
// window of f, f is taken to be 0.
CountTable correlate(const CountTable& f, const CountTable& p, const CountTable& like);

// Cuts rows and columns at the four sides while what is lost stays within `mass`. Returns the loss.
double trim(CountTable& table, double mass);

}  // namespace coppice::learn

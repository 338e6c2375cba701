#include "learn/count_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "learn/fourier.h"

namespace coppice::learn {

namespace {

// A product by transforms costs about this many steps for each cell and halving.
constexpr double kTransformCost = 12;

// The least window of a result, and whether direct sums are cheaper than transforms of that size.
struct Extent {
  std::size_t rows;
  std::size_t columns;
  bool direct;
};

Extent extent_of(const CountTable& first, const CountTable& second) {
  const std::size_t rows = first.rows + second.rows - 1;
  const std::size_t columns = first.columns + second.columns - 1;
  const auto cells = static_cast<double>(std::bit_ceil(rows) * std::bit_ceil(columns));
  const double direct =
      static_cast<double>(first.values.size()) * static_cast<double>(second.values.size());
  return {rows, columns, direct <= kTransformCost * cells * std::log2(cells + 1)};
}

Spectrum padded(const CountTable& table, const Extent& extent) {
  Spectrum spectrum(std::bit_ceil(extent.rows), std::bit_ceil(extent.columns));
  for (std::size_t r = 0; r < table.rows; ++r) {
    for (std::size_t c = 0; c < table.columns; ++c) {
      spectrum.values[r * spectrum.columns + c] = table.at(r, c);
    }
  }
  return spectrum;
}

CountTable direct_product(const CountTable& first, const CountTable& second, CountTable result) {
  for (std::size_t r = 0; r < first.rows; ++r) {
    for (std::size_t c = 0; c < first.columns; ++c) {
      const double factor = first.at(r, c);
      if (factor == 0) continue;
      for (std::size_t s = 0; s < second.rows; ++s) {
        const double* from = second.values.data() + s * second.columns;
        double* to = &result.at(r + s, c);
        for (std::size_t k = 0; k < second.columns; ++k) to[k] += factor * from[k];
      }
    }
  }
  return result;
}

// The origin is the caller's to set.
CountTable product(const CountTable& first, const CountTable& second) {
  const Extent extent = extent_of(first, second);
  CountTable result{{}, extent.rows, extent.columns, {}};
  result.values.assign(extent.rows * extent.columns, 0.0);
  if (extent.direct) return direct_product(first, second, std::move(result));
  Spectrum left = padded(first, extent), right = padded(second, extent);
  transform(left, Direction::kForward);
  transform(right, Direction::kForward);
  for (std::size_t k = 0; k < left.values.size(); ++k) left.values[k] *= right.values[k];
  transform(left, Direction::kInverse);
  for (std::size_t r = 0; r < result.rows; ++r) {
    for (std::size_t c = 0; c < result.columns; ++c) {
      result.at(r, c) = left.values[r * left.columns + c].real();
    }
  }
  return result;
}

// How many lines at each end may go, when `line(i)` is the mass of line i.
template <class Line>
std::pair<std::size_t, std::size_t> kept_lines(std::size_t lines, double mass, double& lost,
                                               Line line) {
  std::size_t first = 0, last = lines;
  for (double sum = line(first); first + 1 < last && sum <= mass; sum += line(first)) {
    lost += line(first++);
  }
  for (double sum = line(last - 1); first + 1 < last && sum <= mass; sum += line(last - 1)) {
    lost += line(--last);
  }
  return {first, last};
}

}  // namespace

CountTable convolve(const CountTable& first, const CountTable& second) {
  CountTable result = product(first, second);
  result.origin = first.origin + second.origin;
  for (double& value : result.values) value = std::max(value, 0.0);  // what rounding put below
  return result;
}

CountTable correlate(const CountTable& f, const CountTable& p, const CountTable& like) {
  CountTable reversed = p;
  std::reverse(reversed.values.begin(), reversed.values.end());
  const CountTable all = product(f, reversed);
  CountTable result{like.origin, like.rows, like.columns, {}};
  result.values.assign(like.rows * like.columns, 0.0);
  // Row r of `all` stands for n = f.origin.n + r - (p.origin.n + p.rows - 1).
  const auto shift = [](std::uint32_t wanted, std::uint32_t f_at, std::uint32_t p_at,
                        std::size_t size) {
    return static_cast<std::ptrdiff_t>(wanted) - static_cast<std::ptrdiff_t>(f_at) +
           static_cast<std::ptrdiff_t>(p_at) + static_cast<std::ptrdiff_t>(size) - 1;
  };
  const std::ptrdiff_t row = shift(like.origin.n, f.origin.n, p.origin.n, p.rows);
  const std::ptrdiff_t column = shift(like.origin.d, f.origin.d, p.origin.d, p.columns);
  for (std::size_t r = 0; r < like.rows; ++r) {
    const std::ptrdiff_t from_row = row + static_cast<std::ptrdiff_t>(r);
    if (from_row < 0 || from_row >= static_cast<std::ptrdiff_t>(all.rows)) continue;
    for (std::size_t c = 0; c < like.columns; ++c) {
      const std::ptrdiff_t from = column + static_cast<std::ptrdiff_t>(c);
      if (from < 0 || from >= static_cast<std::ptrdiff_t>(all.columns)) continue;
      result.at(r, c) = all.at(static_cast<std::size_t>(from_row), static_cast<std::size_t>(from));
    }
  }
  return result;
}

double trim(CountTable& table, double mass) {
  std::vector<double> by_row(table.rows, 0.0), by_column(table.columns, 0.0);
  for (std::size_t r = 0; r < table.rows; ++r) {
    for (std::size_t c = 0; c < table.columns; ++c) {
      by_row[r] += table.at(r, c);
      by_column[c] += table.at(r, c);
    }
  }
  double lost = 0;
  const auto [top, bottom] =
      kept_lines(table.rows, mass / 4, lost, [&](std::size_t r) { return by_row[r]; });
  const auto [left, right] =
      kept_lines(table.columns, mass / 4, lost, [&](std::size_t c) { return by_column[c]; });
  CountTable kept{table.counts(top, left), bottom - top, right - left, {}};
  kept.values.reserve(kept.rows * kept.columns);
  for (std::size_t r = top; r < bottom; ++r) {
    for (std::size_t c = left; c < right; ++c) kept.values.push_back(table.at(r, c));
  }
  table = std::move(kept);
  return lost;
}

}  // namespace coppice::learn

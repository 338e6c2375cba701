#include "learn/count_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "learn/fourier.h"

namespace coppice::learn {

namespace {

// A transform costs about this many steps of a direct sum for each value and halving.
constexpr double kTransformCost = 2;

// A window, widened to powers of two.
struct Shape {
  Shape(std::size_t least_rows, std::size_t least_columns)
      : rows(std::bit_ceil(least_rows)), columns(std::bit_ceil(least_columns)) {}

  double transform_cost() const {
    const auto size = static_cast<double>(rows * columns);
    return kTransformCost * size * std::log2(size + 1);
  }

  std::size_t rows;
  std::size_t columns;
};

double direct_cost(const CountTable& first, const CountTable& second) {
  return static_cast<double>(first.values.size()) * static_cast<double>(second.values.size());
}

// --- windows -------------------------------------------------------------------------------------

std::vector<double> sums_of_rows(const CountTable& table) {
  std::vector<double> sums(table.rows);
  for (std::size_t r = 0; r < table.rows; ++r) {
    const double* row = table.values.data() + r * table.columns;
    sums[r] = std::accumulate(row, row + table.columns, 0.0);
  }
  return sums;
}

std::vector<double> sums_of_columns(const CountTable& table) {
  std::vector<double> sums(table.columns, 0.0);
  for (std::size_t r = 0; r < table.rows; ++r) {
    for (std::size_t c = 0; c < table.columns; ++c) sums[c] += table.at(r, c);
  }
  return sums;
}

std::vector<double> convolved(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> result(first.size() + second.size() - 1, 0.0);
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (std::size_t k = 0; k < second.size(); ++k) result[i + k] += first[i] * second[k];
  }
  return result;
}

struct Lines {
  std::size_t first;
  std::size_t last;  // the first that is left out again
  std::size_t number() const { return last - first; }
};

// All but the lines at either end that have no more than `mass` together.
Lines kept_lines(const std::vector<double>& sums, double mass, double& cut) {
  Lines lines{0, sums.size()};
  for (double sum = sums[lines.first]; lines.number() > 1 && sum <= mass;
       sum += sums[lines.first]) {
    cut += sums[lines.first++];
  }
  for (double sum = sums[lines.last - 1]; lines.number() > 1 && sum <= mass;
       sum += sums[lines.last - 1]) {
    cut += sums[--lines.last];
  }
  return lines;
}

// --- direct sums ---------------------------------------------------------------------------------

void convolve_directly(const CountTable& first, const CountTable& second, std::size_t top,
                       std::size_t left, CountTable& result) {
  for (std::size_t r = 0; r < first.rows; ++r) {
    for (std::size_t c = 0; c < first.columns; ++c) {
      const double factor = first.at(r, c);
      if (factor == 0) continue;
      for (std::size_t s = top > r ? top - r : 0; s < second.rows && r + s < top + result.rows;
           ++s) {
        for (std::size_t k = left > c ? left - c : 0;
             k < second.columns && c + k < left + result.columns; ++k) {
          result.at(r + s - top, c + k - left) += factor * second.at(s, k);
        }
      }
    }
  }
}

// x + a, as an index into the window of f; as large as can be where it is before the window.
std::size_t index_of(std::uint32_t x, std::uint32_t a, std::uint32_t origin) {
  return static_cast<std::size_t>(x) + a - origin;
}

CountTable average_directly(const CountTable& f, const CountTable& over, const CountTable& like) {
  CountTable result(like.origin, like.rows, like.columns);
  for (std::size_t r = 0; r < like.rows; ++r) {
    for (std::size_t s = 0; s < over.rows; ++s) {
      const std::size_t row = index_of(like.counts(r, 0).n, over.counts(s, 0).n, f.origin.n);
      if (row >= f.rows) continue;
      for (std::size_t k = 0; k < over.columns; ++k) {
        const double factor = over.at(s, k);
        if (factor == 0) continue;
        const std::size_t column = index_of(like.origin.d, over.counts(0, k).d, f.origin.d);
        for (std::size_t c = 0; c < like.columns; ++c) {
          if (column + c < f.columns) result.at(r, c) += factor * f.at(row, column + c);
        }
      }
    }
  }
  return result;
}

// --- by transforms -------------------------------------------------------------------------------

// Convolutions come out cyclic: index i stands for every i + k * period. A window no longer than
// the period is right but for what lies outside it.
std::size_t wrapped(std::size_t index, std::size_t period) { return index & (period - 1); }

enum class Sign : unsigned char { kPlain, kNegated };  // of the indices

void lay_out(const CountTable& table, Sign sign, const Spectrum& shape,
             std::vector<double>& plane) {
  for (std::size_t r = 0; r < table.rows; ++r) {
    const std::size_t row = wrapped(sign == Sign::kPlain ? r : 0 - r, shape.rows);
    for (std::size_t c = 0; c < table.columns; ++c) {
      const std::size_t column = wrapped(sign == Sign::kPlain ? c : 0 - c, shape.columns);
      plane[row * shape.columns + column] += table.at(r, c);
    }
  }
}

// The window that begins at (top, left) of what comes after itself again and again.
void read_off(const Spectrum& shape, const std::vector<double>& plane, std::size_t top,
              std::size_t left, CountTable& result) {
  for (std::size_t r = 0; r < result.rows; ++r) {
    const std::size_t row = wrapped(top + r, shape.rows);
    for (std::size_t c = 0; c < result.columns; ++c) {
      result.at(r, c) = plane[row * shape.columns + wrapped(left + c, shape.columns)];
    }
  }
}

void convolve_by_transforms(const CountTable& first, const CountTable& second, std::size_t top,
                            std::size_t left, const Shape& shape, CountTable& result) {
  Spectrum spectrum(shape.rows, shape.columns);
  lay_out(first, Sign::kPlain, spectrum, spectrum.real);
  lay_out(second, Sign::kPlain, spectrum, spectrum.imaginary);
  forward(spectrum);
  square(spectrum);
  inverse(spectrum);
  read_off(spectrum, spectrum.imaginary, top, left, result);
  for (double& value : result.values) value = std::max(value / 2, 0.0);  // not what rounding left
}

Averages average_by_transforms(const CountTable& f, const CountTable& first,
                               const CountTable& second, const Shape& shape) {
  Spectrum function(shape.rows, shape.columns), both(shape.rows, shape.columns);
  lay_out(f, Sign::kPlain, function, function.real);
  lay_out(second, Sign::kNegated, both, both.real);
  lay_out(first, Sign::kNegated, both, both.imaginary);
  forward(function);
  forward(both);
  multiply(both, function);
  inverse(both);
  const std::size_t top = index_of(first.origin.n, second.origin.n, f.origin.n);
  const std::size_t left = index_of(first.origin.d, second.origin.d, f.origin.d);
  Averages result{{first.origin, first.rows, first.columns},
                  {second.origin, second.rows, second.columns}};
  read_off(both, both.real, top, left, result.first);
  read_off(both, both.imaginary, top, left, result.second);
  return result;
}

}  // namespace

CountTable convolve(const CountTable& first, const CountTable& second, double mass, double& cut) {
  const Lines rows =
      kept_lines(convolved(sums_of_rows(first), sums_of_rows(second)), mass / 4, cut);
  const Lines columns =
      kept_lines(convolved(sums_of_columns(first), sums_of_columns(second)), mass / 4, cut);
  CountTable result(
      first.origin + second.origin +
          Counts{static_cast<std::uint32_t>(rows.first), static_cast<std::uint32_t>(columns.first)},
      rows.number(), columns.number());
  const Shape shape(result.rows, result.columns);
  if (direct_cost(first, second) <= 2 * shape.transform_cost()) {
    convolve_directly(first, second, rows.first, columns.first, result);
  } else {
    convolve_by_transforms(first, second, rows.first, columns.first, shape, result);
  }
  return result;
}

Averages average(const CountTable& f, const CountTable& first, const CountTable& second) {
  const Shape shape(std::max({f.rows, first.rows, second.rows}),
                    std::max({f.columns, first.columns, second.columns}));
  if (2 * direct_cost(first, second) <= 3 * shape.transform_cost()) {
    return {average_directly(f, second, first), average_directly(f, first, second)};
  }
  return average_by_transforms(f, first, second, shape);
}

}  // namespace coppice::learn

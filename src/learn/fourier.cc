#include "learn/fourier.h"

#include <algorithm>
#include <bit>
#include <numbers>

#include "coppice/base/assert.h"

namespace coppice::learn {

namespace {

using Complex = std::complex<double>;

// e^{-2 pi i k / size}, or its conjugates.
std::vector<Complex> roots_of_unity(std::size_t size, Direction direction) {
  std::vector<Complex> roots(size / 2);
  const double sign = direction == Direction::kForward ? -1 : 1;
  for (std::size_t k = 0; k < roots.size(); ++k) {
    const double angle =
        sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size);
    roots[k] = std::polar(1.0, angle);
  }
  return roots;
}

Complex product(Complex a, Complex b) {  // without the checks for infinities
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Cooley and Tukey (1965), in place: bits reversed, then butterflies.
void transform_row(Complex* row, std::size_t size, const std::vector<Complex>& roots) {
  for (std::size_t i = 1, j = 0; i < size; ++i) {
    std::size_t bit = size >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(row[i], row[j]);
  }
  for (std::size_t half = 1; half < size; half *= 2) {
    const std::size_t step = size / (2 * half);
    for (std::size_t begin = 0; begin < size; begin += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const Complex even = row[begin + k];
        const Complex odd = product(row[begin + half + k], roots[k * step]);
        row[begin + k] = even + odd;
        row[begin + half + k] = even - odd;
      }
    }
  }
}

}  // namespace

void transform(Spectrum& spectrum, Direction direction) {
  const std::size_t rows = spectrum.rows, columns = spectrum.columns;
  COPPICE_ASSERT(std::has_single_bit(rows) && std::has_single_bit(columns));
  const auto row_roots = roots_of_unity(columns, direction);
  for (std::size_t r = 0; r < rows; ++r) {
    transform_row(spectrum.values.data() + r * columns, columns, row_roots);
  }
  const auto column_roots = roots_of_unity(rows, direction);
  std::vector<Complex> column(rows);
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows; ++r) column[r] = spectrum.values[r * columns + c];
    transform_row(column.data(), rows, column_roots);
    for (std::size_t r = 0; r < rows; ++r) spectrum.values[r * columns + c] = column[r];
  }
  if (direction == Direction::kForward) return;
  const double factor = 1 / static_cast<double>(rows * columns);
  for (Complex& value : spectrum.values) value *= factor;
}

}  // namespace coppice::learn

// Fast Fourier transforms in two dimensions, of sizes that are powers of two.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace coppice::learn {

// A table of rows x columns, row by row.
struct Spectrum {
  Spectrum(std::size_t num_rows, std::size_t num_columns)
      : rows(num_rows), columns(num_columns), values(rows * columns) {}

  std::size_t rows;
  std::size_t columns;
  std::vector<std::complex<double>> values;
};

enum class Direction : unsigned char { kForward, kInverse };

// In place; the inverse divides by the size. Requires powers of two.
void transform(Spectrum& spectrum, Direction direction);

}  // namespace coppice::learn

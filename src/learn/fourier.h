// Fast Fourier transforms in two dimensions, of sizes that are powers of two, for convolutions.
#pragma once

#include <cstddef>
#include <vector>

namespace coppice::learn {

// Complex numbers, rows x columns, row by row, in two planes.
struct Spectrum {
  Spectrum(std::size_t num_rows, std::size_t num_columns)
      : rows(num_rows), columns(num_columns), real(rows * columns), imaginary(rows * columns) {}

  std::size_t rows;
  std::size_t columns;
  std::vector<double> real;
  std::vector<double> imaginary;
};

// In place, in an order of frequencies of its own: what is done to each value alone (a product with
// another spectrum, a square) is right all the same. Requires powers of two.
// Cost: 2.5 log2(rows * columns) multiplications and additions of reals for each value.
void forward(Spectrum& spectrum);

// Undoes forward.
void inverse(Spectrum& spectrum);

// first *= second, value by value.
void multiply(Spectrum& first, const Spectrum& second);

// Each value by itself: of a + i b with real a and b, the imaginary part is then twice that of a
// convolved with b.
void square(Spectrum& spectrum);

}  // namespace coppice::learn

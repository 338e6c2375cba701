#include "learn/fourier.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "coppice/base/assert.h"

namespace coppice::learn {

namespace {

constexpr std::size_t kStrip = 16;  // columns that are transformed together: they stay in cache

struct Roots {  // e^{-2 pi i k / size} for k < size / 2
  explicit Roots(std::size_t size) : cosine(size / 2), sine(size / 2) {
    for (std::size_t k = 0; k < size / 2; ++k) {
      const double angle =
          -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size);
      cosine[k] = std::cos(angle);
      sine[k] = std::sin(angle);
    }
  }

  std::vector<double> cosine;
  std::vector<double> sine;
};

// Parts of two rows of a spectrum, and the root that they are joined with.
struct Butterfly {
  double* __restrict real;
  double* __restrict imaginary;
  double* __restrict other_real;
  double* __restrict other_imaginary;
  double cosine;
  double sine;
};

// (x, y) -> (x + y, (x - y) w): Gentleman and Sande (1966), from order to bit-reversed order.
void fold(const Butterfly& b, std::size_t width) {
  for (std::size_t c = 0; c < width; ++c) {
    const double real = b.real[c] - b.other_real[c];
    const double imaginary = b.imaginary[c] - b.other_imaginary[c];
    b.real[c] += b.other_real[c];
    b.imaginary[c] += b.other_imaginary[c];
    b.other_real[c] = real * b.cosine - imaginary * b.sine;
    b.other_imaginary[c] = real * b.sine + imaginary * b.cosine;
  }
}

// (x, y) -> (x + y w*, x - y w*): Cooley and Tukey (1965), from bit-reversed order to order.
void unfold(const Butterfly& b, std::size_t width) {
  for (std::size_t c = 0; c < width; ++c) {
    const double real = b.other_real[c] * b.cosine + b.other_imaginary[c] * b.sine;
    const double imaginary = b.other_imaginary[c] * b.cosine - b.other_real[c] * b.sine;
    b.other_real[c] = b.real[c] - real;
    b.other_imaginary[c] = b.imaginary[c] - imaginary;
    b.real[c] += real;
    b.imaginary[c] += imaginary;
  }
}

// One stage on a strip of columns: rows `half` apart are joined, in groups of 2 * half.
template <class Join>
void stage(Spectrum& spectrum, std::size_t left, std::size_t half, const Roots& roots, Join join) {
  const std::size_t width = std::min(kStrip, spectrum.columns - left);
  const std::size_t step = spectrum.rows / (2 * half);
  for (std::size_t begin = 0; begin < spectrum.rows; begin += 2 * half) {
    for (std::size_t k = 0; k < half; ++k) {
      const std::size_t one = (begin + k) * spectrum.columns + left;
      const std::size_t two = one + half * spectrum.columns;
      join(Butterfly{&spectrum.real[one], &spectrum.imaginary[one], &spectrum.real[two],
                     &spectrum.imaginary[two], roots.cosine[k * step], roots.sine[k * step]},
           width);
    }
  }
}

// Each column by itself.
void forward_columns(Spectrum& spectrum) {
  const Roots roots(spectrum.rows);
  for (std::size_t left = 0; left < spectrum.columns; left += kStrip) {
    for (std::size_t half = spectrum.rows / 2; half > 0; half /= 2) {
      stage(spectrum, left, half, roots, fold);
    }
  }
}

void inverse_columns(Spectrum& spectrum) {
  const Roots roots(spectrum.rows);
  for (std::size_t left = 0; left < spectrum.columns; left += kStrip) {
    for (std::size_t half = 1; half < spectrum.rows; half *= 2) {
      stage(spectrum, left, half, roots, unfold);
    }
  }
}

std::vector<double> transposed(const std::vector<double>& values, std::size_t rows,
                               std::size_t columns) {
  constexpr std::size_t kTile = 16;
  std::vector<double> result(values.size());
  for (std::size_t top = 0; top < rows; top += kTile) {
    for (std::size_t left = 0; left < columns; left += kTile) {
      for (std::size_t r = top; r < std::min(top + kTile, rows); ++r) {
        for (std::size_t c = left; c < std::min(left + kTile, columns); ++c) {
          result[c * rows + r] = values[r * columns + c];
        }
      }
    }
  }
  return result;
}

void transpose(Spectrum& spectrum) {
  spectrum.real = transposed(spectrum.real, spectrum.rows, spectrum.columns);
  spectrum.imaginary = transposed(spectrum.imaginary, spectrum.rows, spectrum.columns);
  std::swap(spectrum.rows, spectrum.columns);
}

}  // namespace

void forward(Spectrum& spectrum) {
  COPPICE_ASSERT(std::has_single_bit(spectrum.rows) && std::has_single_bit(spectrum.columns));
  forward_columns(spectrum);
  transpose(spectrum);
  forward_columns(spectrum);
}

void inverse(Spectrum& spectrum) {
  inverse_columns(spectrum);
  transpose(spectrum);
  inverse_columns(spectrum);
  const double factor = 1 / static_cast<double>(spectrum.real.size());
  for (double& value : spectrum.real) value *= factor;
  for (double& value : spectrum.imaginary) value *= factor;
}

void multiply(Spectrum& first, const Spectrum& second) {
  COPPICE_ASSERT(first.rows == second.rows && first.columns == second.columns);
  for (std::size_t i = 0; i < first.real.size(); ++i) {
    const double real = first.real[i], imaginary = first.imaginary[i];
    first.real[i] = real * second.real[i] - imaginary * second.imaginary[i];
    first.imaginary[i] = real * second.imaginary[i] + imaginary * second.real[i];
  }
}

void square(Spectrum& spectrum) {
  for (std::size_t i = 0; i < spectrum.real.size(); ++i) {
    const double real = spectrum.real[i], imaginary = spectrum.imaginary[i];
    spectrum.real[i] = real * real - imaginary * imaginary;
    spectrum.imaginary[i] = 2 * real * imaginary;
  }
}

}  // namespace coppice::learn

// IBM model 2 with one parameter: links near the diagonal are likelier.
//
//     p(no link) = p0,   p(a_j = i) = (1 - p0) exp(lambda h(i, j)) / Z(j),
//     h(i, j) = -|i / I - j / J|,   Z(j) = sum over i = 1..I of exp(lambda h(i, j))
//
// Positions i, j count from 1; I and J are the lengths. Z and its derivative by lambda are sums of
// two geometric series, so they take O(1). Maximisation finds the best lambda in [0.1, 20] by
// bisection: the expected log-likelihood is concave in it.
//
// Dyer, Chahuneau and Smith (2013), "A simple, fast, and effective reparameterization of IBM
// model 2".
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "coppice/align/bitext.h"
#include "coppice/align/positions.h"

namespace coppice::align {

// Z(j), and the mean of h under exp(lambda h) / Z, which is the derivative of ln Z.
struct DiagonalSum {
  double sum = 0;
  double mean = 0;
};
// Requires 1 <= j <= J, 1 <= I and lambda > 0.
DiagonalSum diagonal_sum(double lambda, std::size_t j, std::size_t sources, std::size_t targets);

class DiagonalPositions final : public Positions {
 public:
  static constexpr double kMinTension = 0.1, kMaxTension = 20;

  // For inference alone. Throws InvalidArgument unless 0 <= p0 < 1 and lambda is in its range.
  DiagonalPositions(double null_probability, double tension);
  // For training on these sentences too.
  DiagonalPositions(double null_probability, double tension, const BitextSide& source,
                    const BitextSide& target);

  double infer(LinkMatrix& matrix, FixedSums* sums) const override;
  // The sum of -h over links, then the number of links of each target position of each shape.
  std::size_t num_sums() const noexcept override { return num_sums_; }
  void maximise(const FixedSums& sums) override;
  std::vector<double> parameters() const override { return {null_probability_, tension_}; }

  double tension() const noexcept { return tension_; }

 private:
  // The lengths of a pair, and where the sums of its target positions begin.
  struct Shape {
    std::uint32_t sources = 0;
    std::uint32_t targets = 0;
    std::size_t first_sum = 0;
  };
  const Shape& shape(std::size_t sources, std::size_t targets) const;

  double null_probability_;
  double tension_;
  std::vector<Shape> shapes_;  // sorted
  std::size_t num_sums_ = 0;
};

}  // namespace coppice::align

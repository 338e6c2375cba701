// Stochastic steps on a linear potential, one token's derivatives at a time.
//
// AdaGrad with one step length a row (a column of the design matrix with all of its labels):
//
//     G[r] += |d|^2,   w[r][y] <- shrink( w[r][y] - step / sqrt(G[r]) * value * d[y] )
//
// for the rows on at the token, where d are the derivatives by the token's scores. The penalty is
// taken in equal shares at the tokens where the row is on, so that a step costs what it touches.
// It brings the weights near the optimum in a few passes; the last digits are L-BFGS's. Without
// adapting (G[r] = 1 for good) the steps are those of plain stochastic gradient descent.
//
// Cost of a token: one row update a dense column, one scalar update a label of a short one.
// Duchi et al. (2011), "Adaptive subgradient methods", JMLR 12.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "score/linear.h"

namespace coppice {

struct RowAdaGradOptions {
  double step = 0.4;
  double l1 = 0;
  double l2 = 0;
  bool adaptive = true;
};

class RowAdaGrad {
 public:
  // `potential` must outlive this.
  RowAdaGrad(const LinearPotential& potential, RowAdaGradOptions options);

  // Moves the weights of the rows on at `token`. `derivatives` has stride() floats.
  void update(std::size_t token, const float* derivatives, std::span<float> weights);

  // For the updates to come.
  void set_step(double step) noexcept { options_.step = step; }

  // The sums of squares: all there is to save and restore.
  std::span<float> sums() noexcept { return sums_; }

 private:
  // What the penalty takes of a row at each of its tokens, for a step of 1.
  struct Share {
    float l1, l2;
  };

  const LinearPotential& potential_;
  RowAdaGradOptions options_;
  // By row for dense rows, then by first parameter for lists (their other slots are unused).
  std::vector<float> sums_;
  std::vector<Share> shares_;
};

}  // namespace coppice

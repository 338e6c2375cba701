// The log-loss of one yes or no, for scores of any size, and products that take 0 times infinity
// for 0.
#pragma once

#include <algorithm>
#include <cmath>

namespace coppice::learn {

struct LogLoss {
  double value = 0;       // -ln sigma(score) where yes is right, -ln sigma(-score) where no is
  double derivative = 0;  // by the score
};

inline LogLoss log_loss(double score, bool is_right) noexcept {
  const double toward = is_right ? score : -score;
  const double small = std::exp(-std::abs(toward));
  const double wrong = (toward > 0 ? small : 1) / (1 + small);
  return {std::max(-toward, 0.0) + std::log1p(small), is_right ? -wrong : wrong};
}

// count * score, 0 where the count is 0 even if the score is -inf.
inline double expected_score(double count, double score) noexcept {
  return count == 0 ? 0 : count * score;
}

}  // namespace coppice::learn

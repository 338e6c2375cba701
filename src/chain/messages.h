// Forward and backward messages of a chain of order 0 or 1 as logarithms, in double: for questions
// about single paths, spans and labels that posteriors alone do not answer.
//
//     forward[t][y]  = ln  sum over y_0 .. y_{t-1} of  exp( scores of tokens 0 .. t, y_t = y )
//     backward[t][y] = ln  sum over y_{t+1} .. of      exp( scores of tokens t + 1 .. , y_t = y )
//
// where scores are those of labels and of pairs (chain/kernel.h), so that for every t
//
//     ln p(y_t = y) = forward[t][y] + backward[t][y] - ln Z.
//
// A label that no path reaches has -inf. They never overflow or underflow.
//
// Cost of a token: L exponentials and logarithms and L^2 multiply-adds in each direction; L^2 of
// each where the sums would underflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "chain/edge_kernel.h"
#include "chain/kernel.h"

namespace coppice::chain {

class Messages {
 public:
  Messages() = default;
  // `scores` has `length` rows of transitions.stride() floats. Reuses memory.
  void compute(const float* scores, std::size_t length, const Transitions& transitions);

  // Of scores of label pairs that differ from token to token. Costs L^2 exponentials a token.
  void compute(const EdgeShape& shape, std::span<const float> scores, std::size_t length);

  std::size_t length() const noexcept { return length_; }
  std::span<const double> forward(std::size_t token) const noexcept {
    return std::span(forward_).subspan(token * labels_, labels_);
  }
  std::span<const double> backward(std::size_t token) const noexcept {
    return std::span(backward_).subspan(token * labels_, labels_);
  }
  // ln Z; 0 for an empty sentence, -inf when every path is forbidden.
  double log_partition() const noexcept { return log_z_; }

 private:
  std::size_t length_ = 0;
  std::size_t labels_ = 0;
  std::vector<double> forward_, backward_;
  double log_z_ = 0;
};

// ln of the sum of exp(terms); -inf for none.
double log_sum(std::span<const double> terms);

// The probability that tokens [begin, begin + labels.size()) have these labels, whatever the others
// have. Requires that the tokens exist and that `messages` are of these scores. O(labels.size()).
double segment_probability(const Messages& messages, const float* scores,
                           const Transitions& transitions, std::size_t begin,
                           std::span<const std::uint16_t> labels);

}  // namespace coppice::chain

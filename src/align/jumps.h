// The hidden Markov model: a link is likely near the link of the target word before.
//
//     p(a_j = i | last link q) = (1 - p0) c(i - q) / Z(q, I),   Z(q, I) = sum over i of c(i - q)
//     p(no link) = p0
//
// Positions count from 0, I is the length of the source sentence, and q is the source position of
// the last linked word before j, -1 at the start: words without a link leave it as it is (Och and
// Ney). The scores c of jumps from -M to M are shared by all positions and lengths, and normalised
// over the positions that there are; jumps beyond M have the score of M.
//
// Maximisation: the expected log-likelihood of such choices among a few has no closed maximum, but
// the steps c(d) <- N(d) / sum over (q, I) where d is possible of n(q, I) / Z(q, I) never lower it
// (N(d): expected jumps by d; n(q, I): expected jumps from q; Hunter 2004).
//
// Cost of inference: O(J I^2) time, O(J I) memory.
// Vogel, Ney and Tillmann (1996), "HMM-based word alignment in statistical translation"; Hunter
// (2004), "MM algorithms for generalized Bradley-Terry models".
#pragma once

#include <vector>

#include "coppice/align/positions.h"

namespace coppice::align {

class JumpPositions final : public Positions {
 public:
  // All jumps have one score. `longest`: of the source sentences of training. Throws
  // InvalidArgument unless 0 < p0 < 1 and longest >= 1.
  JumpPositions(double null_probability, std::size_t longest);
  // Scores of the jumps from -M to M. Throws InvalidArgument unless they are positive and finite
  // and there is an odd number of them, three or more.
  JumpPositions(double null_probability, std::vector<double> scores);

  double infer(LinkMatrix& matrix, FixedSums* sums) const override;
  // N of all jumps, then n of all positions of all lengths.
  std::size_t num_sums() const noexcept override;
  void maximise(const FixedSums& sums) override;
  // p0, then the scores.
  std::vector<double> parameters() const override;

  // c(d).
  double score(std::ptrdiff_t jump) const noexcept;

 private:
  std::ptrdiff_t largest() const noexcept {
    return static_cast<std::ptrdiff_t>(scores_.size() / 2);
  }
  // Where n(-1, I) stands in the sums.
  std::size_t first_context(std::size_t sources) const noexcept {
    return scores_.size() + sources * (sources + 1) / 2;
  }
  std::vector<double> step(const FixedSums& sums) const;

  double null_probability_;
  std::vector<double> scores_;
};

}  // namespace coppice::align

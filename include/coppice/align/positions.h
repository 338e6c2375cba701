// Where the translation of a word stands: the part of an aligner that is not lexical.
//
// Given t(f | e) of all words of a pair of sentences, a model of positions makes posteriors of
// links of it:
//
//     UniformPositions    every link is as likely as another (IBM model 1)
//     DiagonalPositions   links near the diagonal are likelier (diagonal.h)
//     JumpPositions       links near the link of the word before are likelier (jumps.h)
//
// Brown et al. (1993), "The mathematics of statistical machine translation".
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "coppice/align/fixed_sums.h"
#include "coppice/align/link_matrix.h"

namespace coppice::align {

class Positions {
 public:
  virtual ~Positions() = default;

  // Replaces lexical probabilities by posteriors, and returns ln p(target sentence | source
  // sentence). With `sums`, adds what maximise() needs. Requires positive probabilities.
  // Threads: may be called at once, also for the same sums.
  virtual double infer(LinkMatrix& matrix, FixedSums* sums) const = 0;

  // The size of the sums; 0 when there is nothing to learn.
  virtual std::size_t num_sums() const noexcept { return 0; }
  // Takes the parameters with a higher expected log-likelihood, given the sums of all sentences.
  virtual void maximise(const FixedSums& /*sums*/) {}

  // All there is to know, for a model file.
  virtual std::vector<double> parameters() const { return {}; }
};

// Of one target word, whose link may be any or none: p(link to i) = 1 / (I + 1).
class UniformPositions final : public Positions {
 public:
  double infer(LinkMatrix& matrix, FixedSums* sums) const override;
};

// Divides by the sum, and returns the sum.
double normalise(std::span<double> values) noexcept;

}  // namespace coppice::align

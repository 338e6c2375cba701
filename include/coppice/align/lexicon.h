// The lexical part of the aligners that are trained by expectation maximisation: t(f | e), the
// probability that the source word e is translated by f, for all pairs that occur together in some
// pair of sentences. Source word "no word" is one of the source words.
//
//     t(f | e) = c(f, e) / sum over f' of c(f', e)                                maximum
//     likelihood t(f | e) = exp digamma(c(f, e) + a) / exp digamma(sum of c(., e) + a n(e))
//     variational Bayes
//
// where c are expected counts, a is the prior of a Dirichlet distribution and n(e) the number of
// words that e occurs with. The second one spares rare words from explaining everything around
// them. A probability is never below kSmallest, nor is that of a pair that has none.
//
// Cost: some 45 bytes for each pair of words.
// Brown et al. (1993), "The mathematics of statistical machine translation"; Johnson (2007), "Why
// doesn't EM find good HMM POS-taggers?".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/align/bitext.h"
#include "coppice/align/fixed_sums.h"
#include "coppice/align/link_matrix.h"
#include "coppice/align/pair_table.h"
#include "coppice/base/threads.h"

namespace coppice::align {

// A probability or a count that a model file keeps.
struct LexicalEntry {
  std::uint32_t target = 0;
  std::uint32_t source = 0;
  float value = 0;
};

class Lexicon {
 public:
  static constexpr double kSmallest = 1e-12;

  // All pairs of the bitext, each with the probability 1 / (number of target words).
  Lexicon(const BitextSide& source, const BitextSide& target);
  // What entries() gave. Requires words below the sizes.
  Lexicon(std::size_t num_sources, std::size_t num_targets, std::span<const LexicalEntry> entries);

  // The number of source words with "no word", which is the last.
  std::size_t num_sources() const noexcept { return num_sources_; }
  std::size_t num_targets() const noexcept { return table_.num_rows(); }
  double probability(std::uint32_t target, std::uint32_t source) const noexcept;

  // Fills the matrix. Words may be any numbers; those that the lexicon does not know have the
  // probability kSmallest.
  void look_up(std::span<const std::uint32_t> source, std::span<const std::uint32_t> target,
               LinkMatrix& matrix) const;

  // Adds posteriors to the counts. Requires words of the lexicon. Threads: may be called at once.
  void count(std::span<const std::uint32_t> source, std::span<const std::uint32_t> target,
             const LinkMatrix& posteriors);
  // Sets the probabilities by the counts, and those to 0. With prior 0 by maximum likelihood.
  void maximise(double prior, const Threads& threads);

  // The pairs with a probability of at least `smallest`, by target, then by source.
  std::vector<LexicalEntry> entries(double smallest) const;

 private:
  struct Entry {
    std::uint32_t key = 0;
    float probability = 0;
    std::uint64_t count = 0;  // fixed point, see fixed_sums.h
  };
  using Table = PairTable<Entry>;

  double probability(const Table::Row& row, std::uint32_t source) const noexcept;

  std::size_t num_sources_;
  Table table_;
  std::vector<std::uint32_t> num_partners_;  // of each source word
};

// d/dx ln gamma(x). Requires x > 0.
double digamma(double x) noexcept;

}  // namespace coppice::align

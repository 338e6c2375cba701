// The Bayesian hidden Markov model with fertility, sampled: one direction, one Markov chain.
//
// The links a of all sentences have, with every parameter integrated out, the probability
//
//     p(f, a | e)  proportional to  the product over target words of p0 (no link) or 1 - p0
//                  x  Polya(words f linked to each source word e;  alpha for each word)
//                  x  Polya(jumps between linked words;            gamma for each jump)
//                  x  Polya(fertilities of each source word e;     kappa for each fertility)
//
// where Polya is the Dirichlet-multinomial distribution. "No word" is a source word without
// fertilities. Jumps are those between the source positions of linked target words, from -1 before
// the sentence to its length behind it. A fertility is the number of links of an occurrence;
// kFertilities - 1 stands for as many or more. A sweep draws the link of each target word in turn
// from its distribution given all other links, which takes a few multiplications for each source
// word of the sentence:
//
//     (n(f, e) + alpha) / (n(e) + alpha V)  x  (g(in) + gamma) (g(out) + gamma + [in = out])
//     x  (m(e, phi + 1) + kappa) / (m(e, phi) - 1 + kappa)
//
// (counts without the word itself; phi is the fertility of the occurrence without it).
//
// Cost of a sweep: some 40 ns for each target word and source sentence of 8 words; memory, 2 bytes
// for each target word and 16 to 32 for each pair of words that are linked.
// Ostling and Tiedemann (2016), "Efficient word alignment with Markov chain Monte Carlo".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "coppice/align/bitext.h"
#include "coppice/align/lexicon.h"
#include "coppice/align/link_matrix.h"
#include "coppice/align/pair_table.h"
#include "coppice/base/random.h"

namespace coppice::align {

inline constexpr std::size_t kFertilities = 7;

// The priors.
struct GibbsPriors {
  double null_probability = 0.2;  // p0
  double lexical = 0.001;         // alpha
  double null_lexical = 0.001;    // alpha of "no word"
  double jump = 0.5;              // gamma
  std::array<double, kFertilities> fertility{0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};  // kappa
};

// Which factors of the distribution a sweep uses: starting with all of them would end in a poor
// place. Earlier stages ignore what they leave out.
enum class GibbsStage { kLexical, kJumps, kFertility };

// Counts of one direction, of a chain or the mean of several: all that aligning new text needs.
struct GibbsCounts {
  std::vector<LexicalEntry> links;  // of pairs of words, by target, then by source
  std::vector<float> jumps;         // from -M to M
  std::vector<std::array<float, kFertilities>> fertilities;  // of each source word
};

class GibbsChain {
 public:
  // Refers to the sentences. No word has a link.
  GibbsChain(const BitextSide& source, const BitextSide& target, const GibbsPriors& priors,
             Random random);

  // Draws every link once. The first sweep counts words as they get their link.
  void sweep(GibbsStage stage);
  // The same for sentence k alone, adding the distributions drawn from to the matrix. Requires that
  // there has been a sweep, and a matrix of the sentence's size.
  void resample(std::size_t k, LinkMatrix& sum);

  // The share of links that the last sweep changed.
  double changed() const noexcept;
  // Of sentence k: source positions, or kUnlinked.
  std::vector<std::uint32_t> links(std::size_t k) const;
  // The distribution of the link of word j of sentence k, given all others.
  std::vector<double> conditional(GibbsStage stage, std::size_t k, std::size_t j);

  // Adds the counts divided by `chains`; links are appended in any order, and may then be there
  // more than once. Requires that all chains are of the same sentences.
  void add_counts(double chains, GibbsCounts& counts) const;

 private:
  static constexpr std::uint16_t kNoLink = 0xffff;

  struct LinkCount {
    std::uint32_t key = 0;
    std::uint32_t count = 0;
  };
  using Pairs = PairTable<LinkCount, 4>;
  // Half a cache line.
  struct SourceCounts {
    std::uint32_t links = 0;  // n(e)
    std::array<std::uint32_t, kFertilities> fertilities{};
  };
  // The place of a target word while its link is drawn.
  struct Place {
    std::span<const std::uint32_t> source;
    Pairs::Row* row = nullptr;     // of the target word
    std::ptrdiff_t before = -1;    // source position of the last link before it
    std::ptrdiff_t after = 0;      // and of the next one after it, or the length of the source
    std::uint16_t link = kNoLink;  // what it was linked to
    LinkCount* entry = nullptr;    // of that
    double scale = 0;              // scale() of that
  };

  void prefetch(std::size_t k) const;
  template <GibbsStage kStage>
  void start_sentence(std::size_t k);
  template <GibbsStage kStage>
  void resample_sentence(std::size_t k, LinkMatrix* sum);
  template <GibbsStage kStage>
  std::vector<double> conditional_of(std::size_t k, std::size_t j);
  // Takes the link out of the counts, and puts one in.
  template <GibbsStage kStage>
  void take_out(Place& place);
  template <GibbsStage kStage>
  void put_in(const Place& place, std::uint16_t link);
  void count_jumps(const Place& place, std::uint16_t link, int by);
  void count_fertility(std::uint32_t source, std::uint16_t link, int by);
  // Cumulative weights: weights_[0] no link, weights_[i + 1] a link to i.
  template <GibbsStage kStage>
  void weigh(const Place& place);
  std::uint16_t draw();

  // The factors of a link to an occurrence that do not depend on the target word.
  template <GibbsStage kStage>
  double scale(std::uint32_t source, std::size_t fertility) const noexcept;
  // Sets scales_ of the source word that stands at a place.
  template <GibbsStage kStage>
  void rescale(const Place& place, std::uint16_t link);
  std::uint32_t no_word() const noexcept { return static_cast<std::uint32_t>(sources_.size() - 1); }
  double& jump(std::ptrdiff_t from, std::ptrdiff_t to) noexcept {
    return jumps_[static_cast<std::size_t>(to - from + longest_)];
  }

  const BitextSide& source_;
  const BitextSide& target_;
  GibbsPriors priors_;
  Random random_;
  std::ptrdiff_t longest_;  // M, the largest jump: over all of the longest source sentence
  std::vector<std::uint16_t> links_;  // of target_.tokens
  Pairs pairs_;
  std::vector<SourceCounts> sources_;  // "no word" is the last
  std::vector<double> jumps_;          // counts + gamma, from -M to M
  double num_jumps_ = 0;               // their sum
  std::uint64_t num_changed_ = 0;
  bool is_first_ = true;
  // Of the sentence at hand.
  bool has_repetitions_ = false;  // of source words
  std::vector<std::uint32_t> degree_;
  std::vector<std::ptrdiff_t> after_;
  std::vector<double> scales_, counts_, weights_;
};

}  // namespace coppice::align

// A trained aligner of one direction: posteriors of links of any pair of sentences.
//
//     EmLinkModel     lexical probabilities and a model of positions: exact posteriors
//     GibbsLinkModel  counts of a sampler: posteriors are averages over samples of the sentence's
//                     links, the counts staying as they are
//
// Threads: align may be called at once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "coppice/align/gibbs.h"
#include "coppice/align/lexicon.h"
#include "coppice/align/link_matrix.h"
#include "coppice/align/positions.h"
#include "coppice/base/model_file.h"
#include "coppice/base/random.h"

namespace coppice::align {

// A word that the model has not seen.
inline constexpr std::uint32_t kUnknownWord = 0xfffffffe;

class LinkModel {
 public:
  virtual ~LinkModel() = default;

  // Requires words of the model, or kUnknownWord. The sentence's draws come from `random`.
  virtual void align(std::span<const std::uint32_t> source, std::span<const std::uint32_t> target,
                     Random random, LinkMatrix& posteriors) const = 0;

  // Adds sections whose names begin with `prefix`.
  virtual void write(ModelWriter& writer, const std::string& prefix) const = 0;
};

class EmLinkModel final : public LinkModel {
 public:
  EmLinkModel(std::shared_ptr<const Lexicon> lexicon, std::shared_ptr<const Positions> positions)
      : lexicon_(std::move(lexicon)), positions_(std::move(positions)) {}

  void align(std::span<const std::uint32_t> source, std::span<const std::uint32_t> target,
             Random random, LinkMatrix& posteriors) const override;
  // Pairs of words with a smaller probability than 1e-7 are left out.
  void write(ModelWriter& writer, const std::string& prefix) const override;

 private:
  std::shared_ptr<const Lexicon> lexicon_;
  std::shared_ptr<const Positions> positions_;
};

class GibbsLinkModel final : public LinkModel {
 public:
  // Requires counts whose words are below the numbers of words.
  GibbsLinkModel(GibbsCounts counts, const GibbsPriors& priors, std::size_t num_sources,
                 std::size_t num_targets);

  void align(std::span<const std::uint32_t> source, std::span<const std::uint32_t> target,
             Random random, LinkMatrix& posteriors) const override;
  void write(ModelWriter& writer, const std::string& prefix) const override;

 private:
  struct Entry {
    std::uint32_t key = 0;
    float count = 0;
  };
  class Sampler;

  void look_up(std::span<const std::uint32_t> source, std::span<const std::uint32_t> target,
               LinkMatrix& weights) const;
  double jump_weight(std::ptrdiff_t jump) const noexcept;
  double fertility_ratio(std::uint32_t source, std::size_t fertility) const noexcept;

  GibbsCounts counts_;
  GibbsPriors priors_;
  PairTable<Entry> table_;
  std::vector<double> totals_;  // of source words, "no word" last
  double num_jumps_ = 0;
  std::size_t num_targets_;
};

}  // namespace coppice::align

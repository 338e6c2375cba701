// Expectation maximisation of one direction: a lexicon and a model of positions.
//
// Without a prior an iteration never lowers the log-likelihood.
//
// Cost of an iteration: a look-up in the lexicon for each pair of words of each pair of sentences,
// and the inference of the positions.
#pragma once

#include <memory>

#include "coppice/align/bitext.h"
#include "coppice/align/lexicon.h"
#include "coppice/align/positions.h"
#include "coppice/base/threads.h"

namespace coppice::align {

class EmAligner {
 public:
  // The sentences must outlive it. `prior`: see lexicon.h.
  EmAligner(const BitextSide& source, const BitextSide& target, double prior);

  // Goes on with other positions and the same lexicon.
  void use(std::shared_ptr<Positions> positions) { positions_ = std::move(positions); }

  // One iteration. Returns ln p(all target sentences) before it. Requires positions.
  double iterate(const Threads& threads);

  // Of sentence k. Threads: may be called at once.
  void infer(std::size_t k, LinkMatrix& posteriors) const;

  std::shared_ptr<const Lexicon> lexicon() const { return lexicon_; }
  std::shared_ptr<const Positions> positions() const { return positions_; }

 private:
  const BitextSide& source_;
  const BitextSide& target_;
  double prior_;
  std::shared_ptr<Lexicon> lexicon_;
  std::shared_ptr<Positions> positions_;
};

}  // namespace coppice::align

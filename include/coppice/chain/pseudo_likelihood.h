// Pseudo-likelihood of a chain: every label given the gold labels of its neighbours. Of a chain of
// higher order, given all that it depends on and all that depend on it; of a pruned one, among the
// labels that the sentence's lattice has there.
//
//     value = - sum over t of  ln p(gold_t | gold_{t-1}, gold_{t+1}),
//     p(y | u, v) proportional to  e^{s_t(y) + T(u, y) + T(y, v)}
//
// Each token is a small classification: no forward or backward pass. The derivative by a score is
// p - [gold], and a token's share in the pairs on both sides of it.
//
// Sentences must be annotated completely, else InvalidArgument (E313). For a chain of order 0 it
// is the likelihood. Cost: three additions, an exponential and an update for each label of a token.
// Besag (1975).
#pragma once

#include "coppice/chain/objective.h"

namespace coppice::chain {

class PseudoLikelihood final : public SentenceObjective {
 public:
  double evaluate(const Example& example, PairDerivatives& pairs,
                  Workspace& workspace) const override;
  bool takes_lattices() const noexcept override { return true; }
};

}  // namespace coppice::chain

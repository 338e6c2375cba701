// The negative conditional log-likelihood of a sentence under a chain, by the dense kernels where
// all label sequences of order 0 or 1 are possible, else on the sentence's lattice.
//
//     value = ln Z(x) - ln Z(x, gold)
//
// where Z(x, gold) sums over the label sequences that the annotation allows: one, where it is
// complete. The derivative by the score of a part is its posterior minus its posterior given the
// annotation.
//
// Cost: one forward-backward pass (chain/kernel.h, chain/lattice_kernel.h); two where the
// annotation is partial.
#pragma once

#include "coppice/chain/objective.h"

namespace coppice::chain {

class Likelihood final : public SentenceObjective {
 public:
  double evaluate(const Example& example, PairDerivatives& pairs,
                  Workspace& workspace) const override;
  bool takes_lattices() const noexcept override { return true; }
};

// ln Z and its derivatives: replaces the example's scores by posteriors and adds the expected
// counts of the other parts.
double posteriors(const Example& example, PairDerivatives& pairs, Workspace& workspace);

}  // namespace coppice::chain

// The negative conditional log-likelihood of a sentence under a chain of order 0 or 1, by the dense
// kernels.
//
//     value = ln Z(x) - ln Z(x, gold)
//
// where Z(x, gold) sums over the label sequences that the annotation allows: one, where it is
// complete. The derivative by the score of a part is its posterior minus its posterior given the
// annotation.
//
// Cost: one forward-backward pass (chain/kernel.h); two where the annotation is partial.
#pragma once

#include "coppice/chain/objective.h"

namespace coppice::chain {

class Likelihood final : public SentenceObjective {
 public:
  double evaluate(const Example& example, PairDerivatives& pairs,
                  Workspace& workspace) const override;
};

}  // namespace coppice::chain

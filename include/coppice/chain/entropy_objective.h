// Entropy regularisation with unlabelled sentences (Grandvalet and Bengio 2005; Jiao et al. 2006).
//
//     value = objective(sentence)   where some token is annotated
//             weight * H(p)         where none is
//
// so that unlabelled text makes a model sure of itself. A negative weight does the opposite, and
// keeps it from overconfidence. Cost of an unlabelled sentence: as chain/loss_objective.h.
#pragma once

#include <memory>
#include <string>

#include "coppice/chain/items.h"
#include "coppice/chain/objective.h"

namespace coppice::chain {

class EntropyObjective final : public SentenceObjective {
 public:
  EntropyObjective(ItemRules rules, std::unique_ptr<SentenceObjective> labelled, double weight);

  double evaluate(const Example& example, PairDerivatives& pairs,
                  Workspace& workspace) const override;
  bool takes_lattices() const noexcept override { return labelled_->takes_lattices(); }
  bool advance() override { return labelled_->advance(); }
  bool has_next_stage() const noexcept override { return labelled_->has_next_stage(); }
  std::string remarks() const override { return labelled_->remarks(); }

 private:
  ItemRules rules_;
  std::unique_ptr<SentenceObjective> labelled_;
  double weight_;
};

}  // namespace coppice::chain

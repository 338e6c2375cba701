// Softmax-margin with costs of wrong and missed spans, by a dense kernel:
//
//     value = ln sum over y of e^{s(y) + tau l(y)}  -  s(gold)
//     l(y)  = false_positive * (spans of y that are wrong) + false_negative * (gold spans missed)
//
// with costs by type. The same as LossObjective has, which takes over where floats do not suffice,
// where scores of pairs differ from token to token, and on lattices.
// Sentences must be annotated completely, else InvalidArgument (E313).
// Cost: that of the likelihood and some tenth more (src/chain/span_kernel.h).
#pragma once

#include <memory>
#include <vector>

#include "coppice/chain/items.h"
#include "coppice/chain/loss_objective.h"
#include "coppice/chain/objective.h"
#include "coppice/learn/measure.h"

namespace coppice::chain {

struct SpanFactors;  // of src/chain/span_kernel.h

class SpanMargin final : public SentenceObjective {
 public:
  // `costs` by label: of a span with that label's type. Throws InvalidArgument unless there is one
  // for each label, labels make spans, and the scale is finite and at least 0.
  SpanMargin(const ItemRules& rules, std::vector<learn::ErrorCosts> costs, double loss_scale);
  ~SpanMargin() override;

  double evaluate(const Example& example, PairDerivatives& pairs,
                  Workspace& workspace) const override;
  bool takes_lattices() const noexcept override { return true; }

 private:
  std::unique_ptr<SpanFactors> factors_;
  LossObjective general_;
};

}  // namespace coppice::chain

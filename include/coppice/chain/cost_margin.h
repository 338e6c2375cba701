// Softmax-margin with costs of labels, by the kernels: the likelihood of scores to which
// the costs of answering wrongly have been added.
//
//     value = ln sum over y of e^{s(y) + tau sum over t of cost[gold_t][y_t]}  -  ln Z(x, gold)
//
// Where a token may have several labels, an answer costs the least of what it costs against these.
// Cost: that of the likelihood, and an addition for each label of each token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/base/aligned.h"
#include "coppice/chain/likelihood.h"
#include "coppice/chain/objective.h"

namespace coppice::chain {

class CostMargin final : public SentenceObjective {
 public:
  // `matrix` is [gold * labels + answer]. Throws InvalidArgument unless it has labels squared
  // entries, finite, not negative, and 0 where the answer is right.
  CostMargin(std::size_t labels, const std::vector<float>& matrix, double loss_scale);

  double evaluate(const Example& example, PairDerivatives& pairs,
                  Workspace& workspace) const override;
  bool takes_lattices() const noexcept override { return true; }

 private:
  // To the scores of a token's labels.
  void add_costs(std::span<const std::uint16_t> gold, float* scores) const;

  std::size_t labels_;
  std::size_t stride_;
  AlignedVector<float> rows_;  // scaled costs by gold label, rows as those of scores
  Likelihood likelihood_;
};

}  // namespace coppice::chain

// Minimum-risk decoding of chains: the answer whose expected cost against the model's own posterior
// is least (Goodman 1996).
//
//     costs of labels   at each token the label y of the least  sum over g of p_t(g) cost[g][y],
//                       as far as the constraints allow: Viterbi over expected costs
//     costs of errors   the spans that do not overlap and whose worth
//                       (false_positive + false_negative) p(span) - false_positive  is greatest in
//                       sum, p(span) being the probability that the answer has exactly this span
//
// Measures do not add over items, so there is no such decoding for them.
//
// Cost: posteriors, and for spans the probability of each one whose tokens all may have its type,
// down to 1e-4.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "coppice/learn/training_objective.h"
#include "coppice/tag/tagger.h"

namespace coppice::tag {

class MinRiskDecoder {
 public:
  // Of the options only loss, costs and matrix are read. Throws InvalidArgument for a measure. The
  // tagger must outlive this.
  MinRiskDecoder(const Tagger& tagger, const learn::TrainingObjective& loss);
  ~MinRiskDecoder();
  MinRiskDecoder(MinRiskDecoder&&) noexcept;

  // `labels` gets session.length() of them.
  void decode(TaggingSession& session, std::vector<std::uint16_t>& labels) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace coppice::tag

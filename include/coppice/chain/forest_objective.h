// Any objective on forests, as an objective of chains: the generic engine.
//
// The sentence is laid out as a forest (chain/forest.h), the function gives its value and the
// derivative by the score of every edge, and these go back to the parts that the edges are made
// of. So softmax-margin, risk, entropy and the like, written once for forests, train taggers; and
// the dense kernels are held to it.
//
// Cost: length * labels^2 edges, times what the function takes an edge. Some hundred times that of
// the dense kernels.
#pragma once

#include <functional>
#include <utility>

#include "coppice/chain/objective.h"
#include "coppice/forest/edge_gradient.h"
#include "coppice/forest/forest.h"

namespace coppice::chain {

// A sentence as an objective on forests sees it.
struct AnnotatedForest {
  const Forest& forest;
  const EdgeMap<double>& scores;
  // 1 where the annotation allows the edge: the right answers are the derivations made of these.
  const EdgeMap<unsigned char>& right;
  // The number of tokens that an edge labels wrongly, 0 or 1: their sum is the Hamming loss.
  const EdgeMap<double>& losses;
};

using ForestFunction = std::function<EdgeGradient(const AnnotatedForest&)>;

class ForestObjective final : public SentenceObjective {
 public:
  // The function may be called by several threads at once.
  explicit ForestObjective(ForestFunction function) : function_(std::move(function)) {}

  // Throws what the function throws.
  double evaluate(const Example& example, PairDerivatives& pairs,
                  Workspace& workspace) const override;

 private:
  ForestFunction function_;
};

}  // namespace coppice::chain

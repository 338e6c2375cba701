// Any objective on forests, as an objective of chains: the generic engine.
//
// The sentence is laid out as a forest (chain/forest.h), the function gives its value and the
// derivative by the score of every edge, and these go back to the parts that the edges are made
// of. So softmax-margin, risk, entropy and the like, written once for forests, train taggers; and
// the dense kernels are held to it.
//
// Cost: what the function takes an edge, of length * labels^2 edges at order 1. Some hundred times
// that of the dense kernels.
#pragma once

#include <functional>
#include <utility>

#include "coppice/chain/objective.h"
#include "coppice/forest/edge_gradient.h"
#include "coppice/forest/forest.h"
#include "coppice/learn/objective.h"

namespace coppice::chain {

// The target's gold edges are those whose label the annotation allows, and its losses the number of
// tokens that an edge labels wrongly, 0 or 1: they add up to the Hamming loss.
using ForestFunction = std::function<EdgeGradient(
    const Forest& forest, const EdgeMap<double>& scores, const learn::Target& target)>;

class ForestObjective final : public SentenceObjective {
 public:
  // The function may be called by several threads at once.
  explicit ForestObjective(ForestFunction function) : function_(std::move(function)) {}
  explicit ForestObjective(const learn::Objective& objective);

  // Throws what the function throws.
  double evaluate(const Example& example, PairDerivatives& pairs,
                  Workspace& workspace) const override;
  bool takes_lattices() const noexcept override { return true; }

 private:
  ForestFunction function_;
};

}  // namespace coppice::chain

#include "coppice/chain/entropy_objective.h"

#include <cmath>
#include <limits>
#include <utility>

#include "chain/sentence_paths.h"
#include "coppice/base/error.h"

namespace coppice::chain {

EntropyObjective::EntropyObjective(ItemRules rules, std::unique_ptr<SentenceObjective> labelled,
                                   double weight)
    : rules_(std::move(rules)), labelled_(std::move(labelled)), weight_(weight) {
  require(std::isfinite(weight), "an entropy weight of ", weight, "; expected a finite number");
}

double EntropyObjective::evaluate(const Example& example, PairDerivatives& pairs,
                                  Workspace& workspace) const {
  if (!example.gold.none()) return labelled_->evaluate(example, pairs, workspace);
  SentencePaths paths(example, rules_, nullptr, 1, {}, workspace);
  if (!paths.possible()) return std::numeric_limits<double>::infinity();
  const Lattice& lattice = paths.lattice();
  const Forward swept = forward(lattice.paths);
  const PartGradient found = part_expectation(
      lattice.paths, swept, edge_values(lattice.paths, swept, {}, {}, -1), lattice.parts.size());
  paths.write(found.gradient, weight_, pairs);
  return weight_ * found.value;
}

}  // namespace coppice::chain

// The label sequences that trees score in a chain of order 2 or more, or in a pruned one, with the
// scores that they start from.
#pragma once

#include <cstddef>
#include <vector>

#include "chain/coarse_to_fine.h"
#include "coppice/chain/constraints.h"

namespace coppice::chain {

// A chain that scores nothing: the constraints as pairs.
class PlainChain {
 public:
  PlainChain(std::size_t labels, const Constraints& constraints);
  // Not pruned, since there is nothing to prune by. Views this.
  LabelModel model(unsigned order) const noexcept {
    return {.order = order, .transitions = transitions_, .ngrams = ngrams_, .parts = parts()};
  }

 private:
  std::span<const float> parts() const noexcept {
    return {transitions_.scores(), transitions_.labels() * transitions_.stride()};
  }
  Transitions transitions_;
  LabelNgrams ngrams_;
};

struct BoostedLattices {
  std::vector<LabelLattice> lattices;      // by sentence; edges have no parts
  std::vector<std::vector<float>> scores;  // by edge

  // Adds the lattice, with what its parts score in place of them.
  void add(LabelLattice lattice, const LatticeScores& of_parts);
  // The lattice of a sentence with these rows of labels' scores (chain/coarse_to_fine.h), which get
  // -inf where the constraints forbid a label at the ends. `gold` may be null.
  void add(float* rows, std::size_t length, const LabelModel& model, const Constraints& constraints,
           const Annotation* gold, Workspace& workspace);
};

}  // namespace coppice::chain

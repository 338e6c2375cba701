// Lattices of higher order made feasible: coarse-to-fine posterior pruning.
//
// The model without its longer label sequences is a coarser model of the same sentence. Each order
// is run in turn; only what has a posterior of at least `prune` there becomes a state of the next:
// labels by the dense chain of order 1 (of order 0, when order 1 is asked for), pairs by the
// lattice of order 1, triples by that of order 2. The coarser model's best path always stays, so
// there is always an answer; in training the annotated sequences stay too: the one that is, or
// where the annotation is partial, the best one and those of enough posterior among those that it
// allows. At most 1 / prune states of a token pass otherwise, whatever the number of labels.
//
// Training needs one thing more. What is left out of the lattice has no part in ln Z, so nothing
// would keep its score down, and it would be back when the model is used. Therefore the dense chain
// answers for it: Z of the finest lattice is divided by the probability that the dense chain gives
// to what has passed it,
//
//     ln Z  ~  ln Z_fine + ln Z_dense - ln Z_passed,
//
// which is exact where longer label sequences favour neither side (escape()).
//
// prune = 0 keeps everything: exact, labels^(order + 1) edges a token.
// Weiss and Taskar (2010), "Structured prediction cascades", AISTATS.
#pragma once

#include <cstddef>

#include "coppice/chain/dataset.h"
#include "coppice/chain/label_lattice.h"
#include "coppice/chain/lattice_kernel.h"

namespace coppice::chain {

struct NarrowedChain {
  LabelLattice lattice;  // of the model's order
  // What has passed the dense chain: pairs of labels, or labels where the order is 1. Empty where
  // nothing is pruned.
  LabelLattice passed;
};

// Requires model.order >= 1. `scores` are rows of labels' scores as in chain/kernel.h; `gold` may
// be null. Throws as line_graph.
NarrowedChain coarse_to_fine(const float* scores, std::size_t length, const LabelModel& model,
                             const Annotation* gold, Workspace& workspace);

}  // namespace coppice::chain

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
// The coarser model has to be fit for that: to find what is annotated, and not to bring back what a
// lattice leaves out. In training, the annotated sequence stays whatever the coarser model says, so
// the lattice alone would teach it neither; therefore the likelihood of the dense chain is added to
// what is minimised (CorpusObjective).
//
// prune = 0 keeps everything: exact, labels^(order + 1) edges a token.
// Weiss and Taskar (2010), "Structured prediction cascades", AISTATS.
#pragma once

#include <cstddef>

#include "chain/dataset.h"
#include "chain/label_lattice.h"
#include "chain/lattice_kernel.h"

namespace coppice::chain {

// Requires model.order >= 1. `scores` are rows of labels' scores as in chain/kernel.h; `gold` may
// be null. Throws as line_graph.
LabelLattice coarse_to_fine(const float* scores, std::size_t length, const LabelModel& model,
                            const Annotation* gold, Workspace& workspace);

}  // namespace coppice::chain

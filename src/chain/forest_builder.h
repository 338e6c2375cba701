// Packs a sentence's lattice as a forest (coppice/chain/forest.h).
#pragma once

#include <cstddef>

#include "chain/kernel.h"
#include "chain/label_lattice.h"
#include "chain/lattice_kernel.h"
#include "coppice/chain/forest.h"

namespace coppice::chain {

ChainForest chain_forest(const LabelLattice& lattice, const LatticeScores& scores);

// Of all label sequences at order 1, or at order 0 where there are no transitions.
ChainForest chain_forest(const float* scores, std::size_t length, const Transitions& transitions);

}  // namespace coppice::chain

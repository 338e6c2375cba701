// Paths from roots to leaves as conjunctions that can be told apart.
#pragma once

#include <cstdint>
#include <vector>

#include "coppice/trees/tree.h"

namespace coppice::trees {

// The questions on the path to each leaf, with their answers, in an order that does not depend on
// that of the path; the same words for two leaves when and only when they ask the same.
using Conjunction = std::vector<std::uint32_t>;

// By node; empty for inner nodes and for a root that is a leaf.
std::vector<Conjunction> conjunctions(const Schema& schema, const Ensemble& tree);

}  // namespace coppice::trees

// How many derivations a forest has: exactly, at any size.
//
// Cost: one sweep; an addition or multiplication of words while the numbers are below 2^64.
#pragma once

#include "coppice/base/big_count.h"
#include "coppice/forest/forest.h"

namespace coppice {

// Zero for the empty forest.
BigCount count_derivations(const Forest& forest);

// Of those derivations that use no edge of score -infinity. Throws InvalidArgument unless there is
// one score per edge.
BigCount count_derivations(const Forest& forest, const EdgeMap<double>& scores);

}  // namespace coppice

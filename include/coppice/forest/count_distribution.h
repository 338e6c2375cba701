// The joint distribution of two counts over the derivations of a weighted forest, for example of
// right items and of all items, from which any function of the two has its exact expectation.
//
// Method: the marginals of the edges into the goal of the split forest (split.h). Cost: that of
// the split, and two sweeps over it.
#pragma once

#include <vector>

#include "coppice/forest/forest.h"
#include "coppice/forest/split.h"

namespace coppice {

// Counts from two tables of numbers. Throws InvalidArgument unless the tables are of one size and
// hold whole numbers from 0 to 2^32 - 1.
EdgeMap<Counts> edge_counts(const EdgeMap<double>& n, const EdgeMap<double>& d);

struct CountProbability {
  Counts counts;
  double probability = 0;
};

// Every pair that some derivation has, ascending; the probabilities add up to 1. Throws
// InvalidArgument as split_by_counts does, and E301 when no derivation has positive weight.
std::vector<CountProbability> count_distribution(const Forest& forest,
                                                 const EdgeMap<double>& scores,
                                                 const EdgeMap<Counts>& counts);

}  // namespace coppice

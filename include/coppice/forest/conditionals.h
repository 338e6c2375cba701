// A weighted forest as a process that runs top-down: standing at a node, take one of its edges,
// then go on at each of its tails.
//
//     conditional_e = p_e inside[u1] ... inside[uk] / inside[head]
//
// is the probability of taking e. They are between 0 and 1 and sum to 1 at every node that derives
// something, so whatever is computed from them needs no wide numbers and no differences of large
// ones. q(d) is the product of d's conditionals. Sampling a derivation is running the process.
//
// See edge_gradient.h for what holds of scores. Cost: one exp and one division an edge.
#pragma once

#include "coppice/forest/forest.h"

namespace coppice {

struct EdgeConditionals {
  double log_partition;         // ln Z
  EdgeMap<double> probability;  // 0 at nodes that derive nothing, and past the root
};

// Of p_e = exp(scale score_e). Requires 0 < scale < infinity.
EdgeConditionals edge_conditionals(const Forest& forest, const EdgeMap<double>& scores,
                                   double scale = 1);

// How often derivations use each node: 1 for the root, and for a tail what its edges give it.
// A count, which may exceed 1 where derivations use one node more than once.
NodeMap<double> expected_uses(const Forest& forest, const EdgeMap<double>& conditionals);

}  // namespace coppice

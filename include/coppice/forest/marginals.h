// ln Z, and how often derivations use each edge and node.
//
// d ln Z / d score_e = (1 / Z) sum over d of p(d) n_e(d) = E[n_e], the edge's marginal: the
// gradient of ln Z is the table of marginals. Where no derivation uses an edge twice, E[n_e] is the
// probability that a derivation uses e; elsewhere it is a count and may exceed 1.
//
// Scores, edge cases and errors: edge_gradient.h. Cost: two sweeps, one exp an edge.
#pragma once

#include "coppice/forest/edge_gradient.h"
#include "coppice/forest/forest.h"

namespace coppice {

// ln of the sum over derivations of the product of exp(score); -infinity where there is none.
double log_partition(const Forest& forest, const EdgeMap<double>& scores);

// The value is ln Z, the gradient E[n_e].
EdgeGradient log_partition_gradient(const Forest& forest, const EdgeMap<double>& scores);

// E[n_e] of every edge: conditional_e times the uses of its head (conditionals.h).
EdgeMap<double> edge_marginals(const Forest& forest, const EdgeMap<double>& scores);

// E[n_v] of every node; 1 for the root.
NodeMap<double> node_marginals(const Forest& forest, const EdgeMap<double>& scores);

}  // namespace coppice

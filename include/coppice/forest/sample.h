// Exact samples of derivations: d comes with probability p(d) = exp(score(d)) / Z.
//
// From the root down, node v takes edge e with probability
//
//     exp(score[e] + inside[u1] + ... + inside[uk] - inside[v])
//
// where inside are the log-space inside weights of the same scores. Draws come from the caller's
// Random, one an edge, in prefix order, so the same seed gives the same derivation everywhere.
//
// Cost: for each edge of the sample, the edges into its head. No recursion.
#pragma once

#include <optional>

#include "coppice/base/random.h"
#include "coppice/forest/derivation.h"
#include "coppice/forest/forest.h"

namespace coppice {

// `inside` must be inside<LogSemiring>(forest, scores). Returns nothing when the root derives
// nothing. The score of the sample is the sum of its edges'; ln p(d) is that less inside[root].
// Throws InvalidArgument where a table has another size than the forest.
std::optional<Derivation> sample_derivation(const Forest& forest, const EdgeMap<double>& scores,
                                            const NodeMap<double>& inside, Random& random);

}  // namespace coppice

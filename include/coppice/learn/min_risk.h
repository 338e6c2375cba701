// Minimum-risk decoding: the derivation whose expected loss against the model's own distribution is
// least, for losses that count items (Goodman 1996).
//
// An edge brings items (a labelled span, a label at a token); p(i) is the posterior of item i, the
// probability that a derivation has it. Where a wrong item costs false_positive and a missed one
// false_negative, the expected loss of a derivation y is
//
//     sum over items i of y of  false_positive - (false_positive + false_negative) p(i)
//     + false_negative * (the expected number of items)
//
// so the best y maximises what its edges are worth, which one sweep of Viterbi finds. With the
// costs (0, 1) it maximises the expected number of right items; for labels that is Hamming loss.
//
// Items have positive values where an edge brings them, usually 1; a derivation is to have an item
// once at most. Cost: marginals, and one best derivation.
#pragma once

#include <optional>

#include "coppice/forest/derivation.h"
#include "coppice/forest/edge_features.h"
#include "coppice/forest/forest.h"
#include "coppice/learn/measure.h"

namespace coppice::learn {

struct MinRisk {
  Derivation derivation;  // its score is the model's
  double risk = 0;        // the expected loss
};

// Returns nothing when no derivation has positive weight. Throws as edge_marginals and
// decomposed_loss do, and unless there is a row of items for each edge.
std::optional<MinRisk> min_risk(const Forest& forest, const EdgeMap<double>& scores,
                                const EdgeFeatures& items, const ErrorCosts& costs);

}  // namespace coppice::learn

// Oracles: the derivation of a forest that is best by a measure of its counts (n, d), for example
// by F1 against a gold tree that the forest need not hold.
//
//     argmax over derivations y of   value(n(y), d(y))       ties by the model's score
//
// On the split forest (split.h) the measure is decided at the goal, so the answer is the goal's
// best edge, and below it the best derivation by score (Huang 2008, "Forest Reranking").
// Derivations with an edge of score -inf do not take part.
//
// Cost: that of the split, and one best_edges on it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "coppice/forest/derivation.h"
#include "coppice/forest/forest.h"
#include "coppice/forest/split.h"

namespace coppice {

struct Oracle {
  Derivation derivation;  // of the old forest; the score is the model's
  Counts counts;
  double value = 0;
};

// Returns nothing when the root derives nothing. Throws InvalidArgument when the value of some
// counts is NaN, and as split_by_counts does.
std::optional<Oracle> oracle(const Forest& forest, const EdgeMap<double>& scores,
                             const EdgeMap<Counts>& counts,
                             const std::function<double(Counts)>& value,
                             const SplitOptions& options = {});

// The same for a forest split already; `scores` are those of the old forest.
std::optional<Oracle> oracle(const SplitForest& split, const EdgeMap<double>& scores,
                             const std::function<double(Counts)>& value);

// F_beta of n right items among d, with `gold` to be found:
//     (1 + beta^2) n / (d + beta^2 gold)
// beta = 1 gives 2n / (d + gold). Nothing found of nothing to find is perfect: 1.
double f_measure(Counts counts, std::uint32_t gold, double beta = 1);

}  // namespace coppice

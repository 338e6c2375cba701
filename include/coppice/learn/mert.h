// Minimum error rate training: the exact best step along a line (Och 2003), on forests as on lists.
//
// Along a direction, a derivation's score is a line  score(y) + x slope(y).  The best derivation as
// a function of x is the upper envelope of all these lines, which a forest gives bottom-up without
// listing them (Kumar et al. 2009): the envelope of a node is that of the union over its edges of
// the sums of its tails' envelopes. The corpus loss of the counts that the best derivations add up
// to is then a step function of x, and every step is looked at. A k-best list is a forest too
// (derivation_list.h).
//
// Cost of an envelope: per edge, the sum of its tails' envelopes and a sort; envelopes stay short
// (a line for each slope that is ever best). Cost of the step: a sort of all breakpoints.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "coppice/forest/forest.h"
#include "coppice/forest/split.h"

namespace coppice::learn {

// The best derivation from x = `from` on, until the next piece begins.
struct EnvelopePiece {
  double from = 0;  // -infinity for the first
  double intercept = 0;
  double slope = 0;
  Counts counts{};
};
using Envelope = std::vector<EnvelopePiece>;  // by ascending `from`, and so by ascending slope

// Of derivations that tie for all x the counts of one are kept. Empty when the root derives
// nothing. Throws InvalidArgument unless there is an entry for each edge; slopes must be finite.
Envelope upper_envelope(const Forest& forest, const EdgeMap<double>& scores,
                        const EdgeMap<double>& slopes, const EdgeMap<Counts>& counts);

struct LineStep {
  double x = 0;
  double loss = 0;
};

// The x whose best derivations have the least loss of summed counts: 0 if it is one of them, else
// the middle of the interval that is nearest to 0, or 1 beyond an end of the line. Envelopes that
// are empty do not count.
LineStep best_step(std::span<const Envelope> envelopes, const std::function<double(Counts)>& loss);

}  // namespace coppice::learn

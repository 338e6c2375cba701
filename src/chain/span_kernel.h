// The dense kernel of costs of spans: sums over label sequences of
//
//     e^{s(y)}  *  product over spans of y of tilt(type)  *  product over gold spans met of
//     met(type)
//
// by forward-backward at nearly the speed of the plain chain. The number of spans adds over pairs
// of labels, so tilts are multiplied into the table of transitions. Whether a gold span was met is
// known at its end only; it takes one bit ("still matching", chain/items.h), which can be 1 only
// within gold spans and at labels of their types. So beside the row of a token ("at large") there
// is a short one ("matching"), of the labels of the gold span's type:
//
//     a gold span begins at t    what begins an item of its type goes to matching, the rest stays
//     it goes on at t            from matching, what goes on stays there, what ends goes at large
//     it has ended before t      matching goes at large; what ends there is multiplied by `met`
//
// Requires met <= 1. Then where terms are subtracted, what is left weighs no more than what it was
// taken from, so nothing cancels however small `met` is.
// Cost of a token: that of kernel.h, and within gold spans a few rows; of a sentence, a table of
// pairs; of a pass, three.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "chain/item_peers.h"
#include "coppice/base/aligned.h"
#include "coppice/chain/items.h"
#include "coppice/chain/kernel.h"

namespace coppice::chain {

// What is the same for all sentences. Tables have rows of row_stride(labels) floats.
struct SpanFactors {
  // `tilt` and `met` by label, those of its type of item.
  SpanFactors(const ItemRules& rules, std::span<const double> tilt, std::span<const double> met);

  std::uint64_t serial;  // as that of Transitions
  std::size_t labels, stride;
  ItemPeers of_type;
  AlignedVector<float> tilt, tilt_by_next;  // of a pair: that of the item that begins, or 1
  AlignedVector<float> first;               // of a label at the first token
  AlignedVector<float> ends;                // 1 where an item ends, [previous][next]
  AlignedVector<float> met;                 // by label
};

// As marginals() of kernel.h under these factors: replaces scores by posteriors, adds to `pairs`,
// and returns the log of the sum. Where floats do not suffice it returns NaN, and scores and pairs
// are as before. Requires rules that count spans, and length > 0.
double span_marginals(float* scores, const GoldItems& gold, const Transitions& transitions,
                      const SpanFactors& factors, Workspace& workspace, float* pairs);

}  // namespace coppice::chain

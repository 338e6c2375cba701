// The dense kernel of costs of spans: sums over label sequences of
//
//     e^{s(y)}  *  product over spans of y of tilt(type)
//               *  product over gold spans of missed(type), and of those that are met, met(type)
//
// by forward-backward at nearly the speed of the plain chain. The number of spans adds over pairs
// of labels, so tilts are multiplied into the table of transitions. Whether a gold span was met is
// known at its end only; it takes one bit ("still matching", chain/items.h), which can be 1 only
// within gold spans and at labels of their types. So beside the row of a token ("at large") there
// is another ("matching"), of which those labels of the gold span's type are used that can match:
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
#include <vector>

#include "base/aligned.h"
#include "chain/item_peers.h"
#include "chain/items.h"
#include "chain/kernel.h"

namespace coppice::chain {

// What is the same for all sentences. Tables have rows of row_stride(labels) floats.
struct SpanFactors {
  // By label, those of its type of item.
  SpanFactors(const ItemRules& rules, std::span<const double> tilt, std::span<const double> met,
              std::span<const double> log_missed);

  std::uint64_t serial;  // as that of Transitions
  std::size_t labels, stride;
  ItemPeers of_type;
  AlignedVector<float> tilt, tilt_by_next;  // of a pair: that of the item that begins, or 1
  AlignedVector<float> first;               // of a label at the first token
  AlignedVector<float> ends;                // 1 where an item ends, [previous][next]
  std::vector<float> met;                   // by label
  std::vector<double> log_missed;           // by label; 0 where it has no item
};

// The labels of one type that can match a gold span at one of its tokens: one role where the span
// begins at the first token of a sentence, one where it begins at another, one where it goes on.
// Pairs of weight 0 are left out, so under the constraints of IOB2 there is one label, and one pair
// that goes on, where there would be two of each.
struct SpanRole {
  struct Pair {
    std::uint16_t previous, next;
    std::uint32_t at;  // in a table of pairs
  };
  std::vector<std::uint16_t> labels;
  std::vector<Pair> into, out;  // within an item, that lead to these, and from them
  bool goes_on = false;
  float met = 0;
  double log_missed = 0;  // where the span begins
};

struct SpanWorkspace {
  void reserve(std::size_t length, std::size_t stride);
  // Of the transitions and factors of these serials: tilted, and of these the pairs that end items.
  std::uint64_t of_transitions = 0, of_factors = 0;
  AlignedVector<float> weights, weights_by_next, ending;
  std::vector<SpanRole> roles;  // three a label, those of its type; at the end one of no label
  std::vector<const SpanRole*> by_pair;   // of a gold label, [previous][next]
  std::vector<const SpanRole*> by_token;  // of one sentence
  // Of labels that match a gold span: their forward rows by token; of a token, backward row, beta,
  // what of beta the row of all labels does not have, and what was held back from that row.
  std::vector<float> matching, backward, beta, more, held;
  AlignedVector<float> pairs;
};

// As marginals() of kernel.h under these factors: replaces scores by posteriors, adds to `pairs`,
// and returns the log of the sum. Where floats do not suffice it returns NaN, and scores and pairs
// are as before. Requires rules that count spans, and length > 0.
double span_marginals(float* scores, std::span<const std::uint16_t> gold,
                      const Transitions& transitions, const SpanFactors& factors,
                      Workspace& workspace, float* pairs);

}  // namespace coppice::chain

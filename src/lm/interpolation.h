// From adjusted counts to weights: interpolated modified Kneser-Ney smoothing.
//
//     p(w | h)  =  (a(hw) - D(a(hw))) / A(h)  +  b(h) p(w | h')        A(h) = sum over x of a(hx)
//     b(h)      =  (sum over kept x of D(a(hx))  +  sum over pruned x of a(hx)) / A(h)
//
// and p(w | nothing) ends in the uniform distribution over all words but <s>, <unk> being one of
// them. Pruned n-grams have no weight of their own and get b(h) p(w | h').
#pragma once

#include <memory>
#include <span>

#include "coppice/base/threads.h"
#include "coppice/lm/discounts.h"
#include "coppice/lm/ngrams.h"
#include "lm/ngram_store.h"

namespace coppice::lm {

// `counts` are in context order, [n - 1] for length n; words have numbers below `num_words`.
// Cost: one pass over the counts of all lengths at once, and sorting the result; a float for each
// word and length besides what the workspace allows.
std::unique_ptr<NgramStore> interpolate(std::span<const SortedNgrams> counts,
                                        std::span<const Discounts> discounts, std::size_t num_words,
                                        const Workspace& workspace, const Threads& threads);

}  // namespace coppice::lm

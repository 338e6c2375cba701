// A sentence's label sequences as a forest record: what files hold and drawings show.
//
//     node      label                               span
//     label     the label of a token                the tokens up to that one
//     root      none                                all tokens
//
// An edge has the label of its token as its own label, and the value 1 under its name: the expected
// value of "B-LOC" is the expected number of tokens with that label. Scores are at the model's
// temperature, not normalised: ln Z is the inside weight.
#pragma once

#include "coppice/chain/forest.h"
#include "coppice/forest/record.h"
#include "coppice/tag/tagger.h"
#include "coppice/text/sentence.h"

namespace coppice::tag {

// `chain` is the sentence's forest under the tagger (TaggingSession::packed). O(size).
ForestRecord make_record(const Tagger& tagger, chain::ChainForest chain,
                         const text::Sentence& sentence);

}  // namespace coppice::tag

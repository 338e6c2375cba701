// A parsed sentence as a forest record: what files hold and drawings show.
//
//     node      label                                       span
//     symbol    the nonterminal's name, "NP"                its words
//     word      the word itself                             the word
//     prefix    "@V NP": a helper (forest/record.h),        its words
//               after the symbols that have been read
//
// An edge that completes a rule has the rule's text as its label, "NP -> Det Nom", and its score;
// and the value 1 under the name of the rule's left side. So the expected value of "NP" is the
// expected number of noun phrases. Other edges have neither label nor values, and score 0.
#pragma once

#include <span>
#include <string>

#include "coppice/forest/record.h"
#include "coppice/span/grammar.h"
#include "coppice/span/parse.h"

namespace coppice::span {

// `words` are the sentence that was parsed, and become the tokens. The id is left empty. O(size).
ForestRecord make_record(const Grammar& grammar, ParseResult parsed,
                         std::span<const std::string> words);

}  // namespace coppice::span

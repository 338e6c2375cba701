// Pictures of derivations: words above, one step below another.
//
//      She        reads       books
//      NP    (S[dcl]\NP)/NP     NP
//            ---------------------->
//                  S[dcl]\NP
//      ---------------------------<
//                S[dcl]
//
// A line spans what its step combines and ends in the mark of the rule: > and < application, >B and
// <B composition, <Bx crossed, >Bn and <Bxn general ones, & a conjunction before its conjunct,
// <&> coordination, p punctuation, A apposition, T type-raising, * a type change, ! an application
// against the slash.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "coppice/ccg/derivation.h"

namespace coppice::ccg {

std::string_view mark(Rule rule) noexcept;

// As above, a line feed after each line. `words`: one for each leaf. Cost: O(nodes + output).
// Throws InvalidArgument (E275) when the lines, one for each level and as long as the sentence,
// would pass 100 million characters.
std::string derivation_to_text(const Derivation& derivation, const Categories& categories,
                               std::span<const std::string_view> words);
// The same as a picture, with `title` above.
std::string derivation_to_svg(const Derivation& derivation, const Categories& categories,
                              std::span<const std::string_view> words, std::string_view title);

}  // namespace coppice::ccg

// Forests whose derivations yield strings: of words, by what every edge writes.
//
// The yield of an edge is a sequence of words and of tails, each tail once and in any order, as on
// the target side of a synchronous rule. A derivation's string is that of its first edge, with the
// strings of the tails put in their places:
//
//     [1] de [0]   over   0: "la casa"   1: "el tejado"      gives   "el tejado de la casa"
//
// A yield may have no words, and a string none either.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "coppice/forest/forest.h"

namespace coppice {

enum class WordId : std::uint32_t {};
enum class TailId : std::uint32_t {};  // the place of a tail among those of its edge

using YieldItem = std::variant<WordId, TailId>;
using Yield = std::vector<YieldItem>;

// Throws InvalidArgument unless there is a yield for each edge that has each of its tails once.
void check_yields(const Forest& forest, const EdgeMap<Yield>& yields);

// The string of a derivation of the root. Throws InvalidArgument where `edges` are none, and as
// check_yields does. Cost: linear in the yields. No recursion.
std::vector<WordId> string_of(const Forest& forest, const EdgeMap<Yield>& yields,
                              std::span<const EdgeId> edges);

}  // namespace coppice

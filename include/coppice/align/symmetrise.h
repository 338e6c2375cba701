// One alignment of the two directions.
//
//     forward, backward    one direction alone
//     intersect, union     links of both, or of any
//     grow-diag            from the intersection, links of the union are added that are next to one
//                          that is there (also diagonally) and link a word that has none, until
//                          none is left
//     grow-diag-final      then each link of forward, and each of backward, with a word that has
//     none grow-diag-final-and  the same, when both its words have none
//
// The order of additions matters, and is that of Koehn's pseudo code: links that are there by
// source and then by target, a link's neighbours in the order left, down, right, up and the four
// diagonals, and additions are looked at in the pass in which they are made where they come later.
//
// Koehn, Och and Marcu (2003), "Statistical phrase-based translation"; Koehn et al. (2005),
// "Edinburgh system description for the 2005 IWSLT speech translation evaluation".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/align/link_matrix.h"
#include "coppice/text/pharaoh.h"

namespace coppice::align {

enum class Symmetrisation {
  kForward,
  kBackward,
  kIntersect,
  kUnion,
  kGrowDiag,
  kGrowDiagFinal,
  kGrowDiagFinalAnd,
};

// Throws InvalidArgument for another name than those above.
Symmetrisation parse_symmetrisation(std::string_view name);
// All names, in the order of the enumeration.
std::vector<std::string> symmetrisation_names();

using Links = std::vector<text::AlignmentLink>;

// Requires sorted links without repetitions; returns such. Probabilities and kinds of links are
// those of `forward` where it has the link. Throws InvalidArgument when the largest positions I and
// J have a product above 2^24. Cost: O(I J).
Links symmetrise(std::span<const text::AlignmentLink> forward,
                 std::span<const text::AlignmentLink> backward, Symmetrisation how);

// How links are made of posteriors.
struct LinkChoice {
  Symmetrisation symmetrisation = Symmetrisation::kGrowDiagFinalAnd;
  std::optional<double> min_posterior{};  // list links with at least this posterior too
};

struct AlignedPair {
  Links links;       // symmetrised best links, with their posteriors
  Links posteriors;  // links with a posterior of at least LinkChoice::min_posterior
};

AlignedPair choose_links(const PairPosteriors& posteriors, const LinkChoice& choice);

}  // namespace coppice::align

// A list of derivations as a forest of its own, so that whatever works on forests works on k-best
// lists: risk and entropy over a list, the oracle of a list, MERT.
//
// The list's forest has one node, the root, with an edge without tails for each derivation. An
// edge's score, loss or counts are what the old edges of its derivation add up to; a derivative by
// its score goes back to each old edge as often as the derivation uses it.
//
// Cost of everything: the total length of the derivations.
#pragma once

#include <vector>

#include "coppice/forest/derivation.h"
#include "coppice/forest/edge_gradient.h"
#include "coppice/forest/forest.h"
#include "coppice/forest/split.h"

namespace coppice::learn {

struct DerivationList {
  explicit DerivationList(std::vector<Derivation> listed);

  // What a table of the old forest is for the list's edges; -inf stays -inf. Throws
  // InvalidArgument when the table lacks an edge of a derivation.
  EdgeMap<double> sums(const EdgeMap<double>& values) const;
  EdgeMap<Counts> sums(const EdgeMap<Counts>& counts) const;

  // From derivatives by the list's scores to derivatives by those of `num_edges` old edges.
  EdgeGradient spread(const EdgeGradient& gradient, std::size_t num_edges) const;

  std::vector<Derivation> derivations;
  Forest forest;
};

}  // namespace coppice::learn

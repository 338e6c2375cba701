// Drawings of packed forests and of single derivations, as SVG, DOT and text. No other program is
// needed for the SVG.
//
// A forest's picture: nodes are rounded boxes, a hyperedge is a dot below its head with a line to
// each tail. Lines leave the dot in the order of the tails, left to right; where the tails do not
// stand in that order, small numbers tell it. With spans, nodes stand above the tokens they cover,
// and a leaf that only repeats its token (one edge, without tails, label or score) is drawn as it;
// without, they are layered by height, and barycentre sweeps reduce crossings (Sugiyama, Tagawa &
// Toda 1981). Nodes that the root does not reach are left out. Hovering over an edge shows its
// label, score and posterior.
//
// A derivation is given by its edges in prefix order, as best and sampled derivations are.
//
// All text is escaped; the SVG has a title and a description for those who do not see it, a light
// ground of its own so that it stands on dark pages, and scales to the width it is given.
// Cost: O(nodes + edges + tails) up to logarithms, and O(nodes * tails) of what is drawn, where
// that is at most 400 nodes, for leading lines around boxes. No recursion.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "coppice/forest/record.h"

namespace coppice {

struct DrawOptions {
  // Posterior probabilities; likely edges are drawn strong, unlikely ones faint. Empty: all alike.
  EdgeMap<double> posteriors{};
  // The edges of a derivation that stands out, in any order. Empty: none.
  std::vector<EdgeId> highlighted{};
  // At most so many nodes are drawn, those nearest to the root (of equally near ones, the likelier
  // ones); an edge is drawn when its head and tails are. The picture says what is missing.
  std::size_t max_nodes = 150;
  // Write edge labels beside the dots, not only where the mouse points.
  bool show_edge_labels = false;
  // The title; the record's id where it is empty.
  std::string title{};
};

// Each throws InvalidArgument when posteriors are neither empty nor one an edge, when a
// highlighted edge does not exist, or when max_nodes is 0.
std::string to_svg(const ForestRecord& record, const DrawOptions& options = {});
std::string to_dot(const ForestRecord& record, const DrawOptions& options = {});

// A derivation's tree names each node by its label, or by its edge's label where the node has none,
// or by its number. Below an edge without tails stand the tokens of its node's span, where the
// record has them; a node labelled as its token is that token. A helper (record.h) that has tails
// and is not the root is left out, and its children stand in its place.
// Each of the following throws InvalidArgument when the edges are not one derivation in prefix
// order.

// The tree with its tokens in one row at the bottom. Where it has more than max_nodes nodes, its
// lower part is left out, and the picture says so.
std::string derivation_to_svg(const ForestRecord& record, std::span<const EdgeId> derivation,
                              const DrawOptions& options = {});

// The tree in box-drawing characters (here in ASCII): children below their parent, but an only
// child on its line. At most max_nodes lines, then one that says how many nodes are missing.
//
//     S
//     |- NP - John
//     `- VP - sleeps
std::string derivation_to_text(const ForestRecord& record, std::span<const EdgeId> derivation,
                               const DrawOptions& options = {});

// "(S (NP John) (VP sleeps))". Brackets in texts become -LRB- and -RRB-, white space becomes '_'.
std::string derivation_to_brackets(const ForestRecord& record, std::span<const EdgeId> derivation);

}  // namespace coppice

// Which part of a forest is drawn, and how strongly each of its edges.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "coppice/forest/draw.h"

namespace coppice::detail {

struct Selection {
  std::vector<NodeId> nodes;  // ascending, so tails come before heads
  std::vector<EdgeId> edges;  // ascending
  NodeMap<unsigned char> is_drawn;
  EdgeMap<unsigned char> is_highlighted;
  std::size_t reached_nodes = 0;  // from the root, drawn or not
  std::size_t reached_edges = 0;
};

// Throws InvalidArgument as draw.h says.
Selection select(const ForestRecord& record, const DrawOptions& options);

// "12 of 40 nodes and 30 of 99 edges are drawn", or empty when all are.
std::string selection_note(const Selection& selection);

std::string title_of(const ForestRecord& record, const DrawOptions& options);

// A node's label, its number where it has none.
std::string node_name(const ForestRecord& record, NodeId node);

// "S -> NP VP, score -1.25, posterior 0.83", as far as known.
std::string edge_description(const ForestRecord& record, const DrawOptions& options, EdgeId edge);

// In [0, 1]; 0.6 where nothing is known.
double strength(const DrawOptions& options, EdgeId edge);

// "" where there are no posteriors, else two decimals.
std::string posterior_text(const DrawOptions& options, EdgeId edge);

}  // namespace coppice::detail

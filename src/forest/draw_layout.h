// Where the nodes, dots and tokens of a forest's picture stand.
#pragma once

#include <string>
#include <vector>

#include "forest/draw_selection.h"

namespace coppice::detail {

struct Point {
  double x = 0;
  double y = 0;
};

inline constexpr double kNodeFont = 14, kSmallFont = 10.5, kTokenFont = 15;
inline constexpr double kNodeHeight = 26, kMargin = 28, kHeader = 46;
inline constexpr double kAboveToken = 3;               // between a token and the lines to it
inline constexpr double kRowGap = 92, kDotBelow = 36;  // from row to row; from a row to its dots

struct ForestLayout {
  NodeMap<Point> nodes;    // centres of boxes; meaningful for drawn nodes
  NodeMap<double> widths;  // of boxes
  // Nodes that are their token: they have no box, and lines to them end above the token.
  NodeMap<unsigned char> is_token;
  EdgeMap<Point> dots;        // meaningful for drawn edges
  std::vector<Point> tokens;  // centres, base lines; empty when tokens are not drawn
  double width = 0;
  double height = 0;
};

// `notes` are the texts beside the dots; room is left for them.
ForestLayout lay_out(const ForestRecord& record, const Selection& selection,
                     const EdgeMap<std::string>& notes);

// The positions nearest to `wanted`, which ascends, such that neighbours i and i + 1 are at least
// (widths[i] + widths[i + 1]) / 2 + gap apart. Least squares, by pooling adjacent violators; O(n).
std::vector<double> spread(const std::vector<double>& wanted, const std::vector<double>& widths,
                           double gap);

}  // namespace coppice::detail

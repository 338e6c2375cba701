// The lines of a forest's picture: from a dot to a tail, around the boxes in between.
#pragma once

#include <string>
#include <vector>

#include "forest/draw_layout.h"

namespace coppice::detail {

// Straight down, then a curve, then straight down; either straight piece may be empty.
struct Route {
  Point from;
  Point curve_from;
  Point curve_to;
  Point to;

  std::string path() const;
  // A point of the curve, 0 <= t <= 1.
  Point at(double t) const;
};

struct Box {
  Point centre;
  double width = 0;
};

// The smooth line, or where it would run behind boxes, one that bends early or late and meets the
// fewest. `bend` is the height over which an early or late bend goes. O(boxes).
Route route(Point from, Point to, double bend, const std::vector<Box>& boxes);

}  // namespace coppice::detail

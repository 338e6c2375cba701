#include "forest/draw_route.h"

#include <algorithm>
#include <cmath>

#include "base/svg.h"
#include "coppice/base/error.h"

namespace coppice::detail {

namespace {

constexpr int kSamples = 24;
constexpr double kClearance = 5;

bool is_inside(Point point, const Box& box) {
  return std::abs(point.x - box.centre.x) < box.width / 2 + kClearance &&
         std::abs(point.y - box.centre.y) < kNodeHeight / 2;
}

// How many boxes the route runs behind.
std::size_t hits(const Route& route, const std::vector<Box>& boxes) {
  const auto meets = [&](const Box& box) {
    const double y = box.centre.y;
    if (y <= route.from.y || y >= route.to.y) return false;
    if (y < route.curve_from.y) return is_inside({route.from.x, y}, box);
    if (y > route.curve_to.y) return is_inside({route.to.x, y}, box);
    for (int i = 0; i <= kSamples; ++i) {
      if (is_inside(route.at(static_cast<double>(i) / kSamples), box)) return true;
    }
    return false;
  };
  return static_cast<std::size_t>(std::ranges::count_if(boxes, meets));
}

std::string line_to(Point from, Point to) {
  return from.y == to.y ? "" : concat("L", px(to.x), " ", px(to.y));
}

}  // namespace

std::string Route::path() const {
  const std::string start = from.y == curve_from.y ? "" : concat("M", px(from.x), " ", px(from.y));
  return start + line_to(from, curve_from) +
         curve(curve_from.x, curve_from.y, curve_to.x, curve_to.y) + line_to(curve_to, to);
}

Point Route::at(double t) const {
  const double across = t * t * (3 - 2 * t), down = 1.5 * t * (1 - t) + t * t * t;
  return {curve_from.x + across * (curve_to.x - curve_from.x),
          curve_from.y + down * (curve_to.y - curve_from.y)};
}

Route route(Point from, Point to, double bend, const std::vector<Box>& boxes) {
  const Route smooth{from, from, to, to};
  std::size_t fewest = hits(smooth, boxes);
  if (fewest == 0 || to.y - from.y <= bend) return smooth;
  Route best = smooth;
  const Route gentle{from, from, {to.x, from.y + std::max(bend, (to.y - from.y) / 2)}, to};
  const Route early{from, from, {to.x, from.y + bend}, to};
  const Route late{from, {from.x, to.y - bend}, to, to};
  for (const Route& candidate : {gentle, early, late}) {
    const std::size_t met = hits(candidate, boxes);
    if (met < fewest) best = candidate;
    fewest = std::min(fewest, met);
  }
  return best;
}

}  // namespace coppice::detail

// Line charts as SVG: training curves, sweeps, precision-recall curves, reliability diagrams.
//
//     line_plot({{"train", {{1, 40.2}, {2, 31.7}}}}, {.title = "objective", .x_label =
//     "iteration"})
//
// Axes have round ticks (1, 2 or 5 times a power of ten) and are widened to the next tick, unless
// their ends are given. A point that is not finite leaves a gap in its line. Several series get a
// legend, and colours that colour-blind readers can tell apart; beyond eight, dashes. The picture
// carries its title and a description for those who cannot see it, and points carry their values.
//
// Cost: linear in the number of points. The bytes depend on nothing but the arguments.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace coppice {

struct PlotPoint {
  double x = 0;
  double y = 0;
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;
};

enum class PlotScale { kLinear, kLog };

struct PlotAxis {
  std::string label{};
  PlotScale scale = PlotScale::kLinear;
  std::optional<double> low{}, high{};  // the ends; where not given, those of the data
};

struct LinePlotOptions {
  std::string title{};
  PlotAxis x{};
  PlotAxis y{};
  bool diagonal = false;  // the line y = x, for what should agree
  bool lines = true;      // join the points; without it they stand alone
  double width = 760;
  double height = 440;
};

// Throws InvalidArgument when no series has a finite point, when a point or an end is not positive
// on a logarithmic axis, when an axis's ends are in the wrong order, and for a size below 200.
std::string line_plot(std::span<const PlotSeries> series, const LinePlotOptions& options);

// The axis from `low` to `high` with at most `most` ticks: its ends, and the ticks between them.
// An end that is fixed stays; one that is not moves outwards to a tick. A single value is given
// room on both sides. Requires finite low <= high, positive on a logarithmic axis, and most >= 2.
struct PlotTicks {
  double low = 0;
  double high = 1;
  std::vector<double> ticks;
  std::vector<std::string> labels;
};
struct PlotRange {
  double low = 0;
  double high = 1;
  bool fixed_low = false;
  bool fixed_high = false;
};
PlotTicks round_ticks(const PlotRange& range, PlotScale scale, std::size_t most);

}  // namespace coppice

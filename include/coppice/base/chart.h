// Line charts as SVG: training curves, sweeps, precision-recall curves, reliability diagrams.
//
//     line_chart({{"train", {{1, 40.2}, {2, 31.7}}}}, {.title = "objective", .x_label =
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

struct ChartPoint {
  double x = 0;
  double y = 0;
};

struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;
};

enum class ChartScale { kLinear, kLog };

struct ChartAxis {
  std::string label{};
  ChartScale scale = ChartScale::kLinear;
  std::optional<double> low{}, high{};  // the ends; where not given, those of the data
};

struct ChartOptions {
  std::string title{};
  ChartAxis x{};
  ChartAxis y{};
  bool diagonal = false;  // the line y = x, for what should agree
  bool lines = true;      // join the points; without it they stand alone
  double width = 760;
  double height = 440;
};

// Throws InvalidArgument when no series has a finite point, when a point or an end is not positive
// on a logarithmic axis, when an axis's ends are in the wrong order, and for a size below 200.
std::string line_chart(std::span<const ChartSeries> series, const ChartOptions& options);

// The axis from `low` to `high` with at most `most` ticks: its ends, and the ticks between them.
// An end that is fixed stays; one that is not moves outwards to a tick. A single value is given
// room on both sides. Requires finite low <= high, positive on a logarithmic axis, and most >= 2.
struct ChartTicks {
  double low = 0;
  double high = 1;
  std::vector<double> ticks;
  std::vector<std::string> labels;
};
struct ChartRange {
  double low = 0;
  double high = 1;
  bool fixed_low = false;
  bool fixed_high = false;
};
ChartTicks round_ticks(const ChartRange& range, ChartScale scale, std::size_t most);

}  // namespace coppice

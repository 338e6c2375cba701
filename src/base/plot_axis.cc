#include <algorithm>
#include <charconv>
#include <cmath>

#include "coppice/base/error.h"
#include "coppice/base/plot.h"

namespace coppice {

namespace {

// The shortest text of a tick; digits that only rounding brought are cut off.
std::string label_of(double value) {
  char buffer[64];
  const double magnitude = std::abs(value);
  const bool plain = value == 0 || (magnitude >= 1e-4 && magnitude < 1e7);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr;
  return {buffer, end};
}

// 1, 2 or 5 times a power of ten: the smallest that is not below `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-12)) return factor * power;
  }
  return 10 * power;
}

// `count` steps from 0. One over a step below 1 is whole, so that this is the nearest double.
double tick_at(double count, double step) {
  return step >= 1 ? count * step : count / std::round(1 / step);
}

PlotTicks linear_ticks(const PlotRange& range, std::size_t most) {
  PlotTicks axis{range.low, range.high, {}, {}};
  if (axis.low == axis.high) {
    const double room = axis.low == 0 ? 1 : std::abs(axis.low) * 0.1;
    if (!range.fixed_low) axis.low -= room;
    if (!range.fixed_high || range.fixed_low) axis.high += room;
  }
  const double step = round_step((axis.high - axis.low) / static_cast<double>(most - 1));
  constexpr double slack = 1e-9;
  double first = std::floor(axis.low / step + slack), last = std::ceil(axis.high / step - slack);
  if (range.fixed_low) first = std::ceil(axis.low / step - slack);
  if (range.fixed_high) last = std::floor(axis.high / step + slack);
  for (double count = first; count <= last; ++count) axis.ticks.push_back(tick_at(count, step));
  if (!range.fixed_low && !axis.ticks.empty()) axis.low = std::min(axis.low, axis.ticks.front());
  if (!range.fixed_high && !axis.ticks.empty()) axis.high = std::max(axis.high, axis.ticks.back());
  return axis;
}

// Powers of ten; where those are fewer than three, 2 and 5 times them as well.
PlotTicks log_ticks(const PlotRange& range, std::size_t most) {
  PlotTicks axis{range.low, range.high, {}, {}};
  if (axis.low == axis.high) {
    if (!range.fixed_low) axis.low /= 2;
    if (!range.fixed_high || range.fixed_low) axis.high *= 2;
  }
  const int first = static_cast<int>(std::floor(std::log10(axis.low) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(axis.high) - 1e-9));
  const bool few = last - first < 3;
  const int stride = 1 + (last - first) / static_cast<int>(most);
  std::vector<double> all;
  for (int power = first; power <= last; power += stride) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor == 1 || few) all.push_back(factor * std::pow(10, power));
    }
  }
  // An end that may move goes to the nearest tick outside.
  const auto is_above = [](double end) {
    return [end](double tick) { return tick >= end * (1 - 1e-9); };
  };
  const auto above = std::find_if(all.begin(), all.end(), is_above(axis.high));
  if (!range.fixed_high && above != all.end()) axis.high = std::max(axis.high, *above);
  const auto not_below = std::find_if(all.begin(), all.end(), is_above(axis.low * (1 + 2e-9)));
  if (!range.fixed_low && not_below != all.begin()) axis.low = std::min(axis.low, not_below[-1]);
  for (const double tick : all) {
    if (tick >= axis.low * (1 - 1e-9) && tick <= axis.high * (1 + 1e-9)) axis.ticks.push_back(tick);
  }
  return axis;
}

}  // namespace

PlotTicks round_ticks(const PlotRange& range, PlotScale scale, std::size_t most) {
  const bool ordered = std::isfinite(range.low) && std::isfinite(range.high) &&
                       range.low <= range.high &&
                       !(range.fixed_low && range.fixed_high && range.low == range.high);
  require(ordered, "plot: an axis from ", range.low, " to ", range.high);
  require(scale == PlotScale::kLinear || range.low > 0, "plot: ", range.low,
          " on a logarithmic axis, which has positive numbers only");
  PlotTicks axis = scale == PlotScale::kLinear ? linear_ticks(range, most) : log_ticks(range, most);
  for (const double tick : axis.ticks) axis.labels.push_back(label_of(tick));
  return axis;
}

}  // namespace coppice

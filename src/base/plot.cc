#include "coppice/base/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/svg.h"
#include "coppice/base/error.h"
#include "coppice/base/markup.h"

namespace coppice {

namespace {

using detail::px;

constexpr std::array<std::string_view, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                      "#e69f00", "#56b4e9", "#7a5c00", "#444b54"};
constexpr std::array<std::string_view, 3> kDashes = {"", "6 3", "2 3"};
constexpr double kTitleFont = 15, kLabelFont = 12, kTickFont = 11;
constexpr double kMargin = 16, kLegendLine = 20, kLegendSwatch = 26, kMaxLegend = 220;
// With more points than this, marks would hide the line.
constexpr std::size_t kMostMarks = 80;

bool is_finite(const PlotPoint& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

// Where the values of an axis lie on the picture.
struct Placement {
  PlotTicks ticks;
  PlotScale scale;
  double begin;  // in pixels, at ticks.low
  double end;    // at ticks.high

  double operator()(double value) const {
    const auto along = [&](double v) { return scale == PlotScale::kLog ? std::log(v) : v; };
    const double share = (along(value) - along(ticks.low)) / (along(ticks.high) - along(ticks.low));
    return begin + share * (end - begin);
  }
  bool holds(double value) const { return value >= ticks.low && value <= ticks.high; }
};

class Plot {
 public:
  Plot(std::span<const PlotSeries> series, const LinePlotOptions& options)
      : series_(series), options_(options) {
    require(options.width >= 200 && options.height >= 200, "plot: ", options.width, " by ",
            options.height, " pixels; at least 200 by 200 are needed");
    measure_legend();
    place_axes();
  }

  std::string svg() {
    out_ = detail::svg_begin({options_.width, options_.height, title(), description()});
    out_ += detail::svg_text(detail::shorten(title(), kTitleFont, options_.width - 2 * kMargin),
                             {options_.width / 2, 26, kTitleFont, detail::kInk, ""});
    draw_axes();
    if (options_.diagonal) draw_diagonal();
    for (std::size_t i = 0; i < series_.size(); ++i) draw_series(i);
    if (series_.size() > 1) draw_legend();
    return std::move(out_) + detail::svg_end();
  }

 private:
  std::string title() const {
    return options_.title.empty() ? concat(options_.y.label, " by ", options_.x.label)
                                  : options_.title;
  }

  // "objective: 12 points, from (1, 40.2) to (12, 3.1)."
  std::string description() const {
    std::string text;
    for (const PlotSeries& one : series_) {
      const auto first = std::find_if(one.points.begin(), one.points.end(), is_finite);
      const auto last = std::find_if(one.points.rbegin(), one.points.rend(), is_finite);
      text += concat(text.empty() ? "" : " ", one.name, ": ", one.points.size(), " points");
      if (first != one.points.end()) {
        text += concat(", from (", first->x, ", ", first->y, ") to (", last->x, ", ", last->y, ")");
      }
      text += '.';
    }
    return text;
  }

  void measure_legend() {
    if (series_.size() < 2) return;
    for (const PlotSeries& one : series_) {
      legend_ = std::max(legend_, detail::text_width(one.name, kLabelFont));
    }
    legend_ = std::min(legend_, kMaxLegend) + kLegendSwatch + kMargin + 8;
  }

  PlotRange range_of(const PlotAxis& axis, double PlotPoint::*member) const {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const PlotSeries& one : series_) {
      for (const PlotPoint& point : one.points) {
        if (!is_finite(point)) continue;
        low = std::min(low, point.*member);
        high = std::max(high, point.*member);
      }
    }
    require(low <= high, "plot: there is no point to draw");
    require(axis.scale == PlotScale::kLinear || low > 0, "plot: ", low,
            " on a logarithmic axis, which has positive numbers only");
    PlotRange range{axis.low.value_or(low), axis.high.value_or(high), axis.low.has_value(),
                    axis.high.has_value()};
    // An end that is given beyond the data leaves nothing but itself to show.
    if (!axis.high) range.high = std::max(range.high, range.low);
    if (!axis.low) range.low = std::min(range.low, range.high);
    return range;
  }

  void place_axes() {
    const double top = 44, bottom = options_.height - 52;
    y_ = {round_ticks(range_of(options_.y, &PlotPoint::y), options_.y.scale,
                      static_cast<std::size_t>(std::max(3.0, (bottom - top) / 45))),
          options_.y.scale, bottom, top};
    double widest = 0;
    for (const std::string& label : y_.ticks.labels) {
      widest = std::max(widest, detail::text_width(label, kTickFont));
    }
    const double left = kMargin + 24 + widest + 8;
    const double right = options_.width - std::max(kMargin + 8, legend_);
    x_ = {round_ticks(range_of(options_.x, &PlotPoint::x), options_.x.scale,
                      static_cast<std::size_t>(std::max(3.0, (right - left) / 70))),
          options_.x.scale, left, right};
  }

  void line(double x1, double y1, double x2, double y2, std::string_view how) {
    out_ +=
        concat("<path d=\"M", px(x1), ' ', px(y1), 'L', px(x2), ' ', px(y2), "\" ", how, "/>\n");
  }

  void draw_axes() {
    constexpr std::string_view grid = "stroke=\"#e3e8e3\"";
    const auto ticked = [](const PlotTicks& axis, auto&& draw) {
      for (std::size_t i = 0; i < axis.ticks.size(); ++i) draw(axis.ticks[i], axis.labels[i]);
    };
    ticked(x_.ticks, [&](double tick, const std::string& label) {
      line(x_(tick), y_.begin, x_(tick), y_.end, grid);
      out_ += detail::svg_text(label, {x_(tick), y_.begin + 17, kTickFont, detail::kFaintInk, ""});
    });
    ticked(y_.ticks, [&](double tick, const std::string& label) {
      line(x_.begin, y_(tick), x_.end, y_(tick), grid);
      out_ += detail::svg_text(label, {x_.begin - 7, y_(tick) + 4, kTickFont, detail::kFaintInk,
                                       "style=\"text-anchor:end\""});
    });
    const std::string ink = concat("stroke=\"", detail::kLine, "\"");
    line(x_.begin, y_.begin, x_.end, y_.begin, ink);
    line(x_.begin, y_.begin, x_.begin, y_.end, ink);
    out_ += detail::svg_text(options_.x.label, {(x_.begin + x_.end) / 2, options_.height - 14,
                                                kLabelFont, detail::kInk, ""});
    const double middle = (y_.begin + y_.end) / 2, at = kMargin + 8;
    out_ += detail::svg_text(options_.y.label,
                             {at, middle, kLabelFont, detail::kInk,
                              concat("transform=\"rotate(-90 ", px(at), ' ', px(middle), ")\"")});
  }

  // y = x, as far as both axes have it.
  void draw_diagonal() {
    const double low = std::max(x_.ticks.low, y_.ticks.low);
    const double high = std::min(x_.ticks.high, y_.ticks.high);
    if (low >= high) return;
    line(x_(low), y_(low), x_(high), y_(high),
         concat("stroke=\"", detail::kFaintInk, "\" stroke-dasharray=\"4 4\""));
  }

  static std::string stroke(std::size_t number) {
    const std::string_view dash = kDashes[number / kColours.size() % kDashes.size()];
    return concat("fill=\"none\" stroke=\"", kColours[number % kColours.size()],
                  "\" stroke-width=\"2\" stroke-linejoin=\"round\"",
                  dash.empty() ? "" : concat(" stroke-dasharray=\"", dash, "\""));
  }

  bool shows(const PlotPoint& point) const {
    return is_finite(point) && x_.holds(point.x) && y_.holds(point.y);
  }

  void draw_series(std::size_t number) {
    const PlotSeries& one = series_[number];
    std::string path;
    bool joined = false;
    for (const PlotPoint& point : one.points) {
      const bool shown = shows(point);
      if (shown) path += concat(joined ? 'L' : 'M', px(x_(point.x)), ' ', px(y_(point.y)));
      joined = shown;
    }
    if (options_.lines && !path.empty()) {
      out_ += concat("<path d=\"", path, "\" ", stroke(number), "/>\n");
    }
    if (options_.lines && one.points.size() > kMostMarks) return;
    for (const PlotPoint& point : one.points) {
      if (!shows(point)) continue;
      out_ += concat("<circle cx=\"", px(x_(point.x)), "\" cy=\"", px(y_(point.y)),
                     "\" r=\"3\" fill=\"", kColours[number % kColours.size()], "\"><title>",
                     escape_xml(one.name), ": ", point.x, ", ", point.y, "</title></circle>\n");
    }
  }

  void draw_legend() {
    const double left = x_.end + kMargin;
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const double y = y_.end + 8 + kLegendLine * static_cast<double>(i);
      line(left, y, left + kLegendSwatch - 8, y, stroke(i));
      const double room = options_.width - left - kLegendSwatch - 4;
      out_ += detail::svg_text(
          detail::shorten(series_[i].name, kLabelFont, room),
          {left + kLegendSwatch, y + 4, kLabelFont, detail::kInk, "style=\"text-anchor:start\""});
    }
  }

  std::span<const PlotSeries> series_;
  const LinePlotOptions& options_;
  double legend_ = 0;  // its width, margins included
  Placement x_{}, y_{};
  std::string out_;
};

}  // namespace

std::string line_plot(std::span<const PlotSeries> series, const LinePlotOptions& options) {
  return Plot(series, options).svg();
}

}  // namespace coppice

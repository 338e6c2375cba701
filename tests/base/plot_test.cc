#include "coppice/base/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "coppice/base/error.h"
#include "coppice/base/random.h"

namespace coppice {
namespace {

std::vector<std::string> labels(double low, double high, PlotScale scale = PlotScale::kLinear,
                                std::size_t most = 6) {
  return round_ticks({.low = low, .high = high}, scale, most).labels;
}

TEST(RoundTicks, AreMultiplesOfOneTwoOrFive) {
  EXPECT_EQ(labels(0, 1), (std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8", "1"}));
  EXPECT_EQ(labels(3, 97), (std::vector<std::string>{"0", "20", "40", "60", "80", "100"}));
  EXPECT_EQ(labels(-0.3, 0.3), (std::vector<std::string>{"-0.4", "-0.2", "0", "0.2", "0.4"}));
  EXPECT_EQ(labels(13139.4, 41000),
            (std::vector<std::string>{"10000", "20000", "30000", "40000", "50000"}));
}

TEST(RoundTicks, OfALogarithmicAxisArePowersOfTen) {
  EXPECT_EQ(labels(0.004, 700, PlotScale::kLog, 9),
            (std::vector<std::string>{"0.001", "0.01", "0.1", "1", "10", "100", "1000"}));
  EXPECT_EQ(labels(3, 40, PlotScale::kLog, 9),
            (std::vector<std::string>{"2", "5", "10", "20", "50"}));
}

TEST(RoundTicks, HoldTheDataAndStayWhereTheyAreFixed) {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const double scale = std::pow(10, static_cast<double>(random.below(12)) - 5);
    const double low = (random.uniform() - 0.5) * scale;
    const double high = low + (i % 10 == 0 ? 0 : random.uniform() * scale);
    const bool fixed = i % 3 == 0 && low < high;
    const PlotTicks axis = round_ticks(
        {.low = low, .high = high, .fixed_low = fixed, .fixed_high = fixed}, PlotScale::kLinear, 7);
    EXPECT_LE(axis.low, low);
    EXPECT_GE(axis.high, high);
    EXPECT_LT(axis.low, axis.high);
    EXPECT_LE(axis.ticks.size(), 9u);
    if (fixed) {
      EXPECT_EQ(axis.low, low);
      EXPECT_EQ(axis.high, high);
    } else {
      EXPECT_GE(axis.ticks.size(), 2u);
    }
    for (const std::string& label : axis.labels) EXPECT_LE(label.size(), 12u) << label;
  }
}

TEST(RoundTicks, RefuseWhatNoAxisHas) {
  EXPECT_THROW(labels(1, 0), InvalidArgument);
  EXPECT_THROW(labels(0, 10, PlotScale::kLog), InvalidArgument);
  EXPECT_THROW(labels(0, std::numeric_limits<double>::infinity()), InvalidArgument);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(LinePlot, DrawsALineAndAMarkForEachSeriesAndPoint) {
  const std::vector<PlotSeries> series{{"a < b", {{1, 4}, {2, 3}, {3, 2.5}}},
                                       {"c", {{1, 5}, {3, 4}}}};
  const std::string svg = line_plot(
      series, {.title = "T & U", .x = {.label = "iteration"}, .y = {.label = "objective"}});
  EXPECT_EQ(count(svg, "<circle"), 5u);
  EXPECT_EQ(count(svg, "stroke-width=\"2\""), 4u) << "two lines, and two in the legend";
  EXPECT_EQ(count(svg, "T &amp; U"), 2u) << "shown, and as the picture's title";
  EXPECT_NE(svg.find("a &lt; b: 3 points, from (1, 4) to (3, 2.5)."), std::string::npos);
  EXPECT_EQ(
      svg, line_plot(series,
                     {.title = "T & U", .x = {.label = "iteration"}, .y = {.label = "objective"}}));
}

TEST(LinePlot, LeavesGapsWhereAPointIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<PlotSeries> series{{"a", {{1, 1}, {2, 2}, {3, nan}, {4, 2}, {5, 3}}}};
  const std::string svg = line_plot(series, {});
  EXPECT_EQ(count(svg, "<circle"), 4u);
  const std::size_t path = svg.find("fill=\"none\"");
  const std::size_t begin = svg.rfind("d=\"", path);
  EXPECT_EQ(count(svg.substr(begin, path - begin), "M"), 2u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(LinePlot, ShowsWhatShouldAgreeAsADiagonal) {
  const std::vector<PlotSeries> series{{"observed", {{0.1, 0.2}, {0.9, 0.8}}}};
  EXPECT_EQ(count(line_plot(series, {.diagonal = true}), "stroke-dasharray=\"4 4\""), 1u);
  EXPECT_EQ(count(line_plot(series, {}), "stroke-dasharray"), 0u);
}

TEST(LinePlot, RefusesWhatItCannotDraw) {
  const std::vector<PlotSeries> empty{{"a", {}}};
  const std::vector<PlotSeries> zero{{"a", {{0, 1}, {1, 2}}}};
  EXPECT_THROW(line_plot(empty, {}), InvalidArgument);
  EXPECT_THROW(line_plot(zero, {.x = {.scale = PlotScale::kLog}}), InvalidArgument);
  EXPECT_THROW(line_plot(zero, {.x = {.low = 5, .high = 1}}), InvalidArgument);
  EXPECT_THROW(line_plot(zero, {.width = 10}), InvalidArgument);
}

}  // namespace
}  // namespace coppice

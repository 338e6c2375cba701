// What each way of showing progress writes, and how often.
#include "cli/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "cli/human.h"
#include "cli/time_left.h"

namespace coppice::cli {
namespace {

const ProgressState kHalf{
    .what = "reading", .done = 500, .total = 1000, .seconds = 10, .fields = {{"loss", 41.5}}};

TEST(BarText, ShowsShareRateAndTimeLeft) {
  EXPECT_EQ(bar_text(kHalf, 100),
            "reading  [==========>         ]  50%  50/s  0:10 left  loss 41.5");
}

TEST(BarText, NeverPassesTheWidth) {
  for (std::size_t columns = 3; columns < 80; ++columns)
    EXPECT_LE(width(bar_text(kHalf, columns)), columns);
}

TEST(BarText, CountsWhenTheTotalIsUnknown) {
  EXPECT_EQ(bar_text({.what = "reading", .done = 12345, .seconds = 5}, 80),
            "reading  12 345  2.5k/s  0:05");
}

TEST(BarText, BearsTheFirstMomentAndTheLast) {
  EXPECT_EQ(bar_text({.what = "x", .total = 10}, 80),
            "x  [>                   ]   0%  -/s  -:-- left");
  EXPECT_EQ(bar_text({.what = "x", .done = 12, .total = 10, .seconds = 1}, 80),
            "x  [====================] 100%  12/s  -:-- left");
}

TEST(PlainText, SaysHowMuchInWhatTime) {
  EXPECT_EQ(plain_text(kHalf), "reading: 500 of 1000 in 0:10 (50/s)  loss 41.5");
  EXPECT_EQ(plain_text({.what = "reading", .done = 14041, .total = 14041, .seconds = 2}),
            "reading: 14 041 in 0:02 (7.0k/s)");
}

TEST(JsonText, IsOneObject) {
  EXPECT_EQ(json_text(kHalf),
            R"({"task":"reading","done":500,"total":1000,"seconds":10.0,"loss":41.5})");
}

// A display whose clock the test moves.
struct Timed {
  explicit Timed(ProgressMode mode) : display(make_progress(mode, out, [this] { return now; })) {}
  double now = 100;
  std::ostringstream out;
  std::unique_ptr<ProgressDisplay> display;
};

TEST(ProgressDisplay, DrawsTheBarTenTimesASecondAtMost) {
  Timed timed(ProgressMode::kBar);
  timed.display->begin("x", 1000);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    timed.now += 0.001;
    timed.display->update(i, {});
  }
  const std::string text = timed.out.str();
  const auto drawn = std::count(text.begin(), text.end(), '\r');
  EXPECT_GE(drawn, 8);
  EXPECT_LE(drawn, 10);
}

TEST(ProgressDisplay, WipesTheBarOnceAtTheEnd) {
  Timed timed(ProgressMode::kBar);
  timed.display->begin("x", 10);
  timed.now += 1;
  timed.display->update(5, {});
  timed.out.str("");
  timed.display->end();
  timed.display->end();
  EXPECT_EQ(timed.out.str(), "\r\033[K");
}

TEST(ProgressDisplay, WritesOnePlainLineForAShortTask) {
  Timed timed(ProgressMode::kPlain);
  timed.display->begin("reading", 3);
  for (std::uint64_t i = 1; i <= 3; ++i) timed.display->update(i, {});
  timed.now += 1;
  timed.display->end();
  EXPECT_EQ(timed.out.str(), "reading: 3 in 0:01 (3/s)\n");
}

TEST(ProgressDisplay, WritesAPlainLineEveryTenSeconds) {
  Timed timed(ProgressMode::kPlain);
  timed.display->begin("x", 0);
  for (std::uint64_t i = 1; i <= 25; ++i) {
    timed.now += 1;
    timed.display->update(i, {});
  }
  timed.display->end();
  EXPECT_EQ(timed.out.str(), "x: 10 in 0:10 (1/s)\nx: 20 in 0:20 (1/s)\nx: 25 in 0:25 (1/s)\n");
}

TEST(ProgressDisplay, IsSilentWhenAsked) {
  Timed timed(ProgressMode::kNone);
  timed.display->begin("x", 10);
  timed.now += 60;
  timed.display->update(5, {});
  timed.display->end();
  EXPECT_EQ(timed.out.str(), "");
}

TEST(ProgressDisplay, RedrawsALineOfTheCallersTenTimesASecondAtMost) {
  Timed timed(ProgressMode::kBar);
  timed.display->show_line("one");
  timed.now += 0.05;
  timed.display->show_line("too soon");
  timed.now += 0.06;
  timed.display->show_line("two");
  timed.display->clear();
  timed.display->show_line("three");
  EXPECT_EQ(timed.out.str(), "\rone\033[K\rtwo\033[K\r\033[K\rthree\033[K");
  Timed plain(ProgressMode::kPlain);
  EXPECT_FALSE(plain.display->redraws());
  plain.display->show_line("one");
  EXPECT_EQ(plain.out.str(), "");
}

TEST(TimeLeft, IsTheMeanOfTheStepsTimesThoseLeft) {
  TimeLeft left;
  EXPECT_TRUE(std::isnan(left.at_most()));
  left.step(1, 9, 2.0);
  EXPECT_DOUBLE_EQ(left.at_most(), 18.0);
  left.step(3, 7, 12.0);
  EXPECT_DOUBLE_EQ(left.at_most(), 28.0);
  left.step(4, 0, 13.0);  // converged
  EXPECT_DOUBLE_EQ(left.at_most(), 0.0);
}

TEST(TimeLeft, LeavesOutStepsOfOtherKindsAndOfEarlierRuns) {
  TimeLeft left(10);
  left.step(11, std::nullopt, 100.0);
  EXPECT_TRUE(std::isnan(left.at_most()));
  left.step(12, 5, 103.0);
  EXPECT_DOUBLE_EQ(left.at_most(), 15.0);
  TimeLeft resumed(10);
  resumed.step(11, 4, 2.0);
  EXPECT_DOUBLE_EQ(resumed.at_most(), 8.0);
}

TEST(ProgressMode, IsABarOnlyOnATerminal) {
  EXPECT_EQ(progress_mode("auto", true), ProgressMode::kBar);
  EXPECT_EQ(progress_mode("auto", false), ProgressMode::kPlain);
  EXPECT_EQ(progress_mode("bar", false), ProgressMode::kBar);
  EXPECT_EQ(progress_mode("json", true), ProgressMode::kJson);
  EXPECT_EQ(progress_mode("none", true), ProgressMode::kNone);
}

}  // namespace
}  // namespace coppice::cli

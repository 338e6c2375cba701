// Columns line up, rows stream, and the other formats lose nothing.
#include "cli/table.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "coppice/base/error.h"

namespace coppice::cli {
namespace {

TEST(Table, AlignsTextLeftAndNumbersRight) {
  std::ostringstream out;
  Table table(out, {{.name = "label"}, {.name = "F1"}, {.name = "gold"}}, {});
  table.row({"LOC", 91.416, 1668});
  table.row({"MISC", 8.0, 12});
  EXPECT_EQ(out.str(), "") << "widths are not known yet";
  table.finish();
  EXPECT_EQ(out.str(),
            "label     F1  gold\n"
            "LOC    91.42  1668\n"
            "MISC    8.00    12\n");
}

TEST(Table, StreamsWhenAllWidthsAreGiven) {
  std::ostringstream out;
  Table table(out,
              {{.name = "iter", .width = 5, .align = Align::kRight},
               {.name = "loss", .width = 8},
               {.name = "time", .width = 6, .align = Align::kRight}},
              {});
  table.row({10, 41203.71, "0:06"});
  EXPECT_EQ(out.str(),
            " iter      loss    time\n"
            "   10  41203.71    0:06\n");
  out.str("");
  table.row({"*60", 14093.35, "0:33"});
  EXPECT_EQ(out.str(), "  *60  14093.35    0:33\n");
  out.str("");
  table.row({70, 123456789.0, "0:40"});
  EXPECT_EQ(out.str(), "   70  123456789.00    0:40\n");
  out.str("");
  table.finish();
  EXPECT_EQ(out.str(), "");
}

TEST(Table, MeasuresCodePoints) {
  std::ostringstream out;
  Table table(out, {{.name = "w"}, {.name = "n"}}, {});
  table.row({"Z\u00fcrich", 1});
  table.row({"Bern", 2});
  table.finish();
  EXPECT_EQ(out.str(), "w       n\nZ\u00fcrich  1\nBern    2\n");
}

TEST(Table, LeavesNoBlanksAtTheEndOfALine) {
  std::ostringstream out;
  Table table(out, {{.name = "n"}, {.name = "text"}}, {});
  table.row({1, "a"});
  table.finish();
  EXPECT_EQ(out.str(), "n  text\n1  a\n");
}

TEST(Table, ShowsAnUnknownNumberAsADash) {
  std::ostringstream out;
  Table table(out, {{.name = "F1"}}, {});
  table.row({std::numeric_limits<double>::quiet_NaN()});
  table.finish();
  EXPECT_EQ(out.str(), "F1\n -\n");
}

TEST(Table, WritesItsHeaderEvenWithoutRows) {
  std::ostringstream out;
  Table(out, {{.name = "a"}, {.name = "b"}}, {}).finish();
  EXPECT_EQ(out.str(), "a  b\n");
}

TEST(Table, MakesABoldHeaderWithColour) {
  std::ostringstream out;
  Table(out, {{.name = "a"}}, {.color = true}).finish();
  EXPECT_EQ(out.str(), "\033[1ma\033[0m\n");
}

TEST(Table, EscapesTextAndKeepsDigitsInTsv) {
  std::ostringstream out;
  Table table(out, {{.name = "|x|", .key = "x"}, {.name = "y"}}, {.format = TableFormat::kTsv});
  table.row({"a\tb\\c\nd", 0.1234567});
  table.finish();
  EXPECT_EQ(out.str(), "x\ty\na\\tb\\\\c\\nd\t0.1234567\n");
}

TEST(Table, WritesAnObjectPerRowInJson) {
  std::ostringstream out;
  Table table(out, {{.name = "|x|", .key = "x"}, {.name = "y"}, {.name = "n"}},
              {.format = TableFormat::kJson});
  table.row({"a\"b", 0.5, 3});
  table.row({"bad \xff", std::numeric_limits<double>::infinity(), 4});
  table.finish();
  EXPECT_EQ(out.str(),
            "{\"x\":\"a\\\"b\",\"y\":0.5,\"n\":3}\n"
            "{\"x\":\"bad \ufffd\",\"y\":null,\"n\":4}\n");
}

TEST(Table, RefusesARowOfTheWrongLength) {
  std::ostringstream out;
  Table table(out, {{.name = "a"}}, {});
  EXPECT_THROW(table.row({1, 2}), InvalidArgument);
}

}  // namespace
}  // namespace coppice::cli

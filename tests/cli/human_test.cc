// Numbers and text as people read them.
#include "cli/human.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coppice::cli {
namespace {

TEST(Thousands, SeparatesFiveDigitsAndMore) {
  EXPECT_EQ(thousands(0), "0");
  EXPECT_EQ(thousands(9999), "9999");
  EXPECT_EQ(thousands(14041), "14 041");
  EXPECT_EQ(thousands(1204411), "1 204 411");
  EXPECT_EQ(thousands(18446744073709551615u), "18 446 744 073 709 551 615");
}

TEST(Duration, GrowsFromMinutesToHours) {
  EXPECT_EQ(duration(0), "0:00");
  EXPECT_EQ(duration(6.9), "0:06");
  EXPECT_EQ(duration(754), "12:34");
  EXPECT_EQ(duration(3723), "1:02:03");
  EXPECT_EQ(duration(NAN), "-:--");
  EXPECT_EQ(duration(INFINITY), "-:--");
  EXPECT_EQ(duration(-1), "-:--");
}

TEST(FileSize, NeverShowsAThousandOfAUnit) {
  EXPECT_EQ(file_size(0), "0 B");
  EXPECT_EQ(file_size(999), "999 B");
  EXPECT_EQ(file_size(38'400'000), "38.4 MB");
  EXPECT_EQ(file_size(999'999), "1.0 MB");
}

TEST(Compact, KeepsTwoOrThreeDigits) {
  EXPECT_EQ(compact(950), "950");
  EXPECT_EQ(compact(999.7), "1.0k");
  EXPECT_EQ(compact(7040), "7.0k");
  EXPECT_EQ(compact(41'000), "41k");
  EXPECT_EQ(compact(1'234'567), "1.2M");
  EXPECT_EQ(compact(NAN), "-");
}

TEST(Counted, KnowsThePlural) {
  EXPECT_EQ(counted(1, "error"), "1 error");
  EXPECT_EQ(counted(0, "warning"), "0 warnings");
}

TEST(Width, CountsCodePoints) {
  EXPECT_EQ(width(""), 0u);
  EXPECT_EQ(width("abc"), 3u);
  EXPECT_EQ(width("Z\u00fcrich \u2192"), 8u);
}

TEST(Shortened, CutsBetweenCodePoints) {
  EXPECT_EQ(shortened("Z\u00fcrich", 6), "Z\u00fcrich");
  EXPECT_EQ(shortened("Z\u00fcrich", 5), "Z\u00fc...");
  EXPECT_EQ(shortened("abcdef", 3), "...");
}

TEST(Wrapped, BreaksAtBlanksAndKeepsParagraphs) {
  EXPECT_EQ(wrapped("one two three", 9, 2), "  one two\n  three\n");
  EXPECT_EQ(wrapped("one\ntwo\n\nthree", 20, 0), "one two\n\nthree\n");
  EXPECT_EQ(wrapped("a incomprehensible b", 6, 0), "a\nincomprehensible\nb\n");
  EXPECT_EQ(wrapped("", 10, 2), "");
}

TEST(ShellWord, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(shell_word("models/ner-1.cop"), "models/ner-1.cop");
  EXPECT_EQ(shell_word("form,_,label"), "form,_,label");
  EXPECT_EQ(shell_word("my model.cop"), "'my model.cop'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Visible, WritesControlsInHexadecimal) {
  EXPECT_EQ(visible("a\tb\x1b[1m \x7f"), "a\\x09b\\x1b[1m \\x7f");
  EXPECT_EQ(visible("\xc2\x9b \xc2\xa0 \xc3\xa9"), "\\xc2\\x9b \xc2\xa0 \xc3\xa9");
}

}  // namespace
}  // namespace coppice::cli

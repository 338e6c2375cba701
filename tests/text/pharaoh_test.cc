// Links in Pharaoh format: what is read and written, and what is refused with which words.
#include "coppice/text/pharaoh.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace coppice::text {

namespace {

using testing::error_of;

std::vector<std::string> lines_of(std::string_view text) {
  PharaohReader reader(LineReader::over(text, "a.align"));
  std::vector<std::string> lines;
  for (std::vector<AlignmentLink> links; reader.next(links);) lines.push_back(pharaoh_line(links));
  return lines;
}

TEST(Pharaoh, SortsLinksAndMergesRepetitions) {
  EXPECT_EQ(lines_of("\xef\xbb\xbf"
                     "1-2 0-0\r\n\n 3?1  3-1\t2?2 2?2\n10-9"),
            (std::vector<std::string>{"0-0 1-2", "", "2?2 3-1", "10-9"}));
}

TEST(Pharaoh, ReadsAndWritesProbabilities) {
  PharaohReader reader(LineReader::over("0-0:0.5 1-1:1 2-2", "a"));
  std::vector<AlignmentLink> links;
  ASSERT_TRUE(reader.next(links));
  EXPECT_EQ(links[0].probability, 0.5);
  EXPECT_EQ(pharaoh_line(links, Probabilities::kWrite), "0-0:0.5000 1-1:1.0000 2-2:1.0000");
  EXPECT_FALSE(reader.next(links));
}

TEST(Pharaoh, SaysWhatIsWrongAndWhere) {
  const auto error = [](std::string_view text) { return error_of([&] { lines_of(text); }); };
  for (const std::string word : {"0", "0-", "-1", "0--1", "a-b", "0-1-2", "0-0:", "0-0:2",
                                 "0-0:nan", "1000000-0", "99999999999-1", "+1-0", "0-1:0.5:1"}) {
    EXPECT_EQ(error("0-0\n1-1 " + word),
              "E280 a.align:2: \"" + word + "\" is not a link such as 0-2, 0?2 or 0-2:0.9");
  }
  EXPECT_EQ(error("\xff"), "E202 a.align:1: the line is not UTF-8");
  EXPECT_EQ(error(std::string_view("0-0 \0", 5)), "E205 a.align:1: the line has a NUL byte");
}

TEST(Pharaoh, IsTold) {
  const testing::TemporaryDirectory directory;
  const auto looks = [&](const std::string& text) {
    return looks_like_pharaoh(directory.write("f", text));
  };
  EXPECT_TRUE(looks("0-0 1?2\n"));
  EXPECT_TRUE(looks("\n\n3-1:0.25"));
  EXPECT_FALSE(looks(""));
  EXPECT_FALSE(looks("\n"));
  EXPECT_FALSE(looks("0-0 word\n"));
  EXPECT_FALSE(looks("B-PER\tx\n"));
  std::string one_line;
  for (int i = 0; i < 20000; ++i) one_line += std::to_string(i) + "-" + std::to_string(i) + " ";
  EXPECT_TRUE(looks(one_line));
}

}  // namespace

}  // namespace coppice::text

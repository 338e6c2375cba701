// Lines of every shape are read, and no reader ever sees half a file.
#include "coppice/base/file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "coppice/base/digest.h"
#include "coppice/base/error.h"
#include "support/temporary_directory.h"

namespace coppice {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

TEST(LineReader, KeepsEmptyLinesAndALastLineWithoutItsEnd) {
  const testing::TemporaryDirectory dir;
  EXPECT_EQ(lines_of(dir.write("a", "one\n\nthree")),
            (std::vector<std::string>{"one", "", "three"}));
  EXPECT_EQ(lines_of(dir.write("b", "one\n")), (std::vector<std::string>{"one"}));
  EXPECT_TRUE(lines_of(dir.write("c", "")).empty());
}

TEST(LineReader, ReadsALineLongerThanItsBuffer) {
  const testing::TemporaryDirectory dir;
  const std::string longest(1'000'000, 'x');
  EXPECT_EQ(lines_of(dir.write("a", "short\n" + longest + "\nend\n")),
            (std::vector<std::string>{"short", longest, "end"}));
}

TEST(LineReader, RefusesALineThatDoesNotEnd) {
  LineReader endless("/dev/zero", 100'000);
  std::string_view line;
  try {
    endless.next(line);
    FAIL() << "an endless line was read";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.code(), "E212");
    EXPECT_EQ(to_string(error.where()), "/dev/zero:1");
  }
  const testing::TemporaryDirectory dir;
  LineReader fits(dir.write("a", std::string(100'000, 'x') + "\n"), 100'000);
  EXPECT_TRUE(fits.next(line));
}

TEST(LineReader, CountsLinesFromOne) {
  const testing::TemporaryDirectory dir;
  LineReader reader(dir.write("a", "one\ntwo"));
  std::string_view line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(reader.line_number(), 1u);
  EXPECT_TRUE(reader.line_was_terminated());
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(reader.line_number(), 2u);
  EXPECT_FALSE(reader.line_was_terminated());
  EXPECT_FALSE(reader.next(line));
}

TEST(LineReader, ReadsFromMemory) {
  LineReader reader = LineReader::over("one\n\nthree", "<memory>");
  EXPECT_EQ(reader.name(), "<memory>");
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "", "three"}));
  std::string_view line;
  EXPECT_FALSE(LineReader::over("", "<memory>").next(line));
}

TEST(LineReader, ReturnsALineAgainThatWasPutBack) {
  LineReader reader = LineReader::over("one\ntwo", "<memory>");
  for (const std::string expected : {"one", "two"}) {
    std::string_view line;
    ASSERT_TRUE(reader.next(line));
    const std::size_t number = reader.line_number();
    reader.unread();
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, expected);
    EXPECT_EQ(reader.line_number(), number);
  }
  std::string_view line;
  EXPECT_FALSE(reader.next(line));
}

TEST(LineReader, DigestsWhatItHasRead) {
  const testing::TemporaryDirectory dir;
  std::string text(200'000, 'x');
  text[100'000] = '\n';
  LineReader reader(dir.write("a", text));
  for (std::string_view line; reader.next(line);) continue;
  EXPECT_EQ(reader.digest(), digest(text));
  EXPECT_EQ(LineReader::over(text, "<memory>").digest(), digest(text));
}

TEST(Digest, IsXxh3) {
  EXPECT_EQ(digest(""), "2d06800538d394c2");  // the published value of XXH3 for no bytes
  EXPECT_NE(digest("a"), digest("b"));
}

TEST(RepeatableInput, OpensAFileAgainAndKeepsWhatCameFromAPipe) {
  const testing::TemporaryDirectory dir;
  const RepeatableInput file(dir.write("a", "one\ntwo\n"));
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "one\ntwo\n", 8), 8);
  ::close(ends[1]);
  const RepeatableInput pipe("/dev/fd/" + std::to_string(ends[0]));
  ::close(ends[0]);
  for (const RepeatableInput* input : {&file, &pipe}) {
    for (int pass = 0; pass < 2; ++pass) {
      LineReader lines = input->open();
      EXPECT_EQ(lines.name(), input->path());
      std::string all;
      for (std::string_view line; lines.next(line);) all.append(line).append("|");
      EXPECT_EQ(all, "one|two|");
    }
  }
}

TEST(ReadFile, NamesTheFileThatIsNotThere) {
  try {
    read_file("/nonexistent/file");
    FAIL() << "expected IoError";
  } catch (const IoError& error) {
    EXPECT_STREQ(error.what(), "cannot open /nonexistent/file: No such file or directory");
  }
}

TEST(ReadFile, RefusesADirectory) {
  const testing::TemporaryDirectory dir;
  EXPECT_THROW(read_file(dir.path().string()), IoError);
}

TEST(MappedFile, SeesTheBytesAndAnEmptyFile) {
  const testing::TemporaryDirectory dir;
  EXPECT_EQ(MappedFile(dir.write("a", "abc")).bytes().size(), 3u);
  EXPECT_TRUE(MappedFile(dir.write("b", "")).bytes().empty());
}

TEST(OutputFile, LeavesNothingBehindWithoutCommit) {
  const testing::TemporaryDirectory dir;
  { OutputFile(dir.file("a")).stream() << "half"; }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(OutputFile, AppearsWholeOnCommit) {
  const testing::TemporaryDirectory dir;
  OutputFile out(dir.file("a"));
  out.stream() << "whole";
  EXPECT_FALSE(std::filesystem::exists(dir.file("a")));
  out.commit();
  EXPECT_EQ(read_file(dir.file("a")), "whole");
}

TEST(OutputFile, RefusesToOverwriteWhenAsked) {
  const testing::TemporaryDirectory dir;
  const std::string path = dir.write("a", "old");
  EXPECT_THROW(OutputFile(path, Overwrite::kRefuse), IoError);
  EXPECT_EQ(read_file(path), "old");
}

}  // namespace
}  // namespace coppice

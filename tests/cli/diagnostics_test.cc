// Errors as the user sees them.
#include "cli/diagnostics.h"

#include <gtest/gtest.h>

#include <new>
#include <sstream>

#include "coppice/base/usage_error.h"

namespace coppice::cli {
namespace {

std::string shown(const std::exception& error, ErrorFormat format = ErrorFormat::kText) {
  std::ostringstream out;
  Diagnostics diagnostics(out);
  diagnostics.set_format(format);
  diagnostics.error(error);
  return out.str();
}

const ParseError kColumns("expected 4 columns, found 3",
                          {.code = "E203",
                           .where = {.file = "train.conll", .line = 1812},
                           .excerpt = "Bern\tNNP\tI-LOC\ncolumns used so far: form pos chunk ner",
                           .help = "fix the line"});

TEST(Diagnostics, ShowPlaceExcerptRemarkAndHelp) {
  EXPECT_EQ(shown(kColumns),
            "coppice: error[E203]: train.conll:1812: expected 4 columns, found 3\n"
            "   1812 | Bern\u21e5NNP\u21e5I-LOC\n"
            "        | columns used so far: form pos chunk ner\n"
            "   help: fix the line\n");
}

TEST(Diagnostics, PutACaretUnderTheColumn) {
  EXPECT_EQ(shown(ParseError("unexpected ')'", {.code = "E210",
                                                .where = {.file = "a", .line = 3, .column = 4},
                                                .excerpt = "\u00e9\tx)"})),
            "coppice: error[E210]: a:3:4: unexpected ')'\n"
            "      3 | \u00e9\u21e5x)\n"
            "        |    ^\n");
}

TEST(Diagnostics, CutALongLineAroundItsColumn) {
  std::string line_of_file(10000, 'x');
  line_of_file[4999] = '!';
  const std::string text =
      shown(ParseError("here", {.code = "E210",
                                .where = {.file = "a", .line = 1, .column = 5000},
                                .excerpt = line_of_file}));
  EXPECT_LT(text.size(), 400u);
  const std::size_t line = text.find(" | ") + 3;
  const std::size_t caret_line = text.find(" | ", line) + 3;
  EXPECT_EQ(text.find('!') - line, text.find('^') - caret_line) << text;
}

TEST(Diagnostics, ShowStrangeBytesAsNumbers) {
  EXPECT_EQ(shown(ParseError("not UTF-8", {.code = "E201",
                                           .where = {.file = "a", .line = 1},
                                           .excerpt = "a\xff\x01\x1b[31m\xc3"})),
            "coppice: error[E201]: a:1: not UTF-8\n"
            "      1 | a\\xFF\\x01\\x1B[31m\\xC3\n");
}

TEST(Diagnostics, DoNotRepeatTheFileThatTheMessageNames) {
  EXPECT_EQ(shown(IoError("cannot open a.txt: No such file or directory",
                          {.code = "E501", .where = {.file = "a.txt"}})),
            "coppice: error[E501]: cannot open a.txt: No such file or directory\n");
  EXPECT_EQ(shown(IoError("file exists", {.code = "E502", .where = {.file = "a.txt"}})),
            "coppice: error[E502]: a.txt: file exists\n");
}

TEST(Diagnostics, GiveForeignExceptionsACode) {
  EXPECT_EQ(shown(std::runtime_error("oops")),
            "coppice: error[E900]: oops\n"
            "   help: this is a bug; please report it with the output of: coppice doctor\n");
  EXPECT_EQ(shown(InvalidArgument("beam must be positive")),
            "coppice: error[E100]: beam must be positive\n");
}

TEST(Diagnostics, WriteJsonLines) {
  EXPECT_EQ(shown(kColumns, ErrorFormat::kJson),
            "{\"code\":\"E203\",\"severity\":\"error\",\"file\":\"train.conll\",\"line\":1812,"
            "\"column\":null,\"message\":\"expected 4 columns, found 3\","
            "\"help\":\"fix the line\"}\n");
}

TEST(Diagnostics, ShowAWarningOnceAndCountTheRest) {
  std::ostringstream out;
  Diagnostics diagnostics(out);
  for (int i = 0; i < 3; ++i) diagnostics.warning("label repaired", {.code = "E205"});
  diagnostics.warning("line too long", {.code = "E206"});
  diagnostics.count_hidden_warnings();
  diagnostics.summary("nothing was written");
  EXPECT_EQ(out.str(),
            "coppice: warning[E205]: label repaired\n"
            "coppice: warning[E206]: line too long\n"
            "coppice: warning[E205]: 2 more like the one above\n"
            "0 errors, 4 warnings; nothing was written\n");
}

TEST(Diagnostics, HideWarningsWhenAsked) {
  std::ostringstream out;
  Diagnostics diagnostics(out);
  diagnostics.hide_warnings();
  for (int i = 0; i < 3; ++i) diagnostics.warning("label repaired", {.code = "E205"});
  diagnostics.count_hidden_warnings();
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(diagnostics.warnings(), 3u);
}

TEST(ExitStatus, FollowsTheKindOfError) {
  EXPECT_EQ(exit_status(UsageError("")), ExitStatus::kUsage);
  EXPECT_EQ(exit_status(InvalidArgument("")), ExitStatus::kUsage);
  EXPECT_EQ(exit_status(ParseError("")), ExitStatus::kData);
  EXPECT_EQ(exit_status(ModelError("")), ExitStatus::kModel);
  EXPECT_EQ(exit_status(IoError("")), ExitStatus::kResources);
  EXPECT_EQ(exit_status(std::bad_alloc()), ExitStatus::kResources);
  EXPECT_EQ(exit_status(Error("")), ExitStatus::kInternal);
  EXPECT_EQ(exit_status(Error("", {.code = "E331"})), ExitStatus::kData);
  EXPECT_EQ(exit_status(InvalidArgument("", {.code = "E301"})), ExitStatus::kData);
  EXPECT_EQ(exit_status(std::logic_error("")), ExitStatus::kInternal);
}

}  // namespace
}  // namespace coppice::cli

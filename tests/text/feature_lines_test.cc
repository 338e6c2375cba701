// Lines of features: what is read, and what is refused with which words.
#include "coppice/text/feature_lines.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace coppice::text {

namespace {

using testing::error_of;

std::vector<FeatureLine> read_all(std::string_view text) {
  FeatureLineReader reader(LineReader::over(text, "f.txt"));
  std::vector<FeatureLine> lines;
  for (FeatureLine line; reader.next(line);) lines.push_back(line);
  return lines;
}

TEST(FeatureLineReader, ReadsLabelsImportancesAndValues) {
  const auto lines = read_all("spam:2.5 money caps:0.75\tsubject=hello\n+1 3:1 7:-2e3\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].label, "spam");
  EXPECT_EQ(lines[0].importance, 2.5);
  ASSERT_EQ(lines[0].features.size(), 3u);
  EXPECT_EQ(lines[0].features[0].name, "money");
  EXPECT_EQ(lines[0].features[0].value, 1);
  EXPECT_EQ(lines[0].features[1].value, 0.75);
  EXPECT_EQ(lines[0].features[2].name, "subject=hello");
  EXPECT_EQ(lines[1].label, "+1");
  EXPECT_EQ(lines[1].importance, 1);
  EXPECT_EQ(lines[1].features[1].value, -2000);
  EXPECT_EQ(lines[1].line, 2u);
}

TEST(FeatureLineReader, ANameMayHaveAColonWithABackslash) {
  const auto lines = read_all("a\\:b:3 w=\\::2 c\\\\d \\# x\\y");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].label, "a:b");
  EXPECT_EQ(lines[0].importance, 3);
  EXPECT_EQ(lines[0].features[0].name, "w=:");
  EXPECT_EQ(lines[0].features[1].name, "c\\d");
  EXPECT_EQ(lines[0].features[2].name, "#");
  EXPECT_EQ(lines[0].features[3].name, "x\\y");
}

TEST(FeatureLineReader, PassesOverCommentsAndBlankLines) {
  const auto lines = read_all("\xef\xbb\xbf# all about it\n\n  \na x # y z\r\nb\n? x");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].features.size(), 1u);
  EXPECT_EQ(lines[1].label, "b");
  EXPECT_TRUE(lines[1].features.empty());
  EXPECT_FALSE(lines[2].has_label());
}

TEST(FeatureLineReader, SaysWhatIsWrongAndWhere) {
  const auto error = [](std::string_view text) { return error_of([&] { read_all(text); }); };
  EXPECT_EQ(error("a x\na x:high"),
            "E260 f.txt:2: \"x:high\" is not a name, or a name, ':' and a number");
  EXPECT_EQ(error("a :1"), "E260 f.txt:1: \":1\" is not a name, or a name, ':' and a number");
  EXPECT_EQ(error("a x:inf"), "E260 f.txt:1: \"x:inf\" is not a name, or a name, ':' and a number");
  EXPECT_EQ(error("a:0 x"),
            "E261 f.txt:1: the importance of the label \"a:0\" is not a positive number");
  EXPECT_EQ(error("a:1e60 x"),
            "E261 f.txt:1: the importance of the label \"a:1e60\" is not a positive number");
  EXPECT_EQ(error("a x y x:2"), "E262 f.txt:1: the feature \"x\" comes twice");
  EXPECT_EQ(error("a \xff"), "E202 f.txt:1: the line is not UTF-8");
  EXPECT_EQ(error(std::string_view("a x\0y", 5)), "E205 f.txt:1: the line has a NUL byte");
}

}  // namespace

}  // namespace coppice::text

#include "coppice/text/ccgbank.h"

#include <gtest/gtest.h>

#include <sstream>

#include "coppice/base/file.h"
#include "coppice/text/parg.h"
#include "support/expect_error.h"
#include "support/shared_data.h"
#include "support/source_directory.h"

namespace coppice::text {
namespace {

using testing::error_of;

constexpr std::string_view kRecord =
    "ID=s.1 PARSER=GOLD NUMPARSE=1\n"
    "(<T S 1 2> (<L NP PRP XP She NP_1>) (<L S\\NP VBZ XV sleeps (S\\NP_1)>) )\n";

std::string read_all(std::string_view text, const ReadPolicy& policy = {}) {
  CcgbankReader reader(LineReader::over(text, "t"), policy);
  std::string raw;
  for (Sentence sentence; reader.next(sentence);) raw += sentence.raw();
  return raw + std::string(reader.trailing());
}

std::string auto_error(const std::string& text) {
  return error_of([&] { read_all(text); });
}

TEST(Ccgbank, ReadsWordsAndTree) {
  CcgbankReader reader(LineReader::over(kRecord, "t"));
  Sentence sentence;
  ASSERT_TRUE(reader.next(sentence));
  EXPECT_EQ(sentence.id(), "s.1");
  ASSERT_EQ(sentence.num_tokens(), 2U);
  EXPECT_EQ(sentence.cell(1, CcgbankReader::kForm), "sleeps");
  EXPECT_EQ(sentence.cell(1, CcgbankReader::kPos), "VBZ");
  EXPECT_EQ(sentence.cell(1, CcgbankReader::kXpos), "XV");
  EXPECT_EQ(sentence.cell(1, CcgbankReader::kIndexed), "(S\\NP_1)");
  EXPECT_EQ(sentence.cell(1, CcgbankReader::kSupertag), "S\\NP");
  const auto& vertices = reader.derivation().vertices;
  ASSERT_EQ(vertices.size(), 3U);
  EXPECT_EQ(sentence.view(vertices[0].category), "S");
  EXPECT_EQ(vertices[0].num_children, 2U);
  EXPECT_EQ(vertices[0].head, 1U);
  EXPECT_EQ(vertices[2].row, 1U);
  EXPECT_FALSE(reader.next(sentence));
}

TEST(Ccgbank, KeepsItsBytes) {
  const std::string twice = "\xEF\xBB\xBF" + std::string(kRecord) + "\n\n" + std::string(kRecord);
  EXPECT_EQ(read_all(twice), twice);
  const std::string windows = "ID=x\r\n(<L N N N dog N>)\r\n\r\n";
  EXPECT_EQ(read_all(windows), windows);
  EXPECT_EQ(read_all("(<L N N N dog N>)"), "(<L N N N dog N>)");
  EXPECT_EQ(read_all(""), "");
}

TEST(Ccgbank, KeepsTheBytesOfTreebanks) {
  const std::string own = testing::source_directory() + "/data/ccg/sentences.auto";
  EXPECT_EQ(read_all(read_file(own)), read_file(own));
  const auto dev = testing::shared_data("ud_ccg/ewt-dev.auto");
  if (!dev) GTEST_SKIP() << "no ud_ccg under ../shared/data";
  EXPECT_EQ(read_all(read_file(*dev)), read_file(*dev));
}

TEST(Ccgbank, IsFoundByNameAndByFirstLine) {
  for (const std::string_view text : {kRecord, kRecord.substr(kRecord.find('\n') + 1)})
    EXPECT_EQ(open_sentences(LineReader::over(text, "t"), {})->description(),
              "CCGbank derivations (AUTO)");
  EXPECT_EQ(open_sentences(LineReader::over("x", "t.auto"), {})->description(),
            "CCGbank derivations (AUTO)");
}

TEST(Ccgbank, SaysWhereAFaultIs) {
  EXPECT_EQ(auto_error("ID=a\nID=b\n"), "E214 t:1: a line ID= without a derivation after it");
  EXPECT_EQ(auto_error("ID=a\n"), "E214 t:1: a line ID= without a derivation after it");
  EXPECT_EQ(auto_error("(<T S 0 1> (<L N N N dog N>)"),
            "E214 t:1:29: expected ')' after the last child of a node");
  EXPECT_EQ(auto_error("(<T S 0 1>"), "E214 t:1:1: the line ends before the derivation does");
  EXPECT_EQ(auto_error("(<T S 0 1> )"), "E214 t:1:12: a node ends before its last child");
  EXPECT_EQ(auto_error("(<T S 1 1> (<L N N N dog N>) )"), "E214 t:1:4: the head is no child");
  EXPECT_EQ(auto_error("(<T S 0 3> "), "E214 t:1:4: a node of more than two children");
  EXPECT_EQ(auto_error("(<T S 0 x> "), "E214 t:1:4: expected the head and the number of children");
  EXPECT_EQ(auto_error("(<T S 0 1 "), "E214 t:1:4: an inner node without its '>'");
  EXPECT_EQ(auto_error("(<L N N dog N>)"), "E214 t:1:4: expected five fields and '>)' in a leaf");
  EXPECT_EQ(auto_error("(<L N N N dog N>) )"), "E214 t:1:19: more text after the derivation");
  EXPECT_EQ(auto_error("hello"), "E214 t:1:1: expected a node");
  EXPECT_EQ(auto_error("(<L N N N d\xff N>)"), "E202 t:1:12: the line is not UTF-8");
}

TEST(Ccgbank, SkipsABadSentenceAndGoesOn) {
  const std::string text =
      "ID=a\nnonsense\n" + std::string(kRecord) + "ID=b\n" + std::string(kRecord);
  CcgbankReader reader(LineReader::over(text, "t"), {.on_error = OnError::kSkip});
  for (Sentence sentence; reader.next(sentence);) EXPECT_EQ(sentence.id(), "s.1");
  EXPECT_EQ(reader.counts().sentences, 2U);
  EXPECT_EQ(reader.counts().skipped, 2U);
}

TEST(Ccgbank, ReadsAVeryDeepTree) {
  const std::size_t depth = 100'000;
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += "(<T N 0 1> ";
  text += "(<L N N N dog N>) ";
  for (std::size_t i = 0; i < depth; ++i) text += ") ";
  EXPECT_EQ(read_all(text), text);
}

constexpr std::string_view kParg =
    "<s id=\"s.1\"> 2\n0\t1\t(S\\NP)/NP\t1\tShe reads\n2\t1\t(S\\NP)/NP\t2\tbooks reads "
    "<XB>\n<\\s>\n";

TEST(Parg, WritesWhatItReads) {
  PargReader reader(LineReader::over(kParg, "t"));
  PargSentence sentence;
  ASSERT_TRUE(reader.next(sentence));
  EXPECT_EQ(sentence.num_words, 3U);
  ASSERT_EQ(sentence.dependencies.size(), 2U);
  EXPECT_EQ(sentence.dependencies[1].argument_word, "books");
  EXPECT_TRUE(sentence.dependencies[1].is_long_range);
  std::ostringstream parg, deps;
  write_parg(parg, sentence);
  EXPECT_EQ(parg.str(), kParg);
  write_deps(deps, sentence);
  EXPECT_EQ(deps.str(), "reads_2 (S\\NP)/NP 1 She_1 0\nreads_2 (S\\NP)/NP 2 books_3 0\n\n");
  EXPECT_FALSE(reader.next(sentence));
}

std::string parg_error(std::string_view text) {
  return error_of([&] {
    PargReader reader(LineReader::over(text, "t"));
    for (PargSentence sentence; reader.next(sentence);) {
    }
  });
}

TEST(Parg, SaysWhichLineIsBad) {
  EXPECT_EQ(parg_error("x\n"), "E215 t:1: expected <s id=\"...\"> and the number of the last word");
  EXPECT_EQ(parg_error("<s id=\"a\"> x\n"), "E215 t:1: expected the number of the last word");
  EXPECT_EQ(parg_error("<s id=\"a\"> 2\n"), "E215 t:1: the file ends within a sentence");
  EXPECT_EQ(parg_error("<s id=\"a\"> 2\n0\t1\tN\n"), "E215 t:2: expected five fields");
  EXPECT_EQ(parg_error("<s id=\"a\"> 2\n3\t1\tN\t1\ta b\n"),
            "E215 t:2: \"3\" is no number that fits");
  EXPECT_EQ(parg_error("<s id=\"a\"> 2\n1\t1\tN\t1\ta\n"),
            "E215 t:2: expected a category and two words");
}

}  // namespace
}  // namespace coppice::text

// Bitext: what is read, and what is refused with which words.
#include "coppice/align/bitext.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace coppice::align {

namespace {

using testing::error_of;

BitextReader reader_over(std::string_view source, std::string_view target,
                         const BitextOptions& options = {}) {
  return {LineReader::over(source, "a.fr"), LineReader::over(target, "a.en"), options};
}

std::string error_in(std::string_view source, std::string_view target,
                     const BitextOptions& options = {}) {
  return error_of([&] {
    BitextReader reader = reader_over(source, target, options);
    read_bitext(reader);
  });
}

TEST(Bitext, NumbersWordsInTheOrderOfArrival) {
  BitextReader reader = reader_over("\xef\xbb\xbf le  chat\r\nle chien", "the cat\nthe\tdog\n");
  const Bitext bitext = read_bitext(reader);
  ASSERT_EQ(bitext.size(), 2u);
  EXPECT_EQ(bitext.source.tokens, (std::vector<std::uint32_t>{0, 1, 0, 2}));
  EXPECT_EQ(bitext.target.begin, (std::vector<std::size_t>{0, 2, 4}));
  EXPECT_EQ(bitext.source.words[SymbolId{0}], "le");
  EXPECT_EQ(bitext.source.longest(), 2u);
}

TEST(Bitext, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error_in("a\n\nb\n", "x\ny\nz\n"), "E281 a.fr:2: the sentence has no words");
  EXPECT_EQ(error_in("a\n", " \t\n"), "E281 a.en:1: the sentence has no words");
  EXPECT_EQ(error_in("a\n\xff\n", "x\ny\n"), "E202 a.fr:2: the line is not UTF-8");
  EXPECT_EQ(error_in(std::string_view("a\0\n", 3), "x\n"), "E205 a.fr:1: the line has a NUL byte");
  EXPECT_EQ(error_in("a\nb\n", "x\n"), "E283 a.en:1: there is no line 2, which a.fr has");
  EXPECT_EQ(error_in("a\n", "x\ny\nz\n"), "E283 a.fr:1: there is no line 2, which a.en has");
  EXPECT_EQ(error_in("", ""), "E284 a.fr: there is no pair of sentences to align");
  EXPECT_EQ(error_in("a b c\n", "x\n", {.max_length = 2}),
            "E282 a.fr:1: the sentence has 3 words, more than 2");
  EXPECT_EQ(error_in("a\n", "x\n", {.max_length = 0}),
            "the longest sentence allowed must have from 1 to 2000 words, not 0");
}

TEST(Bitext, SkippedPairsKeepTheirPlaces) {
  BitextReader reader =
      reader_over("a\n\nb c d\nd\n", "x\ny\nz\nw\n",
                  {.max_length = 2, .on_bad_pair = OnBadPair::kSkip, .max_problems = 1});
  const Bitext bitext = read_bitext(reader);
  ASSERT_EQ(bitext.size(), 4u);
  EXPECT_TRUE(bitext.source[1].empty());
  EXPECT_TRUE(bitext.target[1].empty());
  EXPECT_TRUE(bitext.target[2].empty());
  EXPECT_EQ(bitext.source[3].size(), 1u);
  EXPECT_EQ(reader.num_skipped(), 2u);
  EXPECT_EQ(reader.problems().size(), 1u);
}

}  // namespace

}  // namespace coppice::align

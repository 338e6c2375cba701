// Shapes by example, and collapsed shapes against collapsing by hand.
#include "text/shape.h"

#include <gtest/gtest.h>

#include "coppice/base/random.h"
#include "support/seeds.h"

namespace coppice::text {
namespace {

std::string shape(std::string_view word) {
  std::string out;
  word_shape(word, out);
  return out;
}

std::string collapsed(std::string_view word) {
  std::string out;
  collapsed_shape(word, out);
  return out;
}

std::string kinds(std::string_view word) {
  std::string out;
  word_class(word, out);
  return out;
}

TEST(Shape, WritesACharacterForEachCodePoint) {
  EXPECT_EQ(shape("Berlin-42"), "Xxxxxx-00");
  EXPECT_EQ(shape("\xC3\x89t\xC3\xA9"), "Xxx");
  EXPECT_EQ(shape("e\xCC\x81t"), "xx");                             // a combining accent
  EXPECT_EQ(shape("\xE6\x9D\xB1\xE3\x81\x82\xE3\x82\xAB"), "Hhk");  // Han, Hiragana, Katakana
  EXPECT_EQ(shape("\xEA\xB0\x80\xD8\xA7"), "ga");                   // Hangul, Arabic
  EXPECT_EQ(shape("\xE2\x82\xAC"
                  "5"),
            "\xE2\x82\xAC"
            "0");
  EXPECT_EQ(shape("a b\xFF"), "x_x?");
  EXPECT_EQ(shape(""), "");
}

TEST(Shape, CollapsesRunsOfEqualCharacters) {
  EXPECT_EQ(collapsed("Berlin-42"), "Xx-0");
  EXPECT_EQ(collapsed("..."), ".");
  constexpr std::string_view kAlphabet = "aBc1-.";
  for (std::uint64_t seed = 0; seed < testing::seeds(300); ++seed) {
    Random random(seed);
    std::string word;
    for (std::uint64_t i = random.below(10); i > 0; --i) word += kAlphabet[random.below(6)];
    std::string expected;
    for (char c : shape(word)) {
      if (expected.empty() || expected.back() != c) expected += c;
    }
    ASSERT_EQ(collapsed(word), expected) << word;
  }
}

TEST(Capitalisation, LooksAtCasedLettersOnly) {
  EXPECT_EQ(capitalisation("12-"), Capitalisation::kNone);
  EXPECT_EQ(capitalisation(""), Capitalisation::kNone);
  EXPECT_EQ(capitalisation("pre-war"), Capitalisation::kLower);
  EXPECT_EQ(capitalisation("F-16"), Capitalisation::kSingle);
  EXPECT_EQ(capitalisation("NATO"), Capitalisation::kUpper);
  EXPECT_EQ(capitalisation("'Tis"), Capitalisation::kInitial);
  EXPECT_EQ(capitalisation("iPod"), Capitalisation::kMixed);
  EXPECT_EQ(capitalisation("McDonald"), Capitalisation::kMixed);
}

TEST(WordClass, JoinsTheKindsOfCharacters) {
  EXPECT_EQ(kinds("Berlin"), "Initial");
  EXPECT_EQ(kinds("pre-war"), "lower-hyphen");
  EXPECT_EQ(kinds("F-16"), "Single-digit-hyphen");
  EXPECT_EQ(kinds("12,5"), "digit-punct");
  EXPECT_EQ(kinds("$"), "symbol");
  EXPECT_EQ(kinds("\xE6\x9D\xB1"
                  "1"),
            "han-digit");
  EXPECT_EQ(kinds("\xFF"), "other");
  EXPECT_EQ(kinds("\xCC\x81"), "mark");
  EXPECT_EQ(kinds(""), "empty");
}

TEST(LengthClass, CountsCodePoints) {
  EXPECT_EQ(length_class(""), "0");
  EXPECT_EQ(length_class("\xC3\xA9t\xC3\xA9"), "3");
  EXPECT_EQ(length_class("abcdefg"), "7-8");
  EXPECT_EQ(length_class("abcdefghi"), "9-12");
  EXPECT_EQ(length_class(std::string(20, 'a')), "13-20");
  EXPECT_EQ(length_class(std::string(21, 'a')), "21+");
}

}  // namespace
}  // namespace coppice::text

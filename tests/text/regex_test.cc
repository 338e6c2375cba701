// Regular expressions against std::regex on small patterns and texts, and what that one cannot do.
#include "coppice/text/regex.h"

#include <gtest/gtest.h>

#include <regex>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "support/seeds.h"

namespace coppice::text {
namespace {

std::string random_pattern(Random& random, int depth) {
  constexpr std::string_view kAtoms[] = {"a", "b", ".", "[ab]", "[^a]", "c"};
  constexpr std::string_view kRepeats[] = {"", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,1}"};
  std::string out;
  for (std::uint64_t i = 1 + random.below(3); i > 0; --i) {
    if (depth > 0 && random.below(3) == 0) {
      const std::string left = random_pattern(random, depth - 1);
      out += concat("(", left, "|", random_pattern(random, depth - 1), ")");
    } else {
      out += kAtoms[random.below(6)];
    }
    out += kRepeats[random.below(9)];
  }
  return out;
}

// The leftmost longest match, by asking std::regex about every substring.
std::optional<std::string_view> find_by_trying(const std::string& pattern, std::string_view text) {
  const std::regex whole(pattern);
  for (std::size_t begin = 0; begin <= text.size(); ++begin) {
    for (std::size_t end = text.size() + 1; end-- > begin;) {
      const std::string_view piece = text.substr(begin, end - begin);
      if (std::regex_match(piece.begin(), piece.end(), whole)) return piece;
    }
  }
  return std::nullopt;
}

TEST(Regex, FindsTheLeftmostLongestMatchOfRandomPatterns) {
  for (std::uint64_t seed = 0; seed < testing::seeds(400); ++seed) {
    Random random(seed);
    const std::string pattern = random_pattern(random, 2);
    const Regex regex(pattern);
    for (int round = 0; round < 4; ++round) {
      std::string text;
      for (std::uint64_t i = random.below(6); i > 0; --i) text += "abcd"[random.below(4)];
      const auto expected = find_by_trying(pattern, text);
      const auto found = regex.find(text);
      ASSERT_EQ(found, expected) << "/" << pattern << "/ on \"" << text << "\"";
      if (found) {
        ASSERT_EQ(found->data(), expected->data());
      }
      ASSERT_EQ(regex.matches(text), expected.has_value());
    }
  }
}

TEST(Regex, KnowsAnchors) {
  EXPECT_TRUE(Regex("^[0-9]+$").matches("123"));
  EXPECT_FALSE(Regex("^[0-9]+$").matches("123a"));
  EXPECT_TRUE(Regex("^$").matches(""));
  EXPECT_FALSE(Regex("^$").matches("a"));
  EXPECT_TRUE(Regex("^a|b$").matches("xb"));
  EXPECT_EQ(Regex(".?.?$").find("running"), "ng");
}

TEST(Regex, MatchesCodePointsAndClasses) {
  EXPECT_EQ(Regex("^..$").find("\xC3\xA9\xE2\x82\xAC"), "\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(Regex("\\p{Lu}\\p{Ll}+").find("x\xC3\x89t\xC3\xA9!"), "\xC3\x89t\xC3\xA9");
  EXPECT_EQ(Regex("\\P{L}+").find("ab12c"), "12");
  EXPECT_EQ(Regex("[\\d,.]+").find("EUR 1,200.50."), "1,200.50.");
  EXPECT_EQ(Regex("\\w+").find("- a_1\xC3\xA9 -"), "a_1\xC3\xA9");
  EXPECT_EQ(Regex("\\W").find("a_b!"), "!");
  EXPECT_EQ(Regex("[^\\s]+").find(" ab "), "ab");
  EXPECT_EQ(Regex("[]a-]+").find("x-]a"), "-]a");
  EXPECT_TRUE(Regex("\\x41\\x{20AC}").matches("A\xE2\x82\xAC"));
  EXPECT_TRUE(Regex("\\p{Han}").matches("\xE6\x9D\xB1"));
  EXPECT_TRUE(Regex("a\\/b\\.").matches("a/b."));
}

TEST(Regex, IgnoresCaseWhenAsked) {
  const Regex regex("^stra\\x{DF}e|[^a]$", LetterCase::kIgnored);
  EXPECT_TRUE(
      regex.matches("STRA\xC3\x9F"
                    "E"));
  EXPECT_FALSE(regex.matches("A"));
  EXPECT_TRUE(regex.matches("B"));
}

TEST(Regex, TakesLinearTimeWhereBacktrackingWouldNot) {
  const Regex regex("^(a*)*(a|a)*(a?){50}b$");
  EXPECT_FALSE(regex.matches(std::string(20000, 'a')));
}

TEST(Regex, SaysWhereAPatternIsWrong) {
  const auto error_of = [](std::string_view pattern) {
    try {
      const Regex regex(pattern);
    } catch (const ParseError& error) {
      EXPECT_EQ(error.code(), "E122");
      return concat(error.where().column, ": ", error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(error_of("a(b"), "2: regular expression: '(' without ')'");
  EXPECT_EQ(error_of("ab)"), "3: regular expression: ')' without '('");
  EXPECT_EQ(error_of("x[a"), "2: regular expression: '[' without ']'");
  EXPECT_EQ(error_of("*a"), "1: regular expression: nothing to repeat");
  EXPECT_EQ(error_of("a**"), "3: regular expression: repetition of a repetition; use a group");
  EXPECT_EQ(error_of("[z-a]"), "3: regular expression: the range is the wrong way round");
  EXPECT_EQ(error_of("[\\d-z]"), "4: regular expression: a range needs a character on each side");
  EXPECT_EQ(error_of("a{3,2}"), "2: regular expression: the bounds are the wrong way round");
  EXPECT_EQ(
      error_of("a{999}"),
      "2: regular expression: expected a number up to 255 in { }; write \\{ for the character");
  EXPECT_EQ(error_of("\\q"), "1: regular expression: unknown escape");
  EXPECT_EQ(error_of("\\p{Xy}"), "1: regular expression: unknown class \\p{Xy}");
  EXPECT_EQ(error_of("\\x4"), "1: regular expression: expected \\xHH or \\x{H...}, up to 10FFFF");
  EXPECT_EQ(error_of("(?=a)"), "1: regular expression: only (?:...) may follow '(?'");
  EXPECT_EQ(error_of("a\\"), "2: regular expression: nothing after '\\'");
  EXPECT_EQ(error_of("((a{255}){255}){255}"),
            "1: regular expression: too large: over 4096 instructions");
  EXPECT_EQ(error_of("((((){255}){255}){255}){255}"),
            "1: regular expression: too large: over 4096 instructions");
  EXPECT_EQ(error_of("((((a{0}){255}){255}){255}){255}"),
            "1: regular expression: too large: over 4096 instructions");
  EXPECT_EQ(error_of(std::string(100, '(')), "65: regular expression: groups nested too deeply");
}

}  // namespace
}  // namespace coppice::text

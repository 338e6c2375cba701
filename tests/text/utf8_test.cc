// UTF-8 against a decoder written from the table in the standard, and character classes.
#include "text/utf8.h"

#include <gtest/gtest.h>

#include "coppice/base/random.h"
#include "support/seeds.h"
#include "text/char_class.h"

namespace coppice::text {
namespace {

// Every scalar value by its encoding; what is none of them is a bad byte. Slow and obvious.
std::u32string decode_by_encoding(std::string_view text) {
  std::u32string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 1;
    char32_t value = kReplacementCharacter;
    for (std::size_t n = 1; n <= 4 && at + n <= text.size(); ++n) {
      const std::string_view piece = text.substr(at, n);
      const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(piece[i]); };
      char32_t candidate = n == 1 ? byte(0) : byte(0) & (0xFFu >> (n + 1));
      for (std::size_t i = 1; i < n; ++i) candidate = (candidate << 6) | (byte(i) & 0x3F);
      std::string encoded;
      append_utf8(candidate, encoded);
      if (encoded == piece) {
        value = candidate;
        length = n;
      }
    }
    out += value;
    at += length;
  }
  return out;
}

std::u32string decode_all(std::string_view text) {
  std::u32string out;
  for_each_code_point(text, [&out](char32_t c) { out += c; });
  return out;
}

std::string random_bytes(Random& random) {
  constexpr std::string_view kPieces[] = {"a",
                                          "Z",
                                          "\xC3\xA9",
                                          "\xE2\x82\xAC",
                                          "\xF0\x9F\x98\x80",
                                          "\xE2\x82",
                                          "\xF0\x9F\x98",
                                          "\x80",
                                          "\xC0\xAF",
                                          "\xED\xA0\x80",
                                          "\xF4\x90\x80\x80",
                                          "\xFF"};
  std::string text;
  for (std::uint64_t i = random.below(8); i > 0; --i) text += kPieces[random.below(12)];
  return text;
}

TEST(Utf8, DecodesRandomBytesAsTheReferenceDoes) {
  for (std::uint64_t seed = 0; seed < testing::seeds(2000); ++seed) {
    Random random(seed);
    const std::string text = random_bytes(random);
    const std::u32string expected = decode_by_encoding(text);
    ASSERT_EQ(decode_all(text), expected) << "seed " << seed;
    ASSERT_EQ(count_code_points(text), expected.size());
  }
}

TEST(Utf8, EncodesEveryScalarValueSoThatItIsDecodedAgain) {
  for (char32_t c = 0; c <= kLastCodePoint; c += 7) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    append_utf8(c, text);
    ASSERT_EQ(decode(text, 0).value, c);
    ASSERT_EQ(decode(text, 0).bytes, text.size());
    ASSERT_TRUE(is_valid_utf8(text));
  }
}

TEST(Utf8, EncodesWhatIsNoScalarValueAsTheReplacementCharacter) {
  std::string text;
  append_utf8(0xD800, text);
  append_utf8(0x110000, text);
  EXPECT_EQ(text, "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Utf8, AcceptsAWrittenReplacementCharacterAndRefusesBadBytes) {
  EXPECT_TRUE(is_valid_utf8("\xEF\xBF\xBD"));
  for (std::string_view bad : {"\x80", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    EXPECT_FALSE(is_valid_utf8(bad));
  }
}

TEST(Utf8, CutsAffixesWhereReadingForwardsFindsTheBoundaries) {
  for (std::uint64_t seed = 0; seed < testing::seeds(2000); ++seed) {
    Random random(seed, 1);
    const std::string text = random_bytes(random);
    std::vector<std::size_t> boundaries;
    for (std::size_t at = 0; at < text.size(); at += decode(text, at).bytes) {
      boundaries.push_back(at);
    }
    boundaries.push_back(text.size());
    const std::size_t length = boundaries.size() - 1;
    for (std::size_t n = 0; n <= length + 1; ++n) {
      const std::size_t kept = std::min(n, length);
      ASSERT_EQ(first_code_points(text, n), text.substr(0, boundaries[kept])) << "seed " << seed;
      ASSERT_EQ(last_code_points(text, n), text.substr(boundaries[length - kept]))
          << "seed " << seed;
    }
  }
}

TEST(CharClass, KnowsOneOfEachKind) {
  EXPECT_EQ(char_class('A'), CharClass::kUpper);
  EXPECT_EQ(char_class('z'), CharClass::kLower);
  EXPECT_EQ(char_class(0x0416), CharClass::kUpper);  // Cyrillic Zhe
  EXPECT_EQ(char_class(0x01C5), CharClass::kTitle);
  EXPECT_EQ(char_class(0x6F22), CharClass::kHan);
  EXPECT_EQ(char_class(0x3005), CharClass::kHan);  // the iteration mark
  EXPECT_EQ(char_class(0x3042), CharClass::kHiragana);
  EXPECT_EQ(char_class(0x30AB), CharClass::kKatakana);
  EXPECT_EQ(char_class(0xAC00), CharClass::kHangul);
  EXPECT_EQ(char_class(0x0627), CharClass::kOtherLetter);  // Arabic Alef
  EXPECT_EQ(char_class('7'), CharClass::kDigit);
  EXPECT_EQ(char_class(0x0663), CharClass::kDigit);   // Arabic three
  EXPECT_EQ(char_class(0x00BD), CharClass::kNumber);  // one half
  EXPECT_EQ(char_class(0x0301), CharClass::kMark);
  EXPECT_EQ(char_class('-'), CharClass::kPunctuation);
  EXPECT_EQ(char_class('$'), CharClass::kSymbol);
  EXPECT_EQ(char_class(0x1F600), CharClass::kSymbol);
  EXPECT_EQ(char_class('\t'), CharClass::kSpace);
  EXPECT_EQ(char_class(0x3000), CharClass::kSpace);
  EXPECT_EQ(char_class(0), CharClass::kOther);
  EXPECT_EQ(char_class(kReplacementCharacter), CharClass::kOther);
}

TEST(Lowercase, MapsLettersAndLeavesBadBytesAlone) {
  std::string out = "old";
  lowercase("ABCdef-1 \xC3\x89T\xC3\x89", out);
  EXPECT_EQ(out, "abcdef-1 \xC3\xA9t\xC3\xA9");
  lowercase("A\xFF\xC3Z", out);
  EXPECT_EQ(out, "a\xFF\xC3z");
  lowercase("", out);
  EXPECT_EQ(out, "");
}

}  // namespace
}  // namespace coppice::text

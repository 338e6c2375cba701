// The fast check agrees with decoding character by character.
#include "text/utf8_validate.h"

#include <gtest/gtest.h>

#include "coppice/base/random.h"
#include "support/seeds.h"

namespace coppice::text {
namespace {

// Decodes one character by the definition; 0 when the bytes at `i` are none.
std::size_t obvious_length(const std::string& text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned lead = byte(i);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc0 || lead >= 0xf8 || i + length > text.size()) return 0;
  unsigned code = lead & (0xffu >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0u) != 0x80u) return 0;
    code = (code << 6) | (byte(i + k) & 0x3fu);
  }
  const unsigned least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code < least || is_surrogate || code > 0x10ffff ? 0 : length;
}

std::size_t obvious(const std::string& text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t length = obvious_length(text, i);
    if (length == 0) return i;
    i += length;
  }
  return i;
}

TEST(FirstInvalidUtf8, AgreesWithTheDefinitionOnRandomBytes) {
  // Bytes at the edges of the ranges, so that valid and nearly valid characters are common.
  const std::string bytes =
      "a\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef"
      "\xf0\xf1\xf3\xf4\xf5\xff";
  for (std::uint64_t seed = 0; seed < testing::seeds(20000); ++seed) {
    Random random(seed);
    std::string text(random.below(12), 'x');
    for (std::uint64_t i = random.below(9); i > 0; --i) text += bytes[random.below(bytes.size())];
    EXPECT_EQ(first_invalid_utf8(text), obvious(text)) << "seed " << seed;
  }
}

TEST(FirstInvalidUtf8, KnowsTheEdges) {
  EXPECT_EQ(first_invalid_utf8(""), 0u);
  EXPECT_EQ(first_invalid_utf8("\xf4\x8f\xbf\xbf"), 4u);
  EXPECT_EQ(first_invalid_utf8("12345678\xed\xa0\x80"), 8u);
  EXPECT_EQ(first_invalid_utf8("ab\xe2\x82"), 2u);
}

}  // namespace
}  // namespace coppice::text

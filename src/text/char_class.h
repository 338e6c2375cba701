// Classes of characters, after the Unicode general categories.
//
// Letters with case are upper, lower or title; letters without it are told apart by the scripts in
// which that says something about words (Han, Hiragana, Katakana, Hangul), and are kOtherLetter
// otherwise (Arabic, Devanagari, modifier letters ...). Code points that Unicode has not assigned,
// controls and U+FFFD from bad bytes are kOther.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace coppice::text {

enum class CharClass : std::uint8_t {
  kUpper,
  kLower,
  kTitle,  // one letter that is both, such as U+01C5
  kHan,
  kHiragana,
  kKatakana,
  kHangul,
  kOtherLetter,
  kDigit,   // decimal digits, of any script
  kNumber,  // other numbers: fractions, Roman numerals, circled digits
  kMark,    // combining: belongs to the character before it
  kPunctuation,
  kSymbol,
  kSpace,
  kOther,
};

CharClass char_class(char32_t character) noexcept;

constexpr bool is_letter(CharClass c) noexcept { return c <= CharClass::kOtherLetter; }
constexpr bool is_cased(CharClass c) noexcept { return c <= CharClass::kTitle; }

// The simple (one to one) case mappings.
char32_t to_lower(char32_t character) noexcept;
char32_t to_upper(char32_t character) noexcept;

// Replaces `out` by `text` in lower case. Bytes that are no UTF-8 are kept as they are.
// Cost: linear; no allocation once `out` has room.
void lowercase(std::string_view text, std::string& out);

}  // namespace coppice::text

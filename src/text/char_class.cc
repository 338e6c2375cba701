#include "text/char_class.h"

#include <utf8proc.h>

#include <array>

#include "text/utf8.h"

namespace coppice::text {

namespace {

struct Range {
  char32_t first, last;
};

template <std::size_t N>
constexpr bool in_any(const std::array<Range, N>& ranges, char32_t c) noexcept {
  for (const Range& range : ranges) {
    if (c >= range.first && c <= range.last) return true;
  }
  return false;
}

// utf8proc knows no scripts; these blocks are stable.
constexpr std::array<Range, 6> kHanBlocks{{{0x2E80, 0x2FDF},
                                           {0x3005, 0x3007},
                                           {0x3400, 0x4DBF},
                                           {0x4E00, 0x9FFF},
                                           {0xF900, 0xFAFF},
                                           {0x20000, 0x323AF}}};
constexpr std::array<Range, 2> kHiraganaBlocks{{{0x3041, 0x309F}, {0x1B150, 0x1B152}}};
constexpr std::array<Range, 3> kKatakanaBlocks{
    {{0x30A1, 0x30FF}, {0x31F0, 0x31FF}, {0xFF66, 0xFF9D}}};
constexpr std::array<Range, 5> kHangulBlocks{
    {{0x1100, 0x11FF}, {0x3130, 0x318F}, {0xA960, 0xA97F}, {0xAC00, 0xD7FF}, {0xFFA0, 0xFFDC}}};

CharClass caseless_letter(char32_t c) noexcept {
  if (in_any(kHanBlocks, c)) return CharClass::kHan;
  if (in_any(kHiraganaBlocks, c)) return CharClass::kHiragana;
  if (in_any(kKatakanaBlocks, c)) return CharClass::kKatakana;
  if (in_any(kHangulBlocks, c)) return CharClass::kHangul;
  return CharClass::kOtherLetter;
}

CharClass classify(char32_t c) noexcept {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
      return CharClass::kUpper;
    case UTF8PROC_CATEGORY_LL:
      return CharClass::kLower;
    case UTF8PROC_CATEGORY_LT:
      return CharClass::kTitle;
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return caseless_letter(c);
    case UTF8PROC_CATEGORY_ND:
      return CharClass::kDigit;
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return in_any(kHanBlocks, c) ? CharClass::kHan : CharClass::kNumber;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return CharClass::kMark;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return CharClass::kPunctuation;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
      return c == kReplacementCharacter ? CharClass::kOther : CharClass::kSymbol;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return CharClass::kSpace;
    default:
      return c >= '\t' && c <= '\r' ? CharClass::kSpace : CharClass::kOther;
  }
}

std::array<CharClass, 128> ascii_classes() noexcept {
  std::array<CharClass, 128> classes{};
  for (char32_t c = 0; c < 128; ++c) classes[c] = classify(c);
  return classes;
}

}  // namespace

CharClass char_class(char32_t character) noexcept {
  static const std::array<CharClass, 128> ascii = ascii_classes();
  return character < 128 ? ascii[character] : classify(character);
}

char32_t to_lower(char32_t character) noexcept {
  if (character < 128) return character >= 'A' && character <= 'Z' ? character + 32 : character;
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(character)));
}

char32_t to_upper(char32_t character) noexcept {
  if (character < 128) return character >= 'a' && character <= 'z' ? character - 32 : character;
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(character)));
}

void lowercase(std::string_view text, std::string& out) {
  out.clear();
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode(text, at);
    if (point.bytes == 1) {  // ASCII, or a bad byte, which no mapping may change
      const char byte = text[at];
      out += byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte;
    } else {
      append_utf8(to_lower(point.value), out);
    }
    at += point.bytes;
  }
}

}  // namespace coppice::text

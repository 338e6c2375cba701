// What a word looks like: shapes, capitalisation, kind of characters, length.
//
//   word          shape         collapsed   capitalisation   class
//   Berlin        Xxxxxx        Xx          initial          Initial
//   pre-war       xxx-xxx       x-x         lower            lower-hyphen
//   F-16          X-00          X-0         single           Single-digit-hyphen
//   12,5          00,0          0,0         none             digit-punct
//
// A shape has one character for each code point of the word: X upper or title case, x lower,
// 0 digits and other numbers, H Han, h Hiragana, k Katakana, g Hangul, a other letters,
// _ space, ? anything unassigned or undecodable; punctuation and symbols stand for themselves, and
// combining marks are left out. The collapsed shape writes a run of equal ones once. An
// empty word has an empty shape, and the class "empty".
//
// Results go into a buffer of the caller's, replaced; nothing is allocated once it has room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace coppice::text {

void word_shape(std::string_view word, std::string& out);
void collapsed_shape(std::string_view word, std::string& out);

enum class Capitalisation : std::uint8_t {
  kNone,     // no letter has case
  kLower,    // every cased letter is lower case
  kSingle,   // one cased letter, upper
  kUpper,    // several, all upper
  kInitial,  // the first upper (or title), all others lower
  kMixed,
};

Capitalisation capitalisation(std::string_view word) noexcept;

// The kinds of characters in the word, joined by '-', in this order and each once: capitalisation
// (lower, Single, UPPER, Initial, miXed), scripts without case (han, hiragana, katakana, hangul,
// letter), digit, hyphen, punct (other than hyphens), symbol, other.
void word_class(std::string_view word, std::string& out);

// The length in code points as a class: "0" to "6", "7-8", "9-12", "13-20", "21+".
std::string_view length_class(std::string_view word) noexcept;

}  // namespace coppice::text

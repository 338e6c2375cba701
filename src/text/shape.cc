#include "text/shape.h"

#include <array>

#include "text/char_class.h"
#include "text/utf8.h"

namespace coppice::text {

namespace {

// The shape's character for each class; 0 where the code point stands for itself.
constexpr std::array<char, 15> kShapeOfClass{'X', 'x', 'X',  'H',  'h',  'k', 'g', 'a',
                                             '0', '0', '\0', '\0', '\0', '_', '?'};

template <class Emit>
void for_each_shape_character(std::string_view word, Emit&& emit) {
  for_each_code_point(word, [&emit](char32_t character) {
    const CharClass c = char_class(character);
    if (c == CharClass::kMark) return;
    const char shape = kShapeOfClass[static_cast<std::size_t>(c)];
    emit(shape != '\0' ? static_cast<char32_t>(shape) : character);
  });
}

bool is_hyphen(char32_t c) noexcept { return c == '-' || (c >= 0x2010 && c <= 0x2015); }

// Which classes occur, as bits; hyphens count apart from other punctuation.
struct Census {
  std::uint32_t classes = 0;
  bool hyphen = false;
  bool punctuation = false;

  bool has(CharClass c) const noexcept { return (classes >> static_cast<unsigned>(c) & 1u) != 0; }
};

Census census(std::string_view word) noexcept {
  Census found;
  for_each_code_point(word, [&found](char32_t character) {
    const CharClass c = char_class(character);
    found.classes |= 1u << static_cast<unsigned>(c);
    if (c == CharClass::kPunctuation) {
      (is_hyphen(character) ? found.hyphen : found.punctuation) = true;
    }
  });
  return found;
}

constexpr std::array<std::string_view, 6> kCapitalisationNames{"",      "lower",   "Single",
                                                               "UPPER", "Initial", "miXed"};

}  // namespace

void word_shape(std::string_view word, std::string& out) {
  out.clear();
  for_each_shape_character(word, [&out](char32_t character) { append_utf8(character, out); });
}

void collapsed_shape(std::string_view word, std::string& out) {
  out.clear();
  char32_t last = kLastCodePoint + 1;
  for_each_shape_character(word, [&](char32_t character) {
    if (character != last) append_utf8(character, out);
    last = character;
  });
}

Capitalisation capitalisation(std::string_view word) noexcept {
  std::size_t upper = 0, lower = 0;
  bool first_is_upper = false;
  for_each_code_point(word, [&](char32_t character) {
    const CharClass c = char_class(character);
    if (!is_cased(c)) return;
    if (upper + lower == 0) first_is_upper = c != CharClass::kLower;
    ++(c == CharClass::kLower ? lower : upper);
  });
  if (upper + lower == 0) return Capitalisation::kNone;
  if (upper == 0) return Capitalisation::kLower;
  if (lower == 0) return upper == 1 ? Capitalisation::kSingle : Capitalisation::kUpper;
  return upper == 1 && first_is_upper ? Capitalisation::kInitial : Capitalisation::kMixed;
}

void word_class(std::string_view word, std::string& out) {
  out.clear();
  const auto add = [&out](bool present, std::string_view name) {
    if (!present) return;
    if (!out.empty()) out += '-';
    out += name;
  };
  const Census found = census(word);
  const auto cased = static_cast<std::size_t>(capitalisation(word));
  add(cased != 0, kCapitalisationNames[cased]);
  add(found.has(CharClass::kHan), "han");
  add(found.has(CharClass::kHiragana), "hiragana");
  add(found.has(CharClass::kKatakana), "katakana");
  add(found.has(CharClass::kHangul), "hangul");
  add(found.has(CharClass::kOtherLetter), "letter");
  add(found.has(CharClass::kDigit) || found.has(CharClass::kNumber), "digit");
  add(found.hyphen, "hyphen");
  add(found.punctuation, "punct");
  add(found.has(CharClass::kSymbol), "symbol");
  add(found.has(CharClass::kOther) || found.has(CharClass::kSpace), "other");
  if (out.empty()) out = word.empty() ? "empty" : "mark";
}

std::string_view length_class(std::string_view word) noexcept {
  constexpr std::array<std::string_view, 7> exact{"0", "1", "2", "3", "4", "5", "6"};
  const std::size_t length = count_code_points(word);
  if (length < exact.size()) return exact[length];
  if (length <= 8) return "7-8";
  if (length <= 12) return "9-12";
  return length <= 20 ? "13-20" : "21+";
}

}  // namespace coppice::text

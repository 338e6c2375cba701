// Regular expressions over code points, matched in linear time.
//
//   ab|c  (ab)  (?:ab)     alternatives and groups (nothing is captured)
//   * + ? {2} {2,} {2,5}   repetition, of at most 255
//   .                      any character
//   [a-z_\d] [^a-z]        sets; ] first and - first or last are themselves
//   ^ $                    the beginning and the end of the text
//   \d \w \s \D \W \S      digits; letters, marks, numbers and _; space; and their complements
//   \p{L} \P{L}            a class and its complement: L letters, Lu upper, Ll lower, Lt title,
//                          Lo letters without case, N numbers, Nd digits, M marks, P punctuation,
//                          S symbols, Z space, Han, Hiragana, Katakana, Hangul
//   \n \t \r \x41 \x{20AC} control characters, code points
//   \. \/ \\ ...           any other ASCII punctuation after \ is itself
//
// Matching simulates a Thompson automaton, so that a text of n code points costs at most n times
// the size of the expression (at most 4096 instructions): there is no backtracking and no
// recursion in the length of the text.
// Thompson (1968), "Regular expression search algorithm", CACM 11(6).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace coppice::text {

enum class LetterCase : std::uint8_t { kSensitive, kIgnored };

class Regex {
 public:
  // Throws ParseError (E122) on a malformed or too large pattern; where().column is the place in
  // the pattern, from 1.
  explicit Regex(std::string_view pattern, LetterCase letter_case = LetterCase::kSensitive);

  // Whether some substring of `text` matches.
  bool matches(std::string_view text) const;

  // The leftmost substring that matches, and the longest of those; nullopt when none does.
  // The result points into `text`.
  std::optional<std::string_view> find(std::string_view text) const;

  // Opaque: what the pattern was compiled to.
  struct Program;

 private:
  std::shared_ptr<const Program> program_;  // immutable: copies share it, also between threads
};

}  // namespace coppice::text

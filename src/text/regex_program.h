// What a regular expression is compiled to. Private to regex.cc and regex_parse.cc.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "coppice/text/regex.h"
#include "text/char_class.h"

namespace coppice::text {

// A range of code points or a set of classes (a bit each), or the complement of both.
struct CharSetItem {
  char32_t first = 1, last = 0;  // empty
  std::uint32_t classes = 0;
  bool negated = false;

  bool contains(char32_t c) const noexcept {
    const bool in_range = c >= first && c <= last;
    return (in_range || ((classes >> static_cast<unsigned>(char_class(c))) & 1u) != 0) != negated;
  }
};

struct CharSet {
  std::vector<CharSetItem> items;
  bool negated = false;
};

struct Instruction {
  enum class Kind : std::uint8_t { kSet, kJump, kSplit, kAtStart, kAtEnd, kAccept };
  Kind kind;
  std::uint32_t next = 0;   // of all but kAccept
  std::uint32_t other = 0;  // the second way of kSplit; the set of kSet
};

struct Regex::Program {
  std::vector<Instruction> code;  // begins at 0
  std::vector<CharSet> sets;
  LetterCase letter_case = LetterCase::kSensitive;
};

// Throws ParseError (E122).
Regex::Program compile_regex(std::string_view pattern, LetterCase letter_case);

}  // namespace coppice::text

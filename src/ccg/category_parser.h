// The text of categories, bare and with co-indexation: the one parser for both.
//
// After an atom or a closing bracket may stand, in this order: a feature "[dcl]" (atoms only), a
// variable "{Y}", "{Y*}", or in the manner of CCGbank "_12", "_12:B", and a slot "<2>".
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "coppice/ccg/category.h"

namespace coppice::ccg {

struct ParsedPart {
  CategoryId category{};
  std::string_view variable{};  // empty: none is written
  std::uint8_t slot = 0;        // 0: none
  bool is_long_range = false;   // "*", ":B" or ":U" after the variable
  std::uint32_t result = 0;     // of complex ones: indices of parts
  std::uint32_t argument = 0;
};

// The parts in prefix order. Throws ParseError (E270) with the column. No recursion; O(length).
std::vector<ParsedPart> parse_parts(Categories& categories, std::string_view text);

// The same where no annotations are allowed.
CategoryId parse_bare(Categories& categories, std::string_view text);

}  // namespace coppice::ccg

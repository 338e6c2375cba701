// Co-indexed categories as written, before their variables are numbered: rules name variables of
// several categories at once.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ccg/category_parser.h"
#include "coppice/ccg/form.h"

namespace coppice::ccg {

inline constexpr std::string_view kOwnVariable = "_";
inline constexpr std::size_t kMaxNames = 128;  // of variables, before equal patterns are one

struct VariableNames {
  std::map<std::string, std::size_t, std::less<>> numbers;
  std::size_t count = 0;  // nameless ones count too

  // Throws InvalidArgument (E271) when there are too many.
  std::size_t number_of(std::string_view name);
};

struct ParsedForm {
  std::vector<ParsedPart> parts;
  std::vector<PartVariable> variables;  // one a part, numbered as `names` says
};

// "_" is the variable of the whole category. Throws ParseError (E270) and InvalidArgument (E271).
ParsedForm parse_form(Categories& categories, std::string_view text, VariableNames& names);

}  // namespace coppice::ccg

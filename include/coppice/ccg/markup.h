// Mark-up files: for each category of a lexicon the form that its words have, and its slots.
//
//     (S[dcl]\NP)/NP
//       2 ((S[dcl]{_}\NP{Y}<1>){_}/NP{Z}<2>){_}
//
// A category begins its line; the next line is indented and has the number of slots and the marked
// category (form.h). Further indented lines are those of other programs and are passed over, as are
// blank lines and lines that begin with '#' or '='. The marked category must be the category
// itself, but for S[X] where the category has S; the number must be that of the slots.
//
// Clark & Curran (2007), "Wide-Coverage Efficient Statistical Parsing", section 3.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/ccg/form.h"
#include "coppice/text/reader.h"

namespace coppice::ccg {

class Markup {
 public:
  // The entry of a plain category; null when there is none.
  const Supertag* find(CategoryId category) const noexcept;
  // In the order of the file. One category has one entry: a second one is a problem (E274).
  const std::vector<Supertag>& entries() const noexcept { return entries_; }
  // What was left out under OnError::kSkip.
  const std::vector<ParseError>& problems() const noexcept { return problems_; }

 private:
  friend class MarkupReader;

  std::vector<Supertag> entries_;
  std::unordered_map<std::uint32_t, std::size_t> by_category_;
  std::vector<ParseError> problems_;
};

// Throws ParseError (E274, with the line) at the first bad entry, or under OnError::kSkip lists all
// of them (at most max_errors) and goes on with the next.
Markup parse_markup(Forms& forms, std::string_view text, const std::string& name,
                    const text::ReadPolicy& policy = {});
Markup read_markup(Forms& forms, const std::string& path, const text::ReadPolicy& policy = {});

}  // namespace coppice::ccg

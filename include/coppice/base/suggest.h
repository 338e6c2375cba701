// What the user may have meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace coppice {

// The least number of insertions, deletions, substitutions and swaps of neighbours that turn `a`
// into `b`, no place being edited twice (optimal string alignment; bytes). Cost: |a| * |b|.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, the first of equals; "" when none is near. Near means at most
// one edit per three letters (at least one), or that `word`, of three letters or more, begins it.
std::string closest(std::string_view word, const std::vector<std::string>& candidates);

// `; did you mean "x"?` with the quoted nearest candidate, or "" when none is near. `dashes` puts
// "--" in place of the quotes.
enum class Quoting { kQuotes, kDashes };
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         Quoting quoting = Quoting::kQuotes);

}  // namespace coppice

#include "chain/label_pattern.h"

namespace coppice::chain {

// Greedy, with one place to come back to: the last star takes one character more.
bool matches(std::string_view pattern, std::string_view label) noexcept {
  constexpr std::size_t none = std::string_view::npos;
  std::size_t p = 0, at = 0;
  std::size_t star = none, taken = 0;  // after the last star, and where it ends in the label
  while (at < label.size() || p < pattern.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      taken = at;
      continue;
    }
    const bool escaped = p + 1 < pattern.size() && pattern[p] == '\\';
    const std::size_t letter = escaped ? p + 1 : p;
    if (letter < pattern.size() && at < label.size() && pattern[letter] == label[at]) {
      p = letter + 1;
      ++at;
      continue;
    }
    if (star == none || taken == label.size()) return false;
    p = star;
    at = ++taken;
  }
  return true;
}

std::vector<std::size_t> matching(std::string_view pattern,
                                  const std::vector<std::string>& labels) {
  std::vector<std::size_t> found;
  for (std::size_t y = 0; y < labels.size(); ++y) {
    if (matches(pattern, labels[y])) found.push_back(y);
  }
  return found;
}

}  // namespace coppice::chain

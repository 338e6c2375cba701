// Names and paths as the template language writes them. Private.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace coppice::text {

inline bool is_name_start(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

inline bool is_name_character(char c) noexcept {
  return is_name_start(c) || (c >= '0' && c <= '9');
}

inline std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// A name, in quotes unless it is a plain word.
inline std::string quoted_name(std::string_view name) {
  const bool plain = !name.empty() && is_name_start(name.front()) &&
                     std::all_of(name.begin(), name.end(), is_name_character);
  return plain ? std::string(name) : in_quotes(name);
}

// A bag's name, kept apart from the keyword that may stand in its place.
inline std::string quoted_bag(std::string_view name) {
  return name == "transition" ? in_quotes(name) : quoted_name(name);
}

// A path runs to the end of its line, unless it is in quotes.
inline std::string quoted_path(std::string_view path) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  const bool plain = !path.empty() && !is_blank(path.front()) && !is_blank(path.back()) &&
                     path.front() != '"' && path.find('\n') == std::string_view::npos;
  return plain ? std::string(path) : in_quotes(path);
}

}  // namespace coppice::text

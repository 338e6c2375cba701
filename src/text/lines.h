// What the line formats share: blanks, comments, numbers, and lines shown in messages.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "coppice/base/file.h"

namespace coppice::text {

constexpr bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

constexpr std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

constexpr std::string_view without_bom(std::string_view text) noexcept {
  constexpr std::string_view bom = "\xef\xbb\xbf";
  if (text.starts_with(bom)) text.remove_prefix(bom.size());
  return text;
}

constexpr std::string_view without_carriage_return(std::string_view line) noexcept {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Does the text begin with the line that starts a document in column files?
constexpr bool is_document_start(std::string_view text) noexcept {
  constexpr std::string_view mark = "-DOCSTART-";
  if (!text.starts_with(mark)) return false;
  return text.size() == mark.size() || is_blank(text[mark.size()]) || text[mark.size()] == '\n';
}

// Cuts the first line, without its '\n', off `rest`.
constexpr std::string_view take_line(std::string_view& rest) noexcept {
  const std::size_t stop = rest.find('\n');
  const std::string_view line = rest.substr(0, stop);
  rest.remove_prefix(stop == std::string_view::npos ? rest.size() : stop + 1);
  return line;
}

struct Comment {
  std::string_view key;
  std::string_view value;
};

// "# key = value" (blanks around '=' optional; a key may be two words, as in "newdoc id").
constexpr std::optional<Comment> parse_comment(std::string_view line) noexcept {
  const std::size_t equals = line.find('=');
  if (!line.starts_with('#') || equals == std::string_view::npos) return std::nullopt;
  return Comment{trim(line.substr(1, equals - 1)), trim(line.substr(equals + 1))};
}

// The whole of `text` as a number of C's syntax; none if it is not one.
template <class Number>
std::optional<Number> parse_number(std::string_view text) noexcept {
  Number number{};
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// A line fit to be shown: cut when long, and bytes that are not UTF-8 or not printable as \xNN.
std::string excerpt_of(std::string_view line);

// Throws ParseError when the line, the one that was read last, is not UTF-8 (E202) or has a NUL
// byte (E205).
void require_text(std::string_view line, const LineReader& lines);

// How many characters well-formed UTF-8 holds.
std::size_t count_characters(std::string_view text) noexcept;

}  // namespace coppice::text

#include "coppice/base/markup.h"

#include <algorithm>

#include "base/unicode.h"

namespace coppice {

namespace {

constexpr std::string_view kUnwritable = "\xef\xbf\xbd";  // U+FFFD

std::string_view escaped(std::string_view character, std::uint32_t code) {
  switch (code) {
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '&':
      return "&amp;";
    case '"':
      return "&quot;";
    default:
      return code < 0x20 || (code >= 0x7f && code < 0xa0) ? kUnwritable : character;
  }
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const detail::CodePoint point = detail::code_point_at(text, at);
    const std::size_t size = std::max<std::size_t>(point.size, 1);
    out += point.size == 0 ? kUnwritable : escaped(text.substr(at, size), point.value);
    at += size;
  }
  return out;
}

}  // namespace coppice

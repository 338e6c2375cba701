#include "text/lines.h"

#include "coppice/base/error.h"
#include "text/utf8_validate.h"

namespace coppice::text {

namespace {

constexpr std::size_t kExcerptBytes = 160;

void append_escaped(std::string& out, char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += "\\x";
  out += digits[byte >> 4];
  out += digits[byte & 15];
}

void append_printable(std::string& out, std::string_view valid) {
  for (const char c : valid) {
    const bool is_control = (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    if (is_control) {
      append_escaped(out, c);
    } else {
      out += c;
    }
  }
}

}  // namespace

std::string excerpt_of(std::string_view line) {
  line = without_carriage_return(line);
  std::string_view shown = line.substr(0, kExcerptBytes);
  if (shown.size() < line.size()) {  // not in the middle of a character
    while (!shown.empty() && (static_cast<unsigned char>(line[shown.size()]) & 0xc0u) == 0x80u) {
      shown.remove_suffix(1);
    }
  }
  std::string out;
  for (std::string_view rest = shown; !rest.empty();) {
    const std::size_t valid = first_invalid_utf8(rest);
    append_printable(out, rest.substr(0, valid));
    rest.remove_prefix(valid);
    if (rest.empty()) break;
    append_escaped(out, rest.front());
    rest.remove_prefix(1);
  }
  return shown.size() < line.size() ? out + "..." : out;
}

std::size_t count_characters(std::string_view text) noexcept {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
  return count;
}

void require_text(std::string_view line, const LineReader& lines) {
  const auto fail = [&](const char* message, const char* code, const char* help) {
    throw ParseError(message, {.code = code,
                               .where = {.file = lines.name(), .line = lines.line_number()},
                               .excerpt = excerpt_of(line),
                               .help = help});
  };
  if (first_invalid_utf8(line) < line.size())
    fail("the line is not UTF-8", "E202", "convert the file with iconv");
  if (line.find('\0') != std::string_view::npos)
    fail("the line has a NUL byte", "E205", "is this a text file?");
}

}  // namespace coppice::text

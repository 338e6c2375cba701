#include "cli/human.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace coppice::cli {

namespace {

bool begins_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

// The first `count` code points.
std::string_view prefix(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (begins_code_point(text[at]) && count-- == 0) break;
  }
  return text.substr(0, at);
}

void wrap_paragraph(std::string_view text, std::size_t columns, std::size_t indent,
                    std::string& out) {
  std::size_t used = 0;  // code points on the line, without the indent
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(" \n", at);
    if (begin == std::string_view::npos) break;
    at = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string_view word = text.substr(begin, at - begin);
    if (used > 0 && indent + used + 1 + width(word) > columns) {
      out += '\n';
      used = 0;
    }
    out += used == 0 ? std::string(indent, ' ') : " ";
    out += word;
    used += width(word) + (used == 0 ? 0 : 1);
  }
  if (used > 0) out += '\n';
}

}  // namespace

std::string thousands(std::uint64_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() <= 4) return digits;
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ' ';
    text += digits[i];
  }
  return text;
}

std::string duration(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "-:--";
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string file_size(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  constexpr std::array units = {"kB", "MB", "GB", "TB", "PB", "EB"};
  auto size = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; size >= 999.95 && unit + 1 < units.size(); ++unit) size /= 1000;
  return fmt::format("{:.1f} {}", size, units[unit]);
}

std::string compact(double number) {
  if (!std::isfinite(number)) return "-";
  if (std::abs(number) < 999.5) return fmt::format("{:.0f}", number);
  constexpr std::array units = {"k", "M", "G", "T", "P", "E"};
  number /= 1000;
  std::size_t unit = 0;
  for (; std::abs(number) >= 999.5 && unit + 1 < units.size(); ++unit) number /= 1000;
  return fmt::format("{:.{}f}{}", number, std::abs(number) < 9.95 ? 1 : 0, units[unit]);
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", thousands(count), noun, count == 1 ? "" : "s");
}

std::size_t width(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) count += begins_code_point(byte) ? 1 : 0;
  return count;
}

std::string shortened(std::string_view text, std::size_t limit) {
  if (width(text) <= limit) return std::string(text);
  return std::string(prefix(text, limit - 3)) + "...";
}

std::string visible(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool is_c1 = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    if (byte >= 0x20 && byte != 0x7f && !is_c1) {
      out += text[i];
      continue;
    }
    out += fmt::format("\\x{:02x}", byte);
    if (is_c1) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
  }
  return out;
}

std::string shell_word(std::string_view text) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./,:@%+=").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + '\'';
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t stop = std::min(text.find("\n\n", at), text.size());
    if (!out.empty()) out += '\n';
    wrap_paragraph(text.substr(at, stop - at), columns, indent, out);
    at = stop + 2;
  }
  return out;
}

}  // namespace coppice::cli

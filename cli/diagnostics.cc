#include "cli/diagnostics.h"

#include <fmt/core.h>

#include <new>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "cli/human.h"
#include "cli/terminal.h"
#include "coppice/base/error_kind.h"

namespace coppice::cli {

namespace {

constexpr std::size_t kExcerptColumns = 100;
constexpr std::string_view kTab = "\u21e5";
constexpr std::string_view kGutter = "        | ";

// The bytes of the well-formed UTF-8 sequence that begins `text`, or 0.
std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  return length;
}

// The line as it is safe to show, one string per character of the original.
std::vector<std::string> glyphs(std::string_view line) {
  std::vector<std::string> shown;
  for (std::size_t at = 0; at < line.size();) {
    const auto byte = static_cast<unsigned char>(line[at]);
    const std::size_t length = sequence_length(line.substr(at));
    if (line[at] == '\t') {
      shown.emplace_back(kTab);
    } else if (length == 0 || byte < 0x20 || byte == 0x7F) {
      shown.push_back(fmt::format("\\x{:02X}", byte));
    } else {
      shown.emplace_back(line.substr(at, length));
    }
    at += std::max<std::size_t>(1, length);
  }
  return shown;
}

// The offending line in its gutter, and a caret under `where.column`.
std::string offending_line(std::string_view line, const Location& where) {
  const std::vector<std::string> shown = glyphs(line);
  const std::size_t column = where.column;
  const std::size_t begin = column > kExcerptColumns / 2 && shown.size() > kExcerptColumns
                                ? column - kExcerptColumns / 2
                                : 0;
  const std::size_t end = std::min(shown.size(), begin + kExcerptColumns);
  std::string text = begin > 0 ? "..." : "";
  std::size_t caret = width(text);
  for (std::size_t i = begin; i < end; ++i) {
    if (i + 1 < column) caret += width(shown[i]);
    text += shown[i];
  }
  if (end < shown.size()) text += "...";
  const std::string number = where.line == 0 ? "" : std::to_string(where.line);
  std::string out = fmt::format("{:>7} | {}\n", number, text);
  if (column > 0 && column <= end + 1)
    out += fmt::format("{}{}^\n", kGutter, std::string(caret, ' '));
  return out;
}

std::string excerpt(const ErrorDetails& details) {
  std::istringstream lines(details.excerpt);
  std::string out;
  for (std::string line; std::getline(lines, line);)
    out += out.empty() ? offending_line(line, details.where) : fmt::format("{}{}\n", kGutter, line);
  return out;
}

// "train.conll:1812: ", unless the message itself names the file and there is no line.
std::string prefix(const Location& where, std::string_view message) {
  if (where.file.empty()) return "";
  if (where.line == 0 && message.find(where.file) != std::string_view::npos) return "";
  return to_string(where) + ": ";
}

ErrorDetails details_of(const std::exception& error) {
  const std::string code = code_of(error);
  if (const auto* ours = dynamic_cast<const Error*>(&error))
    return {code, ours->where(), ours->excerpt(), ours->help()};
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return {.code = code,
            .help = "use smaller input, fewer threads, or a machine with more memory"};
  return {.code = code,
          .help = "this is a bug; please report it with the output of: coppice doctor"};
}

std::string message_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "out of memory";
  return error.what();
}

}  // namespace

ExitStatus exit_status(const std::exception& error) {
  switch (kind_of(error)) {
    case ErrorKind::kUsage:
      return ExitStatus::kUsage;
    case ErrorKind::kData:
      return ExitStatus::kData;
    case ErrorKind::kModel:
      return ExitStatus::kModel;
    case ErrorKind::kResources:
      return ExitStatus::kResources;
    default:
      return ExitStatus::kInternal;
  }
}

void Diagnostics::error(const std::exception& error) {
  ++errors_;
  print("error", message_of(error), details_of(error));
}

void Diagnostics::warning(const std::string& message, const ErrorDetails& details) {
  if (++warnings_[details.code] == 1 && !hide_warnings_) print("warning", message, details);
}

void Diagnostics::count_hidden_warnings() {
  if (hide_warnings_) return;
  for (const auto& [code, count] : warnings_) {
    if (count == 1) continue;
    print("warning", fmt::format("{} more like the one above", thousands(count - 1)),
          {.code = code});
  }
}

std::uint64_t Diagnostics::warnings() const {
  std::uint64_t total = 0;
  for (const auto& [code, count] : warnings_) total += count;
  return total;
}

void Diagnostics::summary(const std::string& written) {
  if (format_ == ErrorFormat::kJson) return;
  out_ << counted(errors_, "error") << ", " << counted(warnings(), "warning") << "; " << written
       << '\n';
}

void Diagnostics::print(const std::string& severity, const std::string& message,
                        const ErrorDetails& details) {
  if (format_ == ErrorFormat::kJson) {
    print_json(severity, message, details);
    return;
  }
  const Paint paint(color_);
  const std::string tag = severity + (details.code.empty() ? "" : '[' + details.code + ']');
  out_ << "coppice: " << (severity == "error" ? paint.red(tag) : paint.yellow(tag)) << ": "
       << prefix(details.where, message) << message << '\n'
       << excerpt(details);
  if (!details.help.empty()) out_ << "   " << paint.bold("help:") << ' ' << details.help << '\n';
  out_.flush();
}

void Diagnostics::print_json(const std::string& severity, const std::string& message,
                             const ErrorDetails& details) {
  const auto known = [](const auto& value, bool is_known) {
    return is_known ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
  };
  const Location& where = details.where;
  const nlohmann::ordered_json line = {
      {"code", known(details.code, !details.code.empty())},
      {"severity", severity},
      {"file", known(where.file, !where.file.empty())},
      {"line", known(where.line, where.line > 0)},
      {"column", known(where.column, where.column > 0)},
      {"message", message},
      {"help", known(details.help, !details.help.empty())},
  };
  out_ << line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  out_.flush();
}

}  // namespace coppice::cli

#include "coppice/text/parg.h"

#include <algorithm>
#include <array>
#include <limits>

#include "coppice/base/error.h"
#include "text/lines.h"
#include "text/utf8_validate.h"

namespace coppice::text {

namespace {

constexpr std::string_view kPargBegin = "<s id=\"";
constexpr std::string_view kPargEnd = "<\\s>";

}  // namespace

void PargReader::fail(const std::string& message, std::string_view line) const {
  throw ParseError(message,
                   {.code = "E215",
                    .where = {.file = lines_.name(), .line = lines_.line_number()},
                    .excerpt = excerpt_of(line),
                    .help = "a sentence is <s id=\"...\"> LAST, lines of argument, functor, "
                            "category, slot and words with tabs between them, and <\\s>"});
}

bool PargReader::open(PargSentence& sentence) {
  for (std::string_view line; lines_.next(line);) {
    line = without_carriage_return(lines_.line_number() == 1 ? without_bom(line) : line);
    if (trim(line).empty()) continue;
    const std::size_t quote = line.rfind("\"> ");
    if (!line.starts_with(kPargBegin) || quote == std::string_view::npos ||
        quote < kPargBegin.size())
      fail("expected <s id=\"...\"> and the number of the last word", line);
    const auto last = parse_number<std::uint32_t>(trim(line.substr(quote + 3)));
    if (!last || *last >= std::numeric_limits<std::uint32_t>::max())
      fail("expected the number of the last word", line);
    if (first_invalid_utf8(line) < line.size()) fail("the line is not UTF-8", line);
    sentence = {.id = std::string(line.substr(kPargBegin.size(), quote - kPargBegin.size())),
                .num_words = *last + 1,
                .dependencies = {},
                .line = lines_.line_number()};
    return true;
  }
  return false;
}

bool PargReader::next(PargSentence& sentence) {
  if (!open(sentence)) return false;
  for (std::string_view line; lines_.next(line);) {
    line = without_carriage_return(line);
    if (trim(line) == kPargEnd) return true;
    if (trim(line).empty()) continue;
    sentence.dependencies.push_back(dependency(line, sentence.num_words));
  }
  fail("the file ends within a sentence", {});
}

PargDependency PargReader::dependency(std::string_view line, std::uint32_t num_words) const {
  if (first_invalid_utf8(line) < line.size()) fail("the line is not UTF-8", line);
  std::array<std::string_view, 5> fields;  // argument, functor, category, slot, words
  std::string_view rest = line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool is_last = i + 1 == fields.size();
    const std::size_t tab = is_last ? rest.size() : rest.find('\t');
    if (tab == std::string_view::npos) fail("expected five fields", line);
    fields[i] = trim(rest.substr(0, tab));
    rest.remove_prefix(std::min(tab + 1, rest.size()));
  }
  PargDependency found;
  found.category = fields[2];
  const auto number = [&](std::string_view field, std::uint32_t below) {
    const auto value = parse_number<std::uint32_t>(field);
    if (!value || *value >= below)
      fail(concat("\"", excerpt_of(field), "\" is no number that fits"), line);
    return *value;
  };
  found.argument = number(fields[0], num_words);
  found.functor = number(fields[1], num_words);
  found.slot = number(fields[3], 100);
  std::string_view words = fields[4];
  for (const std::string_view mark : {" <XB>", " <XU>"}) {
    if (!words.ends_with(mark)) continue;
    found.is_long_range = true;
    words.remove_suffix(mark.size());
  }
  const std::size_t blank = words.find(' ');
  if (found.category.empty() || blank == std::string_view::npos)
    fail("expected a category and two words", line);
  found.argument_word = words.substr(0, blank);
  found.functor_word = trim(words.substr(blank + 1));
  return found;
}

void write_parg(std::ostream& out, const PargSentence& sentence) {
  out << kPargBegin << sentence.id << "\"> "
      << (sentence.num_words == 0 ? 0 : sentence.num_words - 1) << '\n';
  for (const PargDependency& each : sentence.dependencies)
    out << each.argument << '\t' << each.functor << '\t' << each.category << '\t' << each.slot
        << '\t' << each.argument_word << ' ' << each.functor_word
        << (each.is_long_range ? " <XB>" : "") << '\n';
  out << kPargEnd << '\n';
}

void write_deps(std::ostream& out, const PargSentence& sentence) {
  for (const PargDependency& each : sentence.dependencies)
    out << each.functor_word << '_' << each.functor + 1 << ' ' << each.category << ' ' << each.slot
        << ' ' << each.argument_word << '_' << each.argument + 1 << ' ' << each.rule << '\n';
  out << '\n';
}

}  // namespace coppice::text

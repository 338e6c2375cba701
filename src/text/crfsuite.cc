#include "text/crfsuite.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "text/lines.h"

namespace coppice::text {

namespace {

constexpr std::string_view kWeight = "@weight:";

// Undoes the escapes of the part of a field before its first plain ':', and returns how many bytes
// of the field that part has.
std::size_t decode(std::string_view field, std::string& decoded) {
  decoded.clear();
  std::size_t i = 0;
  for (; i < field.size() && field[i] != ':'; ++i) {
    const bool is_escape =
        field[i] == '\\' && i + 1 < field.size() && (field[i + 1] == ':' || field[i + 1] == '\\');
    if (is_escape) ++i;
    decoded += field[i];
  }
  return i;
}

std::string_view take_field(std::string_view& rest) {
  const std::size_t stop = rest.find('\t');
  const std::string_view field = rest.substr(0, stop);
  rest.remove_prefix(stop == std::string_view::npos ? rest.size() : stop + 1);
  return field;
}

// The shortest digits that read back as the same number.
void write_number(std::ostream& out, double value) {
  std::array<char, 32> digits{};
  const auto* end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out << std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

}  // namespace

CrfsuiteReader::CrfsuiteReader(LineReader lines, const ReadPolicy& policy)
    : SentenceReader(std::move(lines), policy, Format::kCrfsuite) {
  set_column_names(ColumnNames({"label"}));
}

bool CrfsuiteReader::read(Sentence& sentence) {
  sentence.set_columns(1, std::nullopt, '\t');
  for (std::string_view line; lines().next(line);) {
    if (take_line(sentence, line)) return true;
  }
  return sentence.num_tokens() > 0 || is_bad();
}

// Returns whether the line ends the sequence.
bool CrfsuiteReader::take_line(Sentence& sentence, std::string_view line) {
  if (lines().line_number() == 1) line = without_bom(line);
  line = without_carriage_return(line);
  if (trim(line).empty()) return sentence.num_tokens() > 0 || is_bad();
  if (sentence.first_line() == 0) sentence.set_first_line(lines().line_number());
  if (!check_encoding(line)) return false;
  if (sentence.num_tokens() == 0 && line.starts_with(kWeight)) {
    take_weight(sentence, line.substr(kWeight.size()), line);
    return false;
  }
  std::string_view rest = line;
  const std::string_view label = take_field(rest);
  if (decode(label, decoded_) != label.size()) {
    report(concat("the label \"", excerpt_of(label), "\" has a ':' without '\\' before it"),
           {.code = "E209", .excerpt = excerpt_of(line)});
  }
  sentence.add_cell(sentence.append(decoded_));
  while (!rest.empty()) take_attribute(sentence, take_field(rest), line);
  sentence.end_attributes();
  sentence.end_token(lines().line_number());
  return false;
}

void CrfsuiteReader::take_attribute(Sentence& sentence, std::string_view field,
                                    std::string_view line) {
  if (field.empty()) return;  // two tabs, which CRFsuite accepts
  const std::size_t name_size = decode(field, decoded_);
  double value = 1.0;
  if (name_size < field.size()) {
    const auto number = parse_number<double>(field.substr(name_size + 1));
    if (!number || !std::isfinite(*number)) {
      report(concat("the attribute \"", excerpt_of(field), "\" has a value that is not a number"),
             {.code = "E209",
              .excerpt = excerpt_of(line),
              .help = "write \"\\:\" for a ':' that belongs to the name"});
    }
    value = number.value_or(1.0);
  }
  sentence.add_attribute(sentence.append(decoded_), value);
}

void CrfsuiteWriter::write_escaped(std::string_view text) {
  require(text.find_first_of("\t\n") == std::string_view::npos, "\"", excerpt_of(text),
          "\" has a tab or an end of line in it, which a CRFsuite file cannot hold");
  for (const char c : text) {
    if (c == ':' || c == '\\') *out_ << '\\';
    *out_ << c;
  }
}

void CrfsuiteWriter::begin_item(std::string_view label) { write_escaped(label); }

void CrfsuiteWriter::add_attribute(std::string_view name, double value) {
  *out_ << '\t';
  write_escaped(name);
  if (value == 1.0) return;
  *out_ << ':';
  write_number(*out_, value);
}

void CrfsuiteWriter::end_item() { *out_ << '\n'; }
void CrfsuiteWriter::set_weight(double weight) {
  *out_ << kWeight;
  write_number(*out_, weight);
  *out_ << '\n';
}

void CrfsuiteWriter::end_sequence() { *out_ << '\n'; }

}  // namespace coppice::text

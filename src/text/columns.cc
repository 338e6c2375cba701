#include "text/columns.h"

#include <algorithm>
#include <utility>

#include "text/lines.h"
#include "text/row.h"

namespace coppice::text {

namespace {

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_key(std::string_view key) noexcept {
  if (key.empty() || !is_letter(key.front())) return false;
  const auto fits = [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == ' ';
  };
  return std::all_of(key.begin(), key.end(), fits) && std::count(key.begin(), key.end(), ' ') <= 1;
}

}  // namespace

ColumnReader::ColumnReader(LineReader lines, ColumnOptions options)
    : SentenceReader(std::move(lines), options.policy, Format::kColumns),
      options_(std::move(options)) {
  if (options_.names.empty()) return;
  set_column_names(options_.names);
  if (!options_.partial_labels.empty()) options_.names.require(options_.partial_labels);
}

std::string ColumnReader::description() const {
  std::string text = "columns";
  if (!column_names().empty()) text.append(" ").append(column_names().to_string());
  if (separator_) text += *separator_ == '\t' ? " (tab)" : " (spaces)";
  return text;
}

bool ColumnReader::read(Sentence& sentence) {
  if (separator_) sentence.set_columns(column_names().size(), form_column_, *separator_);
  for (std::string_view line; lines().next(line);) {
    if (take_line(sentence, line)) return true;
  }
  return sentence.num_tokens() > 0 || is_bad();
}

// Returns whether the line ends the sentence.
bool ColumnReader::take_line(Sentence& sentence, std::string_view line) {
  const bool has_begun = sentence.num_tokens() > 0 || is_bad();
  if (has_begun && is_document_start(line)) {
    lines().unread();
    return true;
  }
  const TextRange range = append_line(sentence, line, lines());
  line = sentence.view(range);
  if (trim(line).empty()) return has_begun;
  if (sentence.first_line() == 0) sentence.set_first_line(lines().line_number());
  if (!check_encoding(line)) return false;
  if (is_document_start(line)) {
    count_document();
    sentence.set_starts_document();
  } else if (is_comment(line, sentence)) {
    take_comment(sentence, line);
  } else {
    take_token(sentence, range);
  }
  return false;
}

bool ColumnReader::is_comment(std::string_view line, const Sentence& sentence) const noexcept {
  if (line.front() != '#' || options_.comments == Comments::kNone) return false;
  if (options_.comments == Comments::kAll) return true;
  if (sentence.num_tokens() > 0 || is_bad() || !line.starts_with("# ")) return false;
  const auto comment = parse_comment(line);
  return comment && is_key(comment->key);
}

void ColumnReader::take_comment(Sentence& sentence, std::string_view line) {
  const auto comment = parse_comment(line);
  if (!comment) return;
  if (comment->key == "id" || comment->key == "sent_id") {
    sentence.set_id(range_in(sentence, comment->value));
  }
  if (comment->key == "weight") take_weight(sentence, comment->value, line);
}

void ColumnReader::take_token(Sentence& sentence, TextRange line) {
  if (!separator_) decide_layout(sentence, sentence.view(line));
  const std::size_t found = split(sentence, line);
  if (found != sentence.num_columns()) {
    sentence.drop_unfinished_token();
    report_columns(sentence.view(line), found);
    return;
  }
  sentence.end_token(lines().line_number());
  if (label_column_) take_label_set(sentence, sentence.view(line));
}

std::size_t ColumnReader::split(Sentence& sentence, TextRange line) const {
  return *separator_ == '\t' ? split_at_tabs(sentence, line) : split_at_blanks(sentence, line);
}

void ColumnReader::decide_layout(Sentence& sentence, std::string_view line) {
  separator_ = line.find('\t') == std::string_view::npos ? ' ' : '\t';
  if (column_names().empty()) {
    Sentence scratch;
    scratch.start({});
    const TextRange copy = scratch.append(line);
    set_column_names(ColumnNames::defaults(split(scratch, copy)));
  }
  form_column_ = column_names().find("form").value_or(0);
  if (!options_.partial_labels.empty()) {
    label_column_ = column_names().require(options_.partial_labels);
  }
  sentence.set_columns(column_names().size(), form_column_, *separator_);
}

void ColumnReader::take_label_set(Sentence& sentence, std::string_view line) {
  const std::size_t row = sentence.num_tokens() - 1;
  const TextRange cell = sentence.cell_range(row, *label_column_);
  const std::string_view text = sentence.view(cell);
  for (std::size_t begin = 0; text != "?" && begin <= text.size();) {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    if (end == begin) {
      report(concat("the set of labels \"", excerpt_of(text), "\" has an empty member"),
             {.code = "E201", .excerpt = excerpt_of(line)});
    }
    sentence.add_label(
        {cell.begin + static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)});
    begin = end + 1;
  }
  sentence.end_labels();
}

void ColumnReader::report_columns(std::string_view line, std::size_t found) {
  const bool is_tab = *separator_ == '\t';
  const bool has_spaces = is_tab && found == 1 && line.find(' ') != std::string_view::npos;
  std::string help;
  if (has_spaces) {
    help =
        "put tabs between the columns, as in the first line, or skip bad sentences with "
        "--on-error skip (they are listed and counted)";
  }
  report(concat("expected ", column_names().size(), " columns, found ", found),
         {.code = "E203",
          .excerpt = concat(excerpt_of(line), "\ncolumns used so far: ", column_names().to_string(),
                            is_tab ? " (tab-separated)" : " (separated by spaces)"),
          .help = std::move(help)});
}

}  // namespace coppice::text

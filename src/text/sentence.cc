#include "coppice/text/sentence.h"

#include <limits>

#include "text/lines.h"

namespace coppice::text {

void Sentence::start(const Origin& origin) {
  text_.clear();
  cells_.clear();
  lines_.clear();
  labels_.clear();
  label_begin_.clear();
  attributes_.clear();
  attribute_begin_.clear();
  file_.assign(origin.file);
  first_line_ = 0;
  number_ = origin.number;
  raw_size_ = 0;
  id_ = {};
  weight_ = 1.0;
  format_ = origin.format;
  starts_document_ = false;
  set_columns(origin.num_columns, origin.form_column, origin.separator);
}

void Sentence::set_columns(std::size_t num_columns, std::optional<std::size_t> form_column,
                           char separator) {
  num_columns_ = num_columns;
  form_column_ = form_column;
  separator_ = separator;
}

TextRange Sentence::append(std::string_view text) {
  constexpr std::size_t max_bytes = std::numeric_limits<std::uint32_t>::max();
  if (text.size() > max_bytes - text_.size()) {
    throw ParseError("the sentence is larger than 4 GiB",
                     {.code = "E206",
                      .where = where(),
                      .help = "separate sentences by blank lines, or choose the right format"});
  }
  const auto begin = static_cast<std::uint32_t>(text_.size());
  text_.append(text);
  return {begin, static_cast<std::uint32_t>(text.size())};
}

TextRange Sentence::append_raw(std::string_view line, bool terminated) {
  const TextRange range = append(line);
  if (terminated) append("\n");
  raw_size_ = static_cast<std::uint32_t>(text_.size());
  return range;
}

void Sentence::end_labels() {
  if (label_begin_.empty()) label_begin_.push_back(0);
  label_begin_.push_back(labels_.size());
}

void Sentence::end_attributes() {
  if (attribute_begin_.empty()) attribute_begin_.push_back(0);
  attribute_begin_.push_back(attributes_.size());
}

std::optional<std::string_view> Sentence::comment(std::string_view key) const noexcept {
  std::optional<std::string_view> found;
  std::string_view rest = without_bom(raw());
  while (!rest.empty()) {
    const std::string_view line = trim(take_line(rest));
    if (line.empty()) continue;
    if (line.front() != '#') break;
    const auto comment = parse_comment(line);
    if (comment && comment->key == key) found = comment->value;
  }
  return found;
}

}  // namespace coppice::text

#include "coppice/text/labelled_reader.h"

#include "coppice/base/error.h"

namespace coppice::text {

bool LabelledReader::next() {
  labels_.clear();
  if (!reader_->next(sentence_)) return false;
  label_column_ = find_label_column();
  if (!label_column_ || *label_column_ >= sentence_.num_columns()) return true;
  for (std::size_t row = 0; row < sentence_.num_tokens(); ++row)
    labels_.push_back(sentence_.cell(row, *label_column_));
  return true;
}

std::optional<std::size_t> LabelledReader::find_label_column() const {
  const ColumnNames& names = reader_->column_names();
  if (!label_column_name_.empty()) return names.require(label_column_name_);
  if (const auto column = names.find(learnt_from_)) return column;
  if (const auto column = names.find("label")) return column;
  if (sentence_.format() == Format::kConllu) return names.find("upos");
  for (std::size_t column = names.size(); column-- > 0;)
    if (names[column] != "_" && column != sentence_.form_column()) return column;
  return std::nullopt;
}

std::span<const std::string_view> LabelledReader::require_labels() const {
  if (!labels_.empty() || sentence_.num_tokens() == 0) return labels_;
  throw ParseError("the sentence has no labels",
                   {.code = "E145",
                    .where = sentence_.where(),
                    .help = concat("the file was read as ", reader_->description())});
}

}  // namespace coppice::text

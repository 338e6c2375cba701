#include "cli/data_options.h"

#include <utility>

#include "cli/human.h"
#include "coppice/base/error.h"

namespace coppice::cli {

std::vector<Option> data_options_without_skipping(DataOptions& options) {
  return {{.name = "columns",
           .value = &options.columns,
           .metavar = "NAMES",
           .help = "names of the columns, such as form,pos,_,ner; _ is a column of no interest"},
          {.name = "format",
           .letter = 'f',
           .value = &options.format,
           .choices = {"auto", "columns", "conllu", "text", "jsonl", "crfsuite"},
           .help = "format of the data"},
          {.name = "label-column",
           .value = &options.label_column,
           .metavar = "NAME",
           .help = "column of the labels; else \"label\", or the last one, or upos in CoNLL-U"},
          {.name = "encoding",
           .value = &options.encoding,
           .choices = {"utf8", "bytes"},
           .help = "bytes takes any bytes as text",
           .advanced = true},
          {.name = "comments",
           .value = &options.comments,
           .choices = {"headers", "none", "all"},
           .help = "lines of column files that are comments: # key = value before a sentence, no "
                   "lines, or all that begin with #",
           .advanced = true}};
}

std::vector<Option> data_options(DataOptions& options, const std::string& format_name) {
  std::vector<Option> list = data_options_without_skipping(options);
  for (Option& option : list)
    if (option.name == "format" && format_name != "format") {
      option.name = format_name;
      option.letter = 0;
    }
  list.push_back({.name = "on-error",
                  .value = &options.on_error,
                  .choices = {"stop", "skip"},
                  .help = "at bad data, stop, or leave the sentence out, list and count it"});
  return list;
}

text::ReaderOptions reader_options(const DataOptions& options, text::Format fallback) {
  text::ReaderOptions reading{.format = text::parse_format(options.format), .fallback = fallback};
  if (!options.columns.empty()) reading.columns = text::ColumnNames::parse(options.columns);
  if (options.encoding == "bytes") reading.policy.encoding = text::Encoding::kBytes;
  if (options.on_error == "skip") reading.policy.on_error = text::OnError::kSkip;
  if (options.on_error == "null") reading.policy.on_error = text::OnError::kReturn;
  if (options.comments == "none") reading.comments = text::Comments::kNone;
  if (options.comments == "all") reading.comments = text::Comments::kAll;
  return reading;
}

LabelledReader::LabelledReader(const std::string& path, const text::ReaderOptions& options,
                               std::string label_column, std::string learnt_from)
    : reader_(text::open_sentences(path, options)),
      label_column_name_(std::move(label_column)),
      learnt_from_(std::move(learnt_from)) {}

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
  const text::ColumnNames& names = reader_->column_names();
  if (!label_column_name_.empty()) return names.require(label_column_name_);
  if (const auto column = names.find(learnt_from_)) return column;
  if (const auto column = names.find("label")) return column;
  if (sentence_.format() == text::Format::kConllu) return names.find("upos");
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

bool report_skipped(const text::SentenceReader& reader, Context& context) {
  const text::ReadCounts& counts = reader.counts();
  if (counts.skipped == 0) return false;
  for (const ParseError& problem : reader.problems()) context.report(problem);
  context.talk("skipped {} of {} for {}", counted(counts.skipped, "sentence"), reader.name(),
               counted(counts.problems, "problem"));
  return true;
}

}  // namespace coppice::cli

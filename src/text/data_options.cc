#include "coppice/text/data_options.h"

namespace coppice::text {

std::vector<Option> data_options_without_skipping(DataOptions& options) {
  return {
      {.name = "columns",
       .value = &options.columns,
       .metavar = "NAMES",
       .help = "names of the columns, such as form,pos,_,ner; _ is a column of no interest"},
      {.name = "format",
       .letter = 'f',
       .value = &options.format,
       .choices = {"auto", "columns", "conllu", "text", "jsonl", "crfsuite", "brackets", "ccgbank"},
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

ReaderOptions reader_options(const DataOptions& options, Format fallback) {
  ReaderOptions reading{.format = parse_format(options.format), .fallback = fallback};
  if (!options.columns.empty()) reading.columns = ColumnNames::parse(options.columns);
  if (options.encoding == "bytes") reading.policy.encoding = Encoding::kBytes;
  if (options.on_error == "skip") reading.policy.on_error = OnError::kSkip;
  if (options.on_error == "null") reading.policy.on_error = OnError::kReturn;
  if (options.comments == "none") reading.comments = Comments::kNone;
  if (options.comments == "all") reading.comments = Comments::kAll;
  return reading;
}

}  // namespace coppice::text

// Reading labelled data as the user's options say: what train, predict, eval, compare, check and
// convert share.
//
// The labels stand in the column that --label-column names; without it in the one that a model has
// learnt from, where there is a model and the file has that column; else in "label" (the last of
// columns that nobody named, and where JSON lines and CRFsuite have them), else in UPOS for
// CoNLL-U, else in the last column that has a name and is not the words.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "coppice/text/reader.h"

namespace coppice::cli {

struct DataOptions {
  std::string columns;  // "form,pos,_,ner"; empty: any, with default names
  std::string format = "auto";
  std::string on_error = "stop";  // or "skip"; predict adds "null"
  std::string encoding = "utf8";
  std::string comments = "headers";
  std::string label_column;  // empty: see above
};

// The declarations of --columns, --format (or another name for it), --label-column, --encoding,
// --comments and --on-error. Requires that `options` outlives them.
std::vector<Option> data_options(DataOptions& options, const std::string& format_name = "format");
// The same without --on-error, for verbs that list every problem.
std::vector<Option> data_options_without_skipping(DataOptions& options);

// Throws InvalidArgument (E120) when --columns is not a list of names.
text::ReaderOptions reader_options(const DataOptions& options, text::Format fallback);

// A file of sentences with, perhaps, labels.
class LabelledReader {
 public:
  // `fallback` is the format of a file that shows none, `learnt_from` the column of a model's
  // labels. Throws as text::open_sentences.
  LabelledReader(const std::string& path, const text::ReaderOptions& options,
                 std::string label_column, std::string learnt_from = {});
  LabelledReader(const std::string& path, const DataOptions& options, text::Format fallback,
                 std::string learnt_from = {})
      : LabelledReader(path, reader_options(options, fallback), options.label_column,
                       std::move(learnt_from)) {}

  // Reads the next sentence; false at the end. Throws ParseError as the policy wants, and
  // InvalidArgument (E122) when --label-column names no column.
  bool next();

  const text::Sentence& sentence() const noexcept { return sentence_; }
  // One a token, or none when the sentence has no labels. Views of the sentence.
  std::span<const std::string_view> labels() const noexcept { return labels_; }
  // The same; throws ParseError (E145) when the sentence has no labels.
  std::span<const std::string_view> require_labels() const;
  // The column they come from, when there is one. Known after the first sentence.
  std::optional<std::size_t> label_column() const noexcept { return label_column_; }
  const text::SentenceReader& reader() const noexcept { return *reader_; }

 private:
  std::optional<std::size_t> find_label_column() const;

  std::unique_ptr<text::SentenceReader> reader_;
  std::string label_column_name_;
  std::string learnt_from_;
  std::optional<std::size_t> label_column_;
  text::Sentence sentence_;
  std::vector<std::string_view> labels_;
};

// Lists the problems of the records that were skipped, says how many there were, and returns
// whether there were any: the status is then kSkippedRecords.
bool report_skipped(const text::SentenceReader& reader, Context& context);

}  // namespace coppice::cli

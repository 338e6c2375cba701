// Sentences and where their labels stand.
//
// The labels stand in the column that is asked for (--label-column); without it in the one that a
// model has learnt from, where there is a model and the file has that column; else in "label" (the
// last of columns that nobody named, and where JSON lines and CRFsuite have them), else in UPOS for
// CoNLL-U, else in the last column that has a name and is not the words.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coppice/text/data_options.h"
#include "coppice/text/reader.h"

namespace coppice::text {

// A stream of sentences with, perhaps, labels.
class LabelledReader {
 public:
  // `label_column` is asked for, `learnt_from` the column of a model's labels; empty: none.
  LabelledReader(std::unique_ptr<SentenceReader> reader, std::string label_column,
                 std::string learnt_from = {})
      : reader_(std::move(reader)),
        label_column_name_(std::move(label_column)),
        learnt_from_(std::move(learnt_from)) {}
  // Opens a file; `fallback` is the format of one that shows none. Throws as open_sentences.
  LabelledReader(const std::string& path, const DataOptions& options, Format fallback,
                 std::string learnt_from = {})
      : LabelledReader(open_sentences(path, reader_options(options, fallback)),
                       options.label_column, std::move(learnt_from)) {}

  // Reads the next sentence; false at the end. Throws ParseError as the policy wants, and
  // InvalidArgument (E122) when --label-column names no column.
  bool next();

  const Sentence& sentence() const noexcept { return sentence_; }
  // One a token, or none when the sentence has no labels. Views of the sentence.
  std::span<const std::string_view> labels() const noexcept { return labels_; }
  // The same; throws ParseError (E145) when the sentence has no labels.
  std::span<const std::string_view> require_labels() const;
  // The column they come from, when there is one. Known after the first sentence.
  std::optional<std::size_t> label_column() const noexcept { return label_column_; }
  const SentenceReader& reader() const noexcept { return *reader_; }

 private:
  std::optional<std::size_t> find_label_column() const;

  std::unique_ptr<SentenceReader> reader_;
  std::string label_column_name_;
  std::string learnt_from_;
  std::optional<std::size_t> label_column_;
  Sentence sentence_;
  std::vector<std::string_view> labels_;
};

}  // namespace coppice::text

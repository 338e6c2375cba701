// Column files: one token a line, cells separated by tabs or blanks, blank lines between sentences.
//
//     Peter   NNP   B-PER
//     visits  VBZ   O
//
// - The first line of data decides: a tab in it means that single tabs separate (cells may then be
//   empty or hold blanks), else runs of blanks do. It also decides how many columns there are.
// - A line of only white space ends a sentence, and so does the end of the file.
// - A line whose first cell is -DOCSTART- begins a document. It is no token, whatever else it has.
// - "#" is a token like any other. Comments are, by default, only lines "# key = value" before the
//   first token of a sentence, where key is a word, or two, of ASCII letters, digits, '_' and '.'
//   that begins with a letter. `# weight = 2.5` and `# id = x` (or `# sent_id = x`) have a meaning.
// - CRLF and a byte-order mark are kept in Sentence::raw() and are in no cell.
//
// Cost: about one pass over the bytes; no allocation once the sentence has grown.
//
// Faults: E201 set of labels with an empty member, E202 not UTF-8, E203 number of columns, E205 NUL
// byte, E206 sentence above 4 GiB, E208 weight. In E203 the excerpt has a second line, which says
// what the columns were so far.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "coppice/text/reader.h"

namespace coppice::text {

struct ColumnOptions {
  ColumnNames names{};
  Comments comments = Comments::kHeaders;
  // See ReaderOptions::partial_labels.
  std::string partial_labels{};
  ReadPolicy policy{};
};

class ColumnReader final : public SentenceReader {
 public:
  // Throws InvalidArgument (E112) when partial_labels names no column of `names`.
  ColumnReader(LineReader lines, ColumnOptions options);
  ColumnReader(const std::string& path, ColumnOptions options)
      : ColumnReader(LineReader(path), std::move(options)) {}

  std::string description() const override;
  // '\t' or ' '; none before the first record.
  std::optional<char> separator() const noexcept { return separator_; }

 private:
  bool read(Sentence& sentence) override;
  bool take_line(Sentence& sentence, std::string_view line);
  bool is_comment(std::string_view line, const Sentence& sentence) const noexcept;
  void take_comment(Sentence& sentence, std::string_view line);
  void take_token(Sentence& sentence, TextRange line);
  void decide_layout(Sentence& sentence, std::string_view line);
  std::size_t split(Sentence& sentence, TextRange line) const;
  void take_label_set(Sentence& sentence, std::string_view line);
  void report_columns(std::string_view line, std::size_t found);

  ColumnOptions options_;
  std::optional<char> separator_;
  std::optional<std::size_t> form_column_;
  std::optional<std::size_t> label_column_;  // only for partial labels
};

}  // namespace coppice::text

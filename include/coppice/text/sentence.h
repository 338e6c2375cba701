// A sentence as read: a table of cells, one row a token, and what surrounded it in the file.
//
// All characters lie in one buffer, and cells are ranges of it, so that a Sentence read into again
// and again allocates nothing once it has grown to the longest one. For the line formats (columns,
// CoNLL-U, plain text) the buffer is the record itself, byte for byte: raw(). Writers edit that, so
// that whatever they do not change stays as it was.
//
// Views returned here live until the sentence is changed, read into or destroyed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/assert.h"
#include "coppice/base/error.h"

namespace coppice::text {

enum class Format { kAuto, kColumns, kConllu, kText, kJsonl, kCrfsuite, kBrackets, kCcgbank };

// A range of a sentence's buffer.
struct TextRange {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
};

// A feature of a token that the data brings along: "suffix=ing" 1, or "length" 7.
struct Attribute {
  std::string_view name;
  double value = 1.0;
};

class Sentence {
 public:
  std::size_t num_tokens() const noexcept { return lines_.size(); }
  std::size_t num_columns() const noexcept { return num_columns_; }

  // Requires row < num_tokens() and column < num_columns().
  std::string_view cell(std::size_t row, std::size_t column) const noexcept {
    return view(cell_range(row, column));
  }
  // Where the cell lies in the buffer; in raw(), for the line formats.
  TextRange cell_range(std::size_t row, std::size_t column) const noexcept {
    COPPICE_ASSERT(row < num_tokens() && column < num_columns_);
    return cells_[row * num_columns_ + column];
  }

  // The column with the words; none in CRFsuite files.
  std::optional<std::size_t> form_column() const noexcept { return form_column_; }

  // The file and the line of the first token or comment.
  Location where() const { return {.file = file_, .line = first_line_}; }
  std::size_t first_line() const noexcept { return first_line_; }
  std::size_t line_of(std::size_t row) const noexcept { return lines_[row]; }
  // The ordinal of the record in its file, from 1; records that were skipped count.
  std::size_t number() const noexcept { return number_; }

  // The identifier that the data gives; empty if none.
  std::string_view id() const noexcept { return view(id_); }
  double weight() const noexcept { return weight_; }
  // Whether a document begins here (a -DOCSTART- line, or `# newdoc` in CoNLL-U).
  bool starts_document() const noexcept { return starts_document_; }

  Format format() const noexcept { return format_; }
  // Between the cells of a column file: '\t' or ' '.
  char separator() const noexcept { return separator_; }
  // The bytes of the record with the lines that precede it; empty for JSON lines and CRFsuite.
  std::string_view raw() const noexcept { return view({0, raw_size_}); }
  // The value of the last comment `# key = value` before the tokens.
  std::optional<std::string_view> comment(std::string_view key) const noexcept;

  // Partial annotation: when true, label_set() says which labels each token may have, and the cell
  // of the label column only spells that out ("?" or "A|B").
  bool is_partial() const noexcept { return !label_begin_.empty(); }
  // How many labels the token may have; 0: nothing is known. Requires is_partial().
  std::size_t num_labels(std::size_t row) const noexcept {
    return label_begin_[row + 1] - label_begin_[row];
  }
  std::string_view label(std::size_t row, std::size_t i) const noexcept {
    return view(labels_[label_begin_[row] + i]);
  }

  bool has_attributes() const noexcept { return !attribute_begin_.empty(); }
  // 0 for every token when !has_attributes().
  std::size_t num_attributes(std::size_t row) const noexcept {
    return has_attributes() ? attribute_begin_[row + 1] - attribute_begin_[row] : 0;
  }
  Attribute attribute(std::size_t row, std::size_t i) const noexcept {
    const StoredAttribute& stored = attributes_[attribute_begin_[row] + i];
    return {view(stored.name), stored.value};
  }

  // --- building, for readers and for programs that have tokens already --------------------------

  struct Origin {
    Format format = Format::kColumns;
    std::string_view file{};
    std::size_t number = 0;
    std::size_t num_columns = 1;
    std::optional<std::size_t> form_column = 0;
    char separator = '\t';
  };
  // Empties the sentence and keeps its memory.
  void start(const Origin& origin);
  void set_columns(std::size_t num_columns, std::optional<std::size_t> form_column, char separator);

  // Adds text to the buffer and returns where it went. Throws ParseError (E206) when the buffer
  // would pass 4 GiB.
  TextRange append(std::string_view text);
  // The same for a line of the record, which raw() then includes with its '\n'.
  TextRange append_raw(std::string_view line, bool terminated);
  std::string_view view(TextRange range) const noexcept {
    return {text_.data() + range.begin, range.size};
  }

  // A token is num_columns() calls of add_cell and then one of end_token.
  void add_cell(TextRange range) { cells_.push_back(range); }
  void end_token(std::size_t line) { lines_.push_back(line); }
  // Takes the cells of an unfinished token back.
  void drop_unfinished_token() { cells_.resize(lines_.size() * num_columns_); }

  // Token by token, in order: the labels or attributes of one, then its end. Either none or all of
  // the tokens have them.
  void add_label(TextRange range) { labels_.push_back(range); }
  void end_labels();
  void add_attribute(TextRange name, double value) { attributes_.push_back({name, value}); }
  void end_attributes();

  void set_first_line(std::size_t line) noexcept { first_line_ = line; }
  void set_id(TextRange id) noexcept { id_ = id; }
  void set_weight(double weight) noexcept { weight_ = weight; }
  void set_starts_document() noexcept { starts_document_ = true; }

 private:
  struct StoredAttribute {
    TextRange name;
    double value;
  };

  std::string text_;
  std::vector<TextRange> cells_;    // num_columns_ a token
  std::vector<std::size_t> lines_;  // one a token
  std::vector<TextRange> labels_;   // of token t: label_begin_[t] to label_begin_[t + 1]
  std::vector<std::size_t> label_begin_;
  std::vector<StoredAttribute> attributes_;
  std::vector<std::size_t> attribute_begin_;
  std::string file_;
  std::size_t first_line_ = 0;
  std::size_t number_ = 0;
  std::size_t num_columns_ = 1;
  std::optional<std::size_t> form_column_ = 0;
  std::uint32_t raw_size_ = 0;
  TextRange id_{};
  double weight_ = 1.0;
  Format format_ = Format::kColumns;
  char separator_ = '\t';
  bool starts_document_ = false;
};

}  // namespace coppice::text

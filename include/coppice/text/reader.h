// Reading sentences: what all formats share.
//
//     auto reader = open_sentences("train.conll", {.columns = ColumnNames::parse("form,_,ner")});
//     Sentence sentence;
//     while (reader->next(sentence)) ...
//
// A reader streams: it returns a record as soon as the record's end has arrived (for columns and
// CoNLL-U, its blank line) and reads no line beyond, so that it can sit on a pipe. "-" is standard
// input.
//
// Faults in the data either stop the reading with a ParseError, or the record is left out, listed
// in problems() and counted (OnError::kSkip). Then reading goes on to the end of the bad record and
// finds its other faults too. OnError::kReturn does the same, but next() also returns the bad
// record, and failure() says what is wrong with it. Nothing is ever dropped silently.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/file.h"
#include "coppice/text/column_names.h"
#include "coppice/text/sentence.h"

namespace coppice::text {

class Tree;

enum class OnError { kStop, kSkip, kReturn };

// kBytes takes any bytes as text, and a NUL as an ordinary one.
enum class Encoding { kUtf8, kBytes };

struct ReadPolicy {
  Encoding encoding = Encoding::kUtf8;
  OnError on_error = OnError::kStop;
  std::size_t max_errors = 100;  // how many problems are listed; all are counted
};

struct ReadCounts {
  std::size_t sentences = 0;
  std::size_t tokens = 0;
  std::size_t documents = 0;  // -DOCSTART- lines, or `# newdoc` comments
  std::size_t skipped = 0;    // records left out because of problems
  std::size_t problems = 0;
};

class SentenceReader {
 public:
  virtual ~SentenceReader() = default;
  SentenceReader(const SentenceReader&) = delete;
  SentenceReader& operator=(const SentenceReader&) = delete;

  // Reads the next record; false at the end. Throws ParseError under OnError::kStop, and IoError.
  bool next(Sentence& sentence);
  // Under OnError::kReturn, the first fault of the record that next() returned; null when it has
  // none. The sentence of a record with faults is good for SentenceWriter::write_failure only.
  const ParseError* failure() const noexcept { return failure_ ? &*failure_ : nullptr; }

  const std::string& name() const noexcept { return lines_.name(); }
  // LineReader::digest(): at the end, of the whole input.
  std::string digest() const { return lines_.digest(); }
  const ReadPolicy& policy() const noexcept { return policy_; }
  const ReadCounts& counts() const noexcept { return counts_; }
  // The first max_errors problems of the records that were skipped, in the order of the file.
  const std::vector<ParseError>& problems() const noexcept { return problems_; }
  // What follows the last record (blank lines, comments); for writers. Complete after the end.
  std::string_view trailing() const noexcept { return trailing_; }

  // Names of the columns. A column file without given names has none before its first record.
  const ColumnNames& column_names() const noexcept { return column_names_; }
  // The tree of the record that next() returned last; null where it has none.
  virtual const Tree* tree() const noexcept { return nullptr; }
  // What is being read and how, e.g. "columns form pos chunk ner (tab)".
  virtual std::string description() const = 0;

 protected:
  SentenceReader(LineReader lines, const ReadPolicy& policy, Format format);

  // Fills the sentence, which is empty; false when the input is at its end and holds no record.
  virtual bool read(Sentence& sentence) = 0;

  LineReader& lines() noexcept { return lines_; }
  void count_document() noexcept { ++counts_.documents; }
  void set_column_names(ColumnNames names) { column_names_ = std::move(names); }

  // Whether a problem of the current record has been reported.
  bool is_bad() const noexcept { return is_bad_; }
  // Throws, or lists and counts, as the policy wants. Fills in the file, the current line unless
  // details name another, and kFixOrSkip unless they bring help.
  void report(const std::string& message, ErrorDetails details);
  // Reports a line that is not UTF-8 (E202) or has a NUL (E205), and says whether it is fine.
  bool check_encoding(std::string_view line);
  // Sets the weight, a finite number from 0 up; reports E208 when `weight` is not one.
  void take_weight(Sentence& sentence, std::string_view weight, std::string_view line);

 private:
  LineReader lines_;
  ReadPolicy policy_;
  Format format_;
  ReadCounts counts_;
  std::vector<ParseError> problems_;
  std::optional<ParseError> failure_;
  std::string trailing_;
  ColumnNames column_names_;
  std::size_t number_ = 0;
  bool is_bad_ = false;
};

// The help that goes with most faults in data.
inline constexpr const char* kFixOrSkip =
    "fix the line, or skip bad sentences with --on-error skip (they are listed and counted)";

// Which lines of a column file are comments.
enum class Comments {
  kHeaders,  // at the start of a sentence, lines "# key = value" whose key is made of letters
  kNone,
  kAll,  // every line that starts with '#'
};

struct ReaderOptions {
  Format format = Format::kAuto;
  Format fallback = Format::kText;  // what kAuto takes when neither name nor first line decide
  ReadPolicy policy{};

  // Of column files only; open_sentences throws InvalidArgument when they are given for another.
  ColumnNames columns{};  // none: any number of columns, with default names
  Comments comments = Comments::kHeaders;
  std::string partial_labels{};  // a column (name) where "?" is unknown and "A|B" a set of labels
};

// Opens a file in its format. kAuto decides by the name's ending:
//   .conllu .conllup CoNLL-U | .jsonl .ndjson JSON lines | .crfsuite CRFsuite
//   .mrg .ptb brackets | .auto CCGbank | .conll .tsv .bio .iob .iob2 .bioes .cols columns
// and else by the first line: "{" JSON lines; "(<T", "(<L" or "ID=... PARSER=" CCGbank; "(" and no
// ")" before the next "(" brackets; "# sent_id =", "# newdoc" or ten tab-separated cells of which
// the first is "1" or "1-..." CoNLL-U; a tab, a last word such as "O" or "B-X" among several, or
// -DOCSTART-, columns. Given column names also mean columns. What is left is `fallback`. Throws
// IoError when the file cannot be read, InvalidArgument (E111) for options that do not fit.
std::unique_ptr<SentenceReader> open_sentences(const std::string& path,
                                               const ReaderOptions& options = {});
// The same for lines that are already open.
std::unique_ptr<SentenceReader> open_sentences(LineReader lines, const ReaderOptions& options);

// "columns", "conllu", "text", "jsonl", "crfsuite", "brackets", "ccgbank" or "auto". Throws
// InvalidArgument (E111).
Format parse_format(std::string_view name);
const char* to_string(Format format) noexcept;

struct CheckReport {
  std::string description;
  ReadCounts counts;
  std::vector<ParseError> problems;
};

// Reads everything and lists what is wrong. `options.policy.on_error` is taken as kSkip.
CheckReport check_sentences(const std::string& path, ReaderOptions options = {});

// Throws ParseError (E204) when a reader that is at its end has found no sentence.
void require_sentences(const SentenceReader& reader);

}  // namespace coppice::text

// Writing sentences with predicted labels.
//
//   columns   A sentence of a column file keeps its lines, byte for byte, and gets its labels in a
//             column of its own at the end, or in place of one. Other sentences are written as
//             form<TAB>label. Further columns follow, as far as they were predicted: a label and
//             its probability for each posterior, then a column a sequence of the k-best list
//             (WriterOptions::kbest of them, "_" where there are fewer), then a column a sample;
//             comments "# kbest = -0.1 -2.5" and "# samples = ..." before the tokens have the log
//             probabilities of these sequences.
//   conllu    A CoNLL-U sentence keeps everything but one column (UPOS unless told). Others get
//             ids, forms, labels, and "_" elsewhere.
//   jsonl     {"v":1,"id":...,"tokens":[...],"tags":[...]} and what else was predicted; see
//             jsonl.h. A sentence without an id is "s" and its number.
//   text      The labels of a sentence on one line, separated by spaces. Lines of plain text that
//             were empty are empty again, so that input and output can be pasted together.
//   crfsuite  The labels, and the attributes that the sentence has.
//   brackets  The tree of the prediction, on one line or indented (brackets.h).
//
// Nothing here flushes or checks the stream, unless WriterOptions::flush asks for a flush after
// each sentence; OutputFile::commit() reports what could not be written.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/text/sentence.h"
#include "coppice/text/spans.h"
#include "coppice/text/tree.h"

namespace coppice::text {

struct LabelProbability {
  std::string_view label;
  double probability = 0;
};

struct LabelSequence {
  std::vector<std::string_view> labels{};  // one a token
  double log_probability = 0;
};

// What was predicted. All but the labels may be absent, and is then absent from the output.
struct Prediction {
  std::vector<std::string_view> labels{};                   // one a token
  std::vector<std::vector<LabelProbability>> posteriors{};  // "tag_p": one list a token
  std::optional<std::vector<LabelledSpan>> spans{};
  std::vector<double> span_probabilities{};  // one a span
  std::optional<double> log_probability{};
  std::vector<LabelSequence> kbest{};    // best first
  std::vector<LabelSequence> samples{};  // drawn at random
  std::optional<double> milliseconds{};
  const Tree* tree = nullptr;  // "tree"; it outlives the writing
};

struct WriterOptions {
  Format format = Format::kColumns;
  // The column of the input that labels replace. None: columns append, CoNLL-U replaces UPOS.
  std::optional<std::size_t> replace_column{};
  std::size_t kbest = 0;  // columns: how many sequences have one
  std::size_t width = 0;  // brackets: trees that need more bytes take several lines; 0: none does
  bool flush = false;     // after each sentence, for pipes
};

class SentenceWriter {
 public:
  virtual ~SentenceWriter() = default;
  SentenceWriter(const SentenceWriter&) = delete;
  SentenceWriter& operator=(const SentenceWriter&) = delete;

  // Throws InvalidArgument when there is not one label a token (in a sequence too), when the
  // sentence has no forms or no tree and the format needs them, when replace_column is not one of
  // its columns, or when a label or form holds a character that the format cannot write (E115).
  void write(const Sentence& sentence, const Prediction& prediction);
  // A sentence that could not be read or predicted: {"error":{...}} in JSON lines, an empty line in
  // plain text, labels "_" elsewhere.
  void write_failure(const Sentence& sentence, std::string_view code, std::string_view message);
  // What follows the last sentence of a file, from SentenceReader::trailing().
  void finish(std::string_view trailing);

 protected:
  SentenceWriter(std::ostream& out, const WriterOptions& options) : out_(&out), options_(options) {}

  const WriterOptions& options() const noexcept { return options_; }
  // These append to `text`, which is then written.
  virtual void append(std::string& text, const Sentence& sentence,
                      const Prediction& prediction) = 0;
  virtual void append_failure(std::string& text, const Sentence& sentence, std::string_view code,
                              std::string_view message);
  virtual void append_trailing(std::string& text, std::string_view trailing) = 0;

 private:
  void emit();

  std::ostream* out_;
  WriterOptions options_;
  std::string text_;
};

// The stream must outlive the writer. Throws InvalidArgument (E111) for Format::kAuto.
std::unique_ptr<SentenceWriter> make_writer(std::ostream& out, const WriterOptions& options);

}  // namespace coppice::text

// CoNLL-U, read and written without loss: https://universaldependencies.org/format.html
//
// Tokens are the word lines ("8"). Multiword ranges ("1-2"), empty nodes ("8.1"), comments, odd
// blank lines, CRLF and a missing last '\n' stay in Sentence::raw(), so that a writer changes
// nothing but the cells it was asked to. A block of comments without words belongs to the sentence
// that follows, or to SentenceReader::trailing().
//
// Sentence::id() is `# sent_id`; Sentence::comment("text") and others are there too, and
// `# weight = 2` weighs the sentence.
//
// Faults: E202 not UTF-8, E203 other than 10 columns, E205 NUL byte, E207 ids: words run 1, 2, 3;
// a range stands before its first word, its words follow, and ranges do not overlap; the empty
// nodes after word n are n.1, n.2, ...; E208 weight.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "coppice/text/reader.h"

namespace coppice::text {

// id form lemma upos xpos feats head deprel deps misc
const ColumnNames& conllu_columns();

class ConlluReader final : public SentenceReader {
 public:
  explicit ConlluReader(LineReader lines, const ReadPolicy& policy = {});
  explicit ConlluReader(const std::string& path, const ReadPolicy& policy = {})
      : ConlluReader(LineReader(path), policy) {}

  std::string description() const override { return "conllu"; }

 private:
  bool read(Sentence& sentence) override;
  bool take_line(Sentence& sentence, std::string_view line);
  void take_comment(Sentence& sentence, std::string_view line);
  void take_row(Sentence& sentence, TextRange line);
  bool check_id(std::string_view id, std::string_view line);
  bool check_range(std::string_view id, std::string_view line);
  bool check_empty_node(std::string_view id, std::string_view line);
  void finish(const Sentence& sentence);

  bool has_rows_ = false;        // of the current sentence, as all below
  std::size_t last_word_ = 0;    // id of the last word line
  std::size_t range_end_ = 0;    // last word of the last range
  std::size_t empty_nodes_ = 0;  // after the last word
};

}  // namespace coppice::text

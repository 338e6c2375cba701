// Bracketed trees, as treebanks and parsers write them.
//
//     (TOP (S (NP (PRP they)) (VP (VBP sleep)) (. .)))
//     ( (S (NP-SBJ (-NONE- *))
//          (VP (VB sleep))))
//
// A tree may take several lines, and a line may have several trees. Words and labels are runs of
// characters other than blanks and brackets (which treebanks write -LRB- and -RRB-). The label
// may be missing. "()", "(())" and "(TOP)", which parsers write when they fail, are trees without
// words. Blank lines mean nothing.
//
// The reader is an ordinary SentenceReader: its sentences have the columns form and tag, without
// empty elements. tree() has the tree itself, with them.
//
// Which tree a lost ')' belongs to cannot be seen, so line beginnings decide: after the first tree
// of a file, a line that begins with '(' begins a tree, unless an earlier tree had such a line
// within. A reader with OnError::kSkip goes on there.
//
// Faults: E202 not UTF-8, E205 NUL byte, E250 a tree that is not closed, E251 text or ')' outside
// all trees, E252 a bracket with a word and something else.
#pragma once

#include <string>
#include <string_view>

#include "coppice/text/reader.h"
#include "coppice/text/tree.h"

namespace coppice::text {

class BracketReader final : public SentenceReader {
 public:
  explicit BracketReader(LineReader lines, const ReadPolicy& policy = {});
  explicit BracketReader(const std::string& path, const ReadPolicy& policy = {})
      : BracketReader(LineReader(path), policy) {}

  std::string description() const override { return "brackets"; }
  const Tree* tree() const noexcept override { return &tree_; }

 private:
  // What may come next in the open bracket.
  enum class State { kLabel, kWord, kChild, kEnd };

  bool read(Sentence& sentence) override;
  bool next_line();
  bool take_line(Sentence& sentence);
  bool take_bracket(Sentence& sentence);
  void take_atom(std::string_view atom);
  void open();
  void close(Sentence& sentence);
  void report_unclosed();

  Tree tree_;
  TreeBuilder builder_;
  std::string_view line_;  // the current one; valid until the next is read
  std::size_t at_ = 0;     // the place in it
  bool has_line_ = false;
  bool is_text_ = true;  // the line, by its encoding

  State state_ = State::kEnd;
  std::size_t depth_ = 0;       // open brackets
  std::size_t first_line_ = 0;  // of the current tree
  std::size_t flush_line_ = 0;  // the first line within it that begins with '('; 0: none
  bool is_indented_ = false;    // whether a line that begins with '(' begins a tree
  std::vector<std::size_t> lines_of_words_;
};

// The one tree of a text. Throws ParseError (E250 to E252, and E204 when there is none).
Tree parse_tree(std::string_view text);

// Writes brackets on one line, from the events of a walk: open("NN"), word("dog"), close() append
// "(NN dog)". The string must outlive the writer; text that it already has is not looked at.
class BracketWriter {
 public:
  explicit BracketWriter(std::string& out) noexcept : out_(out) {}

  void open(std::string_view label);
  void word(std::string_view text);
  void close() { out_ += ')'; }

 private:
  std::string& out_;
  bool has_begun_ = false;
};

// "(S (NP (PRP they)) (VP (VBP sleep)))", on one line without its end. Throws InvalidArgument
// (E115) for a word or label that has a bracket, a blank or a line break in it, or an empty word.
std::string one_line(const Tree& tree);

// The same tree with line breaks, none after the last line: a node that fits into `columns` bytes
// stands on one line, else each of its children has its own, two blanks further in (at most 32);
// but the first child of a bracket without label stands beside it.
std::string pretty(const Tree& tree, std::size_t columns = 80);

}  // namespace coppice::text

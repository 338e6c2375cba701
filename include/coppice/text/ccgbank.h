// CCGbank's AUTO files: derivations of categorial grammar, a sentence on two lines.
//
//     ID=wsj_0001.1 PARSER=GOLD NUMPARSE=1
//     (<T S[dcl] 1 2> (<L NP PRP PRP She NP>) (<L S[dcl]\NP VBZ VBZ sleeps S[dcl]\NP_1>) )
//
// An inner node is (<T category head children> ... ), where head counts from 0; a leaf is
// (<L category pos xpos word indexed>). The five columns of a sentence are form, pos, xpos, indexed
// (the leaf's last field) and supertag (its category, which is the label). The ID line may be
// missing. Categories are any text without blanks here: module ccg reads them.
//
// Sentence::raw() has the bytes of the record. Faults: E202 not UTF-8, E205 NUL byte, E214 not a
// derivation. Depth and length are bounded by the line alone; nothing recurses.
// Hockenmaier & Steedman (2005), CCGbank: User's Manual.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coppice/text/reader.h"

namespace coppice::text {

// The tree of a sentence in prefix order: a vertex, then its children's subtrees.
struct CcgbankTree {
  struct Vertex {
    TextRange category;          // in the sentence's buffer
    std::uint32_t num_children;  // 0 for leaves, and only for them
    std::uint32_t head;          // which child is the head, from 0
    std::uint32_t row;           // of leaves: the token
  };
  std::vector<Vertex> vertices;
};

class CcgbankReader final : public SentenceReader {
 public:
  enum Column : std::uint8_t { kForm, kPos, kXpos, kIndexed, kSupertag, kNumColumns };

  explicit CcgbankReader(LineReader lines, const ReadPolicy& policy = {});
  explicit CcgbankReader(const std::string& path, const ReadPolicy& policy = {})
      : CcgbankReader(LineReader(path), policy) {}

  std::string description() const override { return "CCGbank derivations (AUTO)"; }
  // Of the sentence that next() returned last; its ranges are of that sentence.
  const CcgbankTree& derivation() const noexcept { return tree_; }

 private:
  struct Open {
    std::uint32_t num_children;  // declared
    std::uint32_t found;
  };

  bool read(Sentence& sentence) override;
  void take_id(Sentence& sentence, TextRange line);
  void take_tree(Sentence& sentence, TextRange line);
  bool take_inner(TextRange line, std::string_view rest);
  bool take_leaf(Sentence& sentence, TextRange line, std::string_view rest);
  bool close_nodes(std::string_view rest);
  bool next_field(std::string_view text, std::string_view& field);
  bool fail(const std::string& message, std::string_view line, std::size_t at);

  CcgbankTree tree_;
  std::vector<Open> open_;
  std::size_t at_ = 0;  // in the line of the tree
  bool is_complete_ = false;
};

}  // namespace coppice::text

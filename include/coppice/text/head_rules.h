// Which child of a phrase is its head, by a table of rules.
//
//     const HeadRules& rules = HeadRules::english();
//     rules.head("PP", {"IN", "NP"})      // 0
//
// A rule looks at the children from one side, for each of its labels in turn or for any of them at
// once; the first child found is the head. Where none is found, it is the child on the side where
// the last rule began, or, for a label without rules, the last child; punctuation is passed over as
// long as there is another child. A head next to a conjunction gives way to the first conjunct:
// where CC stands just before the head (and is not the first child), the head is the child before
// that.
//
// The English table is for the Penn Treebank's labels (after Collins 1999, appendix A) and those of
// CRAFT (NML, TITLE, HEADING, CAPTION, CIT). Labels must be plain (text/tree_normal.h).
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "coppice/text/tree.h"

namespace coppice::text {

class HeadRules {
 public:
  enum class Side { kLeft, kRight };
  struct Rule {
    Side from = Side::kLeft;
    bool in_turn = true;  // each label over all children before the next label
    std::vector<std::string_view> labels{};
  };

  static const HeadRules& english();

  // The views must outlive the rules. Throws InvalidArgument for a label without any rule.
  explicit HeadRules(std::map<std::string_view, std::vector<Rule>> rules);

  // The head's position among the labels of the children. Requires at least one child.
  std::size_t head(std::string_view phrase, std::span<const std::string_view> children) const;

  // For each node the word that heads it. Throws InvalidArgument for a phrase without children.
  std::vector<std::size_t> head_words(const Tree& tree) const;

 private:
  std::map<std::string_view, std::vector<Rule>> rules_;
};

// Punctuation as tags mark it: , : `` '' . -LRB- -RRB- HYPH.
bool is_punctuation_tag(std::string_view tag) noexcept;

}  // namespace coppice::text

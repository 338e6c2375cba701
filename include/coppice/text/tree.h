// A constituency tree: phrases, tags and words, as treebanks have them.
//
//     (S (NP (PRP they)) (VP (VBP sleep)))
//
// Nodes stand in prefix order: a node, then its children's subtrees from left to right; node 0 is
// the root. All arrays are flat, so that a tree of any depth can be read, walked and destroyed
// without recursion, and all characters lie in one buffer, so that a tree that is read into again
// and again allocates nothing.
//
//     for (std::size_t child = node + 1; child < tree.next(node); child = tree.next(child)) ...
//
// A leaf is a tag over one word. A phrase has any number of children, none included: "(NP)".
// Labels are as the data has them; text/tree_normal.h brings them into one form. The words include
// the empty elements of a treebank, leaves with the tag -NONE-.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/assert.h"
#include "coppice/text/sentence.h"

namespace coppice::text {

// The tag of empty elements (traces).
inline constexpr std::string_view kEmptyElement = "-NONE-";

class Tree {
 public:
  std::size_t num_nodes() const noexcept { return nodes_.size(); }
  std::size_t num_words() const noexcept { return words_.size(); }
  bool empty() const noexcept { return nodes_.empty(); }

  // Requires node < num_nodes(), as all below. Of a leaf, the tag. Empty for "( (S ...))".
  std::string_view label(std::size_t node) const noexcept { return view(nodes_[node].label); }
  // Requires word < num_words().
  std::string_view word(std::size_t word) const noexcept { return view(words_[word]); }

  // The words of a node, [begin, end).
  std::size_t begin(std::size_t node) const noexcept { return nodes_[node].begin; }
  std::size_t end(std::size_t node) const noexcept { return nodes_[node].end; }
  // The node after the last one below `node`.
  std::size_t next(std::size_t node) const noexcept { return nodes_[node].next; }

  bool is_leaf(std::size_t node) const noexcept {
    return nodes_[node].next == node + 1 && nodes_[node].end > nodes_[node].begin;
  }
  // Whether the node has one child, and that is no word.
  bool is_unary(std::size_t node) const noexcept {
    return next(node) > node + 1 && next(node + 1) == next(node);
  }
  std::size_t num_children(std::size_t node) const noexcept;

  // The same labels and words in the same places.
  bool operator==(const Tree& other) const noexcept;

 private:
  friend class TreeBuilder;
  struct Node {
    TextRange label;
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t next;
  };
  std::string_view view(TextRange range) const noexcept {
    return {text_.data() + range.begin, range.size};
  }

  std::string text_;
  std::vector<Node> nodes_;
  std::vector<TextRange> words_;
};

// Builds a tree from its brackets, from left to right. (DT the) is open("DT"), word("the"),
// close().
class TreeBuilder {
 public:
  // Empties `tree`, which must outlive the building.
  explicit TreeBuilder(Tree& tree) { start(tree); }
  TreeBuilder() = default;
  void start(Tree& tree);

  // Throws ParseError (E206) when text or nodes would pass 32 bits. The views may be of another
  // tree, not of this one.
  void open(std::string_view label);
  // Requires that the open node has neither children nor a word.
  void word(std::string_view text);
  // Requires an open node.
  void close();

  std::size_t depth() const noexcept { return open_.size(); }
  bool is_complete() const noexcept { return open_.empty() && !tree_->nodes_.empty(); }

 private:
  TextRange append(std::string_view text);

  Tree* tree_ = nullptr;
  std::vector<std::uint32_t> open_;
};

}  // namespace coppice::text

#include "coppice/text/tree.h"

#include "coppice/base/error.h"
#include "coppice/base/id.h"

namespace coppice::text {

std::size_t Tree::num_children(std::size_t node) const noexcept {
  std::size_t count = 0;
  for (std::size_t child = node + 1; child < next(node); child = next(child)) ++count;
  return count;
}

bool Tree::operator==(const Tree& other) const noexcept {
  if (num_nodes() != other.num_nodes() || num_words() != other.num_words()) return false;
  for (std::size_t node = 0; node < num_nodes(); ++node) {
    if (begin(node) != other.begin(node) || end(node) != other.end(node) ||
        next(node) != other.next(node) || label(node) != other.label(node)) {
      return false;
    }
  }
  for (std::size_t i = 0; i < num_words(); ++i) {
    if (word(i) != other.word(i)) return false;
  }
  return true;
}

void TreeBuilder::start(Tree& tree) {
  tree_ = &tree;
  tree.text_.clear();
  tree.nodes_.clear();
  tree.words_.clear();
  open_.clear();
}

void TreeBuilder::open(std::string_view label) {
  const auto words = static_cast<std::uint32_t>(tree_->words_.size());
  const std::size_t node = tree_->nodes_.size();
  if (node >= kMaxIds) throw ParseError("a tree has over 4 294 967 294 nodes", {.code = "E206"});
  tree_->nodes_.push_back({append(label), words, words, static_cast<std::uint32_t>(node + 1)});
  open_.push_back(static_cast<std::uint32_t>(node));
}

void TreeBuilder::word(std::string_view text) {
  COPPICE_ASSERT(!open_.empty() && open_.back() + 1 == tree_->nodes_.size());
  tree_->words_.push_back(append(text));
}

void TreeBuilder::close() {
  COPPICE_ASSERT(!open_.empty());
  Tree::Node& node = tree_->nodes_[open_.back()];
  open_.pop_back();
  node.end = static_cast<std::uint32_t>(tree_->words_.size());
  node.next = static_cast<std::uint32_t>(tree_->nodes_.size());
}

TextRange TreeBuilder::append(std::string_view text) {
  const std::size_t begin = tree_->text_.size();
  if (text.size() > kMaxIds - begin) throw ParseError("a tree is above 4 GiB", {.code = "E206"});
  tree_->text_.append(text);
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(text.size())};
}

}  // namespace coppice::text

#include "cli/tree_check.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace coppice::cli {

namespace {

// The labels from `node` down to the phrase that has several children or a tag, and their number.
std::string chain_at(const text::Tree& tree, std::size_t node, std::size_t& length) {
  std::string chain;
  length = 0;
  for (;; ++node) {
    chain.append(chain.empty() ? "" : " ").append(tree.label(node));
    ++length;
    if (!tree.is_unary(node) || tree.is_leaf(node + 1)) return chain;
  }
}

bool is_root(const text::Tree& tree, std::size_t node) {
  return node == 0 && text::is_root_label(tree.label(node));
}

}  // namespace

void TreeCheck::add(const text::Tree& tree, std::size_t line) {
  ++trees;
  bool has_words = false;
  std::vector<std::size_t> open;
  std::size_t chain_end = 0;  // phrases before it have been counted in a chain
  for (std::size_t node = 0; node < tree.num_nodes(); ++node) {
    while (!open.empty() && tree.next(open.back()) <= node) open.pop_back();
    if (tree.is_leaf(node)) {
      const bool is_empty = tree.label(node) == text::kEmptyElement;
      empty_elements += is_empty ? 1 : 0;
      has_words = has_words || !is_empty;
      if (open.size() > deepest) deepest = open.size(), deepest_line = line;
      continue;
    }
    open.push_back(node);
    ++labels[std::string(tree.label(node))];
    const std::size_t children = tree.num_children(node);
    if (children > most_children) most_children = children, most_children_line = line;
    if (is_root(tree, node) || node < chain_end) continue;
    std::size_t length = 0;
    std::string chain = chain_at(tree, node, length);
    chain_end = node + length;
    if (length < 2) continue;
    ++chains[std::move(chain)];
    longest_chain = std::max(longest_chain, length);
  }
  without_words += has_words ? 0 : 1;
}

}  // namespace coppice::cli

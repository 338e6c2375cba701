// A derivation as the tree that people read: labels, and the tokens below them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "coppice/forest/record.h"

namespace coppice::detail {

struct TreeItem {
  std::string text;
  bool is_token = false;
  std::size_t parent = 0;  // of the root: itself
  std::size_t depth = 0;
};

struct DrawnTree {
  std::vector<TreeItem> items;  // in prefix order: parents before children, left to right

  // The children of every item, left to right. O(items).
  std::vector<std::vector<std::size_t>> children() const;
};

// Throws InvalidArgument when the edges are not one derivation of the root in prefix order.
DrawnTree make_tree(const ForestRecord& record, std::span<const EdgeId> derivation);

// The upper part of the tree: the deepest levels are left out until at most `max_items` remain,
// but the root stays.
DrawnTree cut(const DrawnTree& tree, std::size_t max_items);

}  // namespace coppice::detail

// What `coppice check` finds out about the trees of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "coppice/text/tree.h"
#include "coppice/text/tree_normal.h"

namespace coppice::cli {

struct TreeCheck {
  std::uint64_t trees = 0;
  std::uint64_t without_words = 0;
  std::uint64_t empty_elements = 0;
  std::map<std::string, std::uint64_t, std::less<>> labels;  // of phrases
  // Phrases over one another with the same words, "S VP", and how often; roots do not count.
  std::map<std::string, std::uint64_t, std::less<>> chains;
  std::size_t longest_chain = 0;
  std::size_t deepest = 0;  // phrases above a word
  std::size_t deepest_line = 0;
  std::size_t most_children = 0;
  std::size_t most_children_line = 0;

  // `line` is that of the tree's beginning.
  void add(const text::Tree& tree, std::size_t line);
};

}  // namespace coppice::cli

// Parse trees, as users see them: symbols and words, without the forest's prefix nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "coppice/forest/forest.h"
#include "coppice/span/parse.h"

namespace coppice::span {

// The vertices in prefix order: a vertex, then its children's subtrees from left to right. Flat,
// so that a tree of any depth can be made, walked and destroyed without recursion.
struct Tree {
  struct Vertex {
    SymbolId symbol;
    std::uint32_t begin;  // the words [begin, end)
    std::uint32_t end;
    std::uint32_t num_children;  // 0 for words, and only for them
    RuleId rule;                 // kNoRule for words
    NodeId node;                 // of the forest

    bool operator==(const Vertex&) const = default;
  };
  std::vector<Vertex> vertices;

  bool operator==(const Tree&) const = default;
};

// The tree of a derivation, given by its edges in prefix order: the edge into the root, then
// the derivations of its tails from left to right. Throws InvalidArgument when the edges
// are no derivation of the forest. O(length), no recursion.
Tree tree(const Grammar& grammar, const ParseResult& parsed, std::span<const EdgeId> derivation);

// "(S (NP they) (VP sleep))" on one line; words as they are.
std::string brackets(const Grammar& grammar, const Tree& tree);

}  // namespace coppice::span

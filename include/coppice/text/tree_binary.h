// Binary trees for chart parsers, and back, without loss.
//
// First, unary chains become moves. A chain of phrases over one span, A -> B -> ... -> Z, becomes
// one node with two layers: the bottom symbol Z (a tag, or a phrase of several children), and the
// top symbol A, which one unary move makes of Z. The move of a node without a chain is an identity.
//
// Then phrases of more than two children are split. Their children are taken off one by one from
// the outside, and what is left is a node with a symbol of its own, such as @NP:
//
//     right   A -> c1 @A,  @A -> c2 @A, ...                 the first child goes first
//     left    A -> @A ck,  @A -> @A ck-1, ...               the last child goes first
//     head    the children before the head go, first child first, then those after it, last first
//
// Names may say more than the label. With vertical = 2, phrases have their parent's label (NP^S);
// with 3, the grandparent's too. The names of @ symbols are those of their phrase and `horizontal`
// siblings: those that went last (right, left), or those that were taken in last when the phrase is
// built outward from its head (head), the head among them: @NP^S|DT,JJ.
//
// Binariser::restore is the exact inverse: @ nodes are spliced, names cut, chains unfolded.
// Cost of either: O(nodes), and one look-up in a table of names per node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coppice/base/id.h"
#include "coppice/base/symbols.h"
#include "coppice/text/head_rules.h"
#include "coppice/text/tree.h"

namespace coppice::text {

enum class Direction { kRight, kLeft, kHead };

inline constexpr std::size_t kAllSiblings = std::numeric_limits<std::size_t>::max();

struct BinaryOptions {
  Direction direction = Direction::kRight;
  std::size_t horizontal = 0;  // siblings in the names of @ symbols; kAllSiblings: no limit
  std::size_t vertical = 1;    // labels in the names of phrases: itself, its parent, ...
  const HeadRules* heads = &HeadRules::english();  // used by kHead alone; outlives the binariser
};

enum class SymbolKind : std::uint8_t { kTag, kPhrase, kSplit };
enum class MoveId : std::uint32_t {};

// Nodes in prefix order; the left child of a node is the one after it. Words are not kept.
struct BinaryTree {
  struct Node {
    SymbolId bottom;
    MoveId move;
    std::uint32_t begin;  // the words [begin, end)
    std::uint32_t end;
    std::uint32_t right;  // the right child; 0: a leaf

    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;

  bool operator==(const BinaryTree&) const = default;
};

class Binariser {
 public:
  // Throws InvalidArgument for vertical = 0.
  explicit Binariser(const BinaryOptions& options = {});

  // Symbols and moves that are new get the next ids. Throws InvalidArgument for a tree without
  // nodes or with a phrase without children: see text/tree_normal.h.
  BinaryTree binarise(const Tree& tree);

  // Requires symbols and moves of this binariser; `words` are those of the sentence. Throws
  // InvalidArgument when nodes or words do not make a tree.
  Tree restore(const BinaryTree& tree, std::span<const std::string_view> words) const;

  std::size_t num_symbols() const noexcept { return kinds_.size(); }
  // "NP^S", "@NP^S|DT" or "DT".
  std::string_view name(SymbolId symbol) const noexcept {
    const std::string_view key = keys_[symbol];
    return key.substr(key.find('\n') + 1);
  }
  SymbolKind kind(SymbolId symbol) const noexcept { return kinds_[index(symbol)]; }
  // The label that the symbol stands for; that of the phrase, for an @ symbol.
  std::string_view label(SymbolId symbol) const noexcept {
    return labels_[label_of_[index(symbol)]];
  }

  std::size_t num_moves() const noexcept { return moves_.size(); }
  // The symbols of a move, from the top to the bottom; one of an identity.
  std::span<const SymbolId> chain(MoveId move) const noexcept { return moves_[index(move)].chain; }
  SymbolId top(MoveId move) const noexcept { return chain(move).front(); }
  SymbolId bottom(MoveId move) const noexcept { return chain(move).back(); }
  // How many nodes of the trees so far have the move.
  std::uint64_t count(MoveId move) const noexcept { return moves_[index(move)].count; }

 private:
  struct Move {
    std::vector<SymbolId> chain;
    std::uint64_t count = 0;
  };
  class Walk;  // over one tree

  SymbolId add_symbol(SymbolKind kind, std::string_view name, std::string_view label);
  MoveId add_move(std::span<const SymbolId> chain);

  BinaryOptions options_;
  Symbols keys_;  // a letter for the kind, the label, a line break, the name
  std::vector<SymbolKind> kinds_;
  Symbols labels_;
  std::vector<SymbolId> label_of_;  // in labels_
  Symbols move_keys_;
  std::vector<Move> moves_;
};

// One move for each pair of a top and a bottom symbol: the commonest chain between them, and the
// one seen first where two are as common. This is what a grammar can have.
class MoveTable {
 public:
  explicit MoveTable(const Binariser& binariser);

  // Requires a move of the binariser as it was. The move that stands for its pair.
  MoveId standing_for(MoveId move) const noexcept { return chosen_[index(move)]; }
  // The nodes of the trees whose chain the table replaces by another.
  std::uint64_t num_lost() const noexcept { return num_lost_; }

 private:
  std::vector<MoveId> chosen_;
  std::uint64_t num_lost_ = 0;
};

}  // namespace coppice::text

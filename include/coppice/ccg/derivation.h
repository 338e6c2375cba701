// Derivations read from a treebank, and made again by the combinators.
//
// Deriver gives every leaf its supertag, then goes up the tree and asks which rule makes a node's
// category from those below it. Variables are local to each leaf and unified on the way, so that
// the dependencies are those of the derivation, whatever indices the file shares between words
// (conjuncts share one there, and a modifier of one would become that of all).
//
//   supertags  The leaf's last field where it has variables; else the mark-up's entry; else the
//              category as usual_variables() co-indexes it. In a sentence with features, such as
//              S[dcl], an S without one in a leaf of the file is S[X].
//   coord      X X -> X. The right child is marked by its label X[conj], or because it is a
//              conjunction or punctuation and X, perhaps with punctuation around it. In a sentence
//              with features an unmarked X|X X|X is composed instead; without, it is coordinated,
//              as in treebanks that were converted from dependencies.
//   tc, tr     Node with one child: the unary rule of the grammar, else one that make_raise or
//              make_change finds; changes() lists these.
//   mis        An application against the slash, when nothing else fits.
//
// Cost: O(words) steps of Items.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "coppice/ccg/combination.h"
#include "coppice/ccg/item.h"
#include "coppice/ccg/markup.h"
#include "coppice/text/ccgbank.h"
#include "coppice/text/parg.h"

namespace coppice::ccg {

struct Derivation {
  struct Node {
    CategoryId label{};  // as the file has it
    Rule rule = Rule::kLexical;
    std::uint32_t begin = 0;  // words [begin, end)
    std::uint32_t end = 0;
    std::uint32_t num_children = 0;
    std::array<std::uint32_t, 2> children{};  // nodes
    Item item{};
  };
  std::vector<Node> nodes;          // children first, left to right; the root is the last
  std::vector<Supertag> supertags;  // one a word
  // In the order of the nodes that realise them.
  std::vector<Dependency> dependencies;
};

class Deriver {
 public:
  // `forms`, and the mark-up if there is one, must outlive the deriver.
  Deriver(Forms& forms, Rules rules, const Markup* markup = nullptr);
  Deriver(const Deriver&) = delete;
  Deriver& operator=(const Deriver&) = delete;

  // The derivation of a sentence; its items are those of items() until the next call.
  // Throws ParseError: E270 and E271 for categories, E273 for a node that no rule makes.
  Derivation derive(const text::Sentence& sentence, const text::CcgbankTree& tree);

  const Items& items() const noexcept { return items_; }
  Items& items() noexcept { return items_; }
  const Rules& rules() const noexcept { return rules_; }
  Combiner& combiner() noexcept { return combiner_; }
  // Unary rules that the treebank needed and the grammar did not list.
  const std::vector<UnaryRule>& changes() const noexcept { return changes_; }

 private:
  struct Vertex;
  struct Open;

  std::vector<Vertex> prepare(const text::Sentence& sentence, const text::CcgbankTree& tree);
  void mark_conjuncts(std::vector<Vertex>& vertices) const;
  void mark_conjunct(std::vector<Vertex>& vertices, std::size_t at) const;
  Supertag supertag(const text::Sentence& sentence, std::size_t row);
  void add_leaf(Derivation& made, Derivation::Node node);
  void close_nodes(Derivation& made, std::vector<Open>& open);
  void derive_unary(Derivation& made, Derivation::Node& node);
  void derive_binary(Derivation& made, Derivation::Node& node, bool is_conjunct);
  const UnaryRule& change(CategoryId child, CategoryId label);
  bool fits(const Combination& combination, CategoryId label) const;
  [[noreturn]] void fail(const Derivation& made, const Derivation::Node& node) const;

  Forms* forms_;
  Rules rules_;
  const Markup* markup_;
  Combiner combiner_;
  Items items_;
  std::vector<UnaryRule> changes_;
  bool has_features_ = false;  // the current sentence
  std::unordered_map<std::string, Supertag> known_tags_;
};

// The scored dependencies of a derivation in the form of PARG files, in ascending order of functor,
// slot and argument, each once.
text::PargSentence parg_of(const text::Sentence& sentence, const Derivation& derivation,
                           const Categories& categories);

}  // namespace coppice::ccg

// Categories of combinatory categorial grammar, interned: equal categories have equal ids.
//
//     category := atom [feature]?  |  category slash category        slash: / or backslash
//
// Slashes associate to the left: S\NP/NP is (S\NP)/NP. Brackets that change nothing are allowed.
// An atom is any run of characters but blanks and ( ) / \ [ ] { } < > _; a feature any run of them
// in square brackets. Sub-categories are counted in prefix order: 0 is the category itself, 1 its
// result, then come the sub-categories of the result, then the argument and its own. A category has
// at most kMaxParts of them.
//
// Features matter on S only: those of other atoms are printed and ignored. S[X] has a variable in
// place of the feature, the same one wherever it comes in a category, and matches any S. S without
// a feature matches S[X] and S without a feature only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/id.h"
#include "coppice/base/number_lists.h"
#include "coppice/base/symbols.h"

namespace coppice::ccg {

enum class CategoryId : std::uint32_t {};
enum class Slash : std::uint8_t { kForward, kBackward };

inline constexpr std::size_t kMaxParts = 4095;

// What the feature variables of two categories stand for so that the two are equal: symbol 0 is no
// feature, symbol 1 a variable that stays a variable.
struct Binding {
  SymbolId left{1};
  SymbolId right{1};

  bool operator==(const Binding&) const = default;
};

class Categories {
 public:
  Categories();

  CategoryId atom(std::string_view name, std::string_view feature = {});
  // Throws InvalidArgument (E270) when it would have more than kMaxParts parts.
  CategoryId complex(CategoryId result, Slash slash, CategoryId argument);
  // Throws ParseError (E270), with the column in `text`.
  CategoryId parse(std::string_view text);

  // With brackets around complex parts only: "(S[dcl]\NP)/NP". Cost: O(size).
  std::string text(CategoryId category) const;

  bool is_atom(CategoryId category) const noexcept { return node(category).kind == kAtom; }
  // These three require a complex category.
  CategoryId result(CategoryId category) const noexcept { return CategoryId{node(category).first}; }
  CategoryId argument(CategoryId category) const noexcept {
    return CategoryId{node(category).second};
  }
  Slash slash(CategoryId category) const noexcept {
    return node(category).kind == kForwardSlash ? Slash::kForward : Slash::kBackward;
  }
  // These two require an atom. The feature is "" where there is none.
  std::string_view name(CategoryId category) const noexcept {
    return symbols_[SymbolId{node(category).first}];
  }
  std::string_view feature(CategoryId category) const noexcept {
    return symbols_[SymbolId{node(category).second}];
  }

  // The number of sub-categories, the category itself among them.
  std::size_t num_parts(CategoryId category) const noexcept { return node(category).num_parts; }
  // The number of arguments: 2 for (S\NP)/NP.
  std::size_t num_arguments(CategoryId category) const noexcept;

  // The category without any feature.
  CategoryId skeleton(CategoryId category) const noexcept { return node(category).skeleton; }
  // The category as it is written in corpora: without the variables [X].
  CategoryId plain(CategoryId category) const noexcept { return node(category).plain; }

  // Unifies two categories: they must have one skeleton and equal features of S, where a variable
  // equals whatever it meets, but one thing only. Cost: O(1) unless variables are involved.
  std::optional<Binding> unify(CategoryId left, CategoryId right) const;
  // The category with a feature in place of its variable; itself for symbol 1.
  CategoryId bind(CategoryId category, SymbolId feature);
  // The category with S[X] in place of every S without a feature.
  CategoryId open_features(CategoryId category);

  std::size_t size() const noexcept { return nodes_.size(); }

 private:
  enum Kind : std::uint8_t { kAtom, kForwardSlash, kBackwardSlash };
  struct Node {
    std::uint32_t first;   // the name of an atom, or the result
    std::uint32_t second;  // the feature of an atom, or the argument
    CategoryId skeleton;
    CategoryId plain;
    std::uint16_t num_parts;
    Kind kind;
    bool has_variable;  // S[X] is part of it
  };

  const Node& node(CategoryId category) const noexcept { return nodes_[coppice::index(category)]; }
  CategoryId add(Kind kind, std::uint32_t first, std::uint32_t second);
  void fill(CategoryId category);
  CategoryId replace_feature(CategoryId category, SymbolId from, SymbolId to);

  Symbols symbols_;    // names and features; 0 is "", 1 is "X"
  NumberLists known_;  // kind, first, second -> category
  std::vector<Node> nodes_;
};

}  // namespace coppice::ccg

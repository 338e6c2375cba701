// What a grammar adds to the combinators: unary rules, punctuation, conjunctions, roots, and the
// pairs of categories that were seen.
//
// Text, one rule a line, words separated by blanks; '#' begins a comment:
//
//     root S                                 a category of whole sentences
//     punctuation ,                          absorbed on either side
//     conjunction conj                       makes X into X[conj]
//     change 1 S\NP NP\NP                    X -> Y, with a number from 1 that names the rule
//     change 2 , S\NP NP\NP                  , X -> Y
//     change 3 S[ng]\NP , (S\NP)\(S\NP)      X , -> Y
//     raise NP S[X]/(S[X]\NP)                X -> T/(T\X) or T\(T/X)
//     seen NP S\NP                           such a pair may combine; X[conj] is written X\X
//
// Both sides of a unary rule may have variables (form.h): a name that both use is one variable.
// A slot "<2>" on the result is a new dependency of the item's head, which no score counts.
// Without variables, `change` and `raise` co-index as make_change and make_raise do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/number_lists.h"
#include "coppice/ccg/form.h"

namespace coppice::ccg {

enum class UnaryKind : std::uint8_t { kTypeChange, kTypeRaising };
enum class Comma : std::uint8_t { kNone, kLeft, kRight };

// X -> Y. The variables of both sides are numbered together, below kMaxUnaryVariables.
inline constexpr std::size_t kMaxUnaryVariables = 64;
struct UnaryRule {
  UnaryKind kind = UnaryKind::kTypeChange;
  Comma comma = Comma::kNone;
  std::uint16_t number = 0;  // names a type change; 0 for type-raising
  CategoryId child{};
  CategoryId result{};
  std::vector<PartVariable> child_variables{};   // one a part
  std::vector<PartVariable> result_variables{};  // one a part
  Slot added{};                                  // a new dependency of the head; number 0: none
};

// The usual co-indexation of a category, numbered from `first`: X|X shares all variables of X and
// has one of its own, any other complex category has that of its result.
std::vector<PartVariable> usual_variables(const Categories& categories, CategoryId category,
                                          std::size_t first);

// X -> Y as a type change. The head of Y is that of X. Where X is S|NP and Y is NP|NP, the modified
// NP is what X misses; any other Y = Z|Z gets a new dependency on its last slot. Throws
// InvalidArgument (E272) when there are too many variables.
UnaryRule make_change(const Categories& categories, CategoryId child, CategoryId result,
                      std::uint16_t number, Comma comma = Comma::kNone);
// X -> T|(T|X). The head is that of T. Throws InvalidArgument (E272) when the result is none.
UnaryRule make_raise(const Categories& categories, CategoryId child, CategoryId result);

class Rules {
 public:
  std::vector<UnaryRule> unary;
  std::vector<CategoryId> roots;
  std::vector<CategoryId> punctuation;
  std::vector<CategoryId> conjunctions;

  bool is_root(CategoryId category) const noexcept;
  bool is_punctuation(CategoryId category) const noexcept;
  bool is_conjunction(CategoryId category) const noexcept;

  // Plain categories. With no pair at all every pair may combine.
  void add_seen(CategoryId left, CategoryId right);
  bool has_seen() const noexcept { return seen_.size() > 0; }
  bool is_seen(CategoryId left, CategoryId right) const;

 private:
  NumberLists seen_;
};

// . , : ; LRB RRB are punctuation; conj , ; conjunctions; S is the root. No unary rules.
Rules default_rules(Categories& categories);

// Throws ParseError (E272) with the line.
Rules parse_rules(Forms& forms, std::string_view text, const std::string& name);
Rules read_rules(Forms& forms, const std::string& path);

}  // namespace coppice::ccg

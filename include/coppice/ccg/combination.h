// The combinators: how two co-indexed categories make a third.
//
//     fa      X/Y  Y                        ->  X
//     ba      Y  X\Y                        ->  X
//     fc      X/Y  Y/Z                      ->  X/Z
//     gfc     X/Y  ((Y/Z1)/...)/Zm          ->  ((X/Z1)/...)/Zm     m = 2, 3; Y = S\NP
//     bc      Y\Z  X\Y                      ->  X\Z                 Y not N, NP
//     bx      Y/Z  X\Y                      ->  X/Z                 Y not N, NP
//     gbx     ((Y/Z1)/...)/Zm  X\Y          ->  ((X/Z1)/...)/Zm     m = 2, 3; Y = S\NP
//     conj    (conj , ;)  X                 ->  X[conj]
//     coord   X  X[conj]                    ->  X
//     lp, rp  P X -> X,  X P -> X           P punctuation
//     appose  NP NP -> NP                   an option
//     tr, tc  X -> Y                        Rules::unary; with a comma tc takes two items
//
// A Combination says what happens to the variables, and depends on the two forms alone: it is
// computed once for a pair and then found in a table, while the fillers of an item (item.h) only
// flow along it. The variables of both sides fall into classes, of which class c < num_variables of
// the result is its variable c; the others leave the category. In the result of a composition the
// new layers have the variable of the primary functor (fc, gfc) or of the left item (bc, bx, gbx).
//
// What else decides is how the two items were made, their marks; permits() judges that:
//
// An item marked conj takes part in coord and lp, rp only. The argument of fa and ba is not
// type-raised, nor is the X of conj. Normal form (Eisner 1996; Hockenmaier & Bisk 2010): what fc or
// gfc made is no left item of fa, fc, gfc; what bc made no right item of ba; what bc, bx or gbx
// made no right item of bc, bx, gbx; a type-raised item is no functor of fa and ba, and as the left
// item of bc asks for a type-raised right one. tc takes no item that tc made, tr none that tr made.
//
// Cost: combine() is one table look-up, O(size of the categories) the first time for a pair.
// Threads: a Combiner is for one thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "coppice/base/number_lists.h"
#include "coppice/ccg/form.h"
#include "coppice/ccg/rules.h"

namespace coppice::ccg {

enum class Rule : std::uint8_t {
  kLexical,
  kForwardApplication,
  kBackwardApplication,
  kForwardComposition,
  kGeneralForwardComposition,
  kBackwardComposition,
  kBackwardCrossed,
  kGeneralBackwardCrossed,
  kConjunction,
  kCoordination,
  kLeftPunctuation,
  kRightPunctuation,
  kApposition,
  kTypeRaising,
  kTypeChange,
  kMisdirected,  // an application against the slash: never in a chart, but in converted treebanks
};
inline constexpr std::size_t kNumRules = 16;

// "lex", "fa", "ba", "fc", "gfc", "bc", "bx", "gbx", "conj", "coord", "lp", "rp", "appose", "tr",
// "tc", "mis".
std::string_view name(Rule rule) noexcept;

// How an item was made, as far as later steps ask.
enum class Composed : std::uint8_t { kNot, kForward, kBackward, kCrossed };
enum class MadeBy : std::uint8_t { kOther, kTypeChange, kTypeRaising };
struct Marks {
  bool is_conjunct = false;  // X[conj]
  Composed composed = Composed::kNot;
  MadeBy made_by = MadeBy::kOther;

  bool is_raised() const noexcept { return made_by == MadeBy::kTypeRaising; }
  bool operator==(const Marks&) const = default;
};

struct Combination {
  Rule rule = Rule::kLexical;
  std::uint16_t number = 0;  // of a type change
  Slot added{};              // a new dependency of the head, on a class; number 0: none
  std::uint8_t num_classes = 0;
  FormId result{};
  std::array<std::uint8_t, kMaxVariables> left{};   // the classes of the variables
  std::array<std::uint8_t, kMaxVariables> right{};  // not of unary rules
  // Bit v: dependencies that wait for variable v become long-range ones.
  std::uint16_t left_long_range = 0;
  std::uint16_t right_long_range = 0;
};

struct CombinatorOptions {
  bool normal_form = true;
  bool composition_limits = true;  // the conditions on Y, and m <= 3
  bool apposition = false;
  // For reading treebanks: coord without the mark, and applications against the slash.
  bool tolerant = false;
  std::uint8_t max_degree = 3;  // m; more without composition_limits
};

class Combiner {
 public:
  // Both must outlive the combiner.
  Combiner(Forms& forms, const Rules& rules, const CombinatorOptions& options = {});

  // All combinations of two forms, in the order of Rule; valid until the next call.
  std::span<const Combination> combine(FormId left, FormId right);
  // All unary ones, in the order of Rules::unary; valid until the next call.
  std::span<const Combination> combine(FormId child);
  // One unary rule, whether or not the grammar has it; none when it does not fit. Not kept.
  std::optional<Combination> combine(FormId child, const UnaryRule& rule);

  // Whether items with these marks may be combined so.
  bool permits(const Combination& combination, Marks left, Marks right) const noexcept;
  bool permits(const Combination& combination, Marks child) const noexcept;
  // Whether the pair was seen: always where the rules list no pairs.
  bool is_seen(FormId left, Marks left_marks, FormId right, Marks right_marks);

  Forms& forms() noexcept { return *forms_; }
  const Rules& rules() const noexcept { return *rules_; }
  const CombinatorOptions& options() const noexcept { return options_; }

 private:
  using Range = std::pair<std::uint32_t, std::uint32_t>;

  void compute(FormId left, FormId right);
  void compute(FormId child);
  // None where X\X would be too large a category.
  std::optional<CategoryId> seen_category(FormId form, Marks marks);

  Forms* forms_;
  const Rules* rules_;
  CombinatorOptions options_;
  NumberLists pairs_;  // (left, right) or (child)
  std::vector<Range> ranges_;
  std::vector<Combination> combinations_;
  NumberLists seen_pairs_;  // left, right, their conj marks
  std::vector<std::uint8_t> seen_;
};

// The marks of what a combination makes.
Marks marks_after(Rule rule, Marks left, Marks right) noexcept;

}  // namespace coppice::ccg

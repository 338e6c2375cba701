#include "coppice/ccg/combination.h"

#include <algorithm>

#include "ccg/pair_rules.h"
#include "coppice/base/error.h"

namespace coppice::ccg {

namespace {

constexpr std::array<std::string_view, kNumRules> kRuleNames = {
    "lex",  "fa",    "ba", "fc", "gfc",    "bc", "bx", "gbx",
    "conj", "coord", "lp", "rp", "appose", "tr", "tc", "mis"};

bool is_backward_composed(Marks marks) noexcept {
  return marks.composed == Composed::kBackward || marks.composed == Composed::kCrossed;
}

bool is_normal_form(Rule rule, Marks left, Marks right) noexcept {
  switch (rule) {
    case Rule::kForwardApplication:
      return left.composed != Composed::kForward && !left.is_raised();
    case Rule::kForwardComposition:
    case Rule::kGeneralForwardComposition:
      return left.composed != Composed::kForward;
    case Rule::kBackwardApplication:
      return right.composed != Composed::kBackward && !right.is_raised();
    case Rule::kBackwardComposition:
      return !is_backward_composed(right) && (!left.is_raised() || right.is_raised());
    case Rule::kBackwardCrossed:
    case Rule::kGeneralBackwardCrossed:
      return !is_backward_composed(right);
    default:
      return true;
  }
}

}  // namespace

std::string_view name(Rule rule) noexcept { return kRuleNames[static_cast<std::size_t>(rule)]; }

Combiner::Combiner(Forms& forms, const Rules& rules, const CombinatorOptions& options)
    : forms_(&forms), rules_(&rules), options_(options) {}

std::span<const Combination> Combiner::combine(FormId left, FormId right) {
  const std::array<std::uint32_t, 2> key = {static_cast<std::uint32_t>(left),
                                            static_cast<std::uint32_t>(right)};
  const std::uint32_t pair = pairs_.add(key);
  if (pair == ranges_.size()) compute(left, right);
  const auto [begin, end] = ranges_[pair];
  return std::span(combinations_).subspan(begin, end - begin);
}

std::span<const Combination> Combiner::combine(FormId child) {
  const std::array<std::uint32_t, 1> key = {static_cast<std::uint32_t>(child)};
  const std::uint32_t pair = pairs_.add(key);
  if (pair == ranges_.size()) compute(child);
  const auto [begin, end] = ranges_[pair];
  return std::span(combinations_).subspan(begin, end - begin);
}

std::optional<Combination> Combiner::combine(FormId child, const UnaryRule& rule) {
  return combine_unary(*forms_, rule, child);
}

void Combiner::compute(FormId left, FormId right) {
  const auto begin = static_cast<std::uint32_t>(combinations_.size());
  combine_pair(*forms_, *rules_, options_, {left, right}, combinations_);
  require(combinations_.size() <= kMaxIds, "combiner: too many combinations");
  const auto added = std::span(combinations_).subspan(begin);
  std::ranges::stable_sort(added, {}, &Combination::rule);
  ranges_.emplace_back(begin, static_cast<std::uint32_t>(combinations_.size()));
}

void Combiner::compute(FormId child) {
  const auto begin = static_cast<std::uint32_t>(combinations_.size());
  for (const UnaryRule& rule : rules_->unary)
    if (const auto made = combine_unary(*forms_, rule, child)) combinations_.push_back(*made);
  require(combinations_.size() <= kMaxIds, "combiner: too many combinations");
  ranges_.emplace_back(begin, static_cast<std::uint32_t>(combinations_.size()));
}

bool Combiner::permits(const Combination& combination, Marks left, Marks right) const noexcept {
  const Rule rule = combination.rule;
  if (left.is_conjunct) return rule == Rule::kRightPunctuation;
  if (right.is_conjunct) return rule == Rule::kCoordination || rule == Rule::kLeftPunctuation;
  if (rule == Rule::kCoordination) return options_.tolerant;
  if (rule == Rule::kForwardApplication || rule == Rule::kConjunction)
    if (right.is_raised()) return false;
  if (rule == Rule::kBackwardApplication && left.is_raised()) return false;
  if (rule == Rule::kTypeChange)
    return left.made_by != MadeBy::kTypeChange && right.made_by != MadeBy::kTypeChange;
  return !options_.normal_form || is_normal_form(rule, left, right);
}

bool Combiner::permits(const Combination& combination, Marks child) const noexcept {
  if (child.is_conjunct) return false;
  return child.made_by !=
         (combination.rule == Rule::kTypeRaising ? MadeBy::kTypeRaising : MadeBy::kTypeChange);
}

std::optional<CategoryId> Combiner::seen_category(FormId form, Marks marks) {
  Categories& categories = forms_->categories();
  const CategoryId plain = categories.plain(forms_->category(form));
  if (!marks.is_conjunct) return plain;
  if (2 * categories.num_parts(plain) >= kMaxParts) return std::nullopt;
  return categories.complex(plain, Slash::kBackward, plain);
}

bool Combiner::is_seen(FormId left, Marks left_marks, FormId right, Marks right_marks) {
  if (!rules_->has_seen()) return true;
  const std::uint32_t marks =
      (left_marks.is_conjunct ? 1U : 0U) | (right_marks.is_conjunct ? 2U : 0U);
  const std::array<std::uint32_t, 3> key = {static_cast<std::uint32_t>(left),
                                            static_cast<std::uint32_t>(right), marks};
  const std::uint32_t pair = seen_pairs_.add(key);
  if (pair == seen_.size()) {
    const auto first = seen_category(left, left_marks);
    const auto second = seen_category(right, right_marks);
    seen_.push_back(first && second && rules_->is_seen(*first, *second));
  }
  return seen_[pair] != 0;
}

Marks marks_after(Rule rule, Marks left, Marks right) noexcept {
  switch (rule) {
    case Rule::kForwardComposition:
    case Rule::kGeneralForwardComposition:
      return {.composed = Composed::kForward};
    case Rule::kBackwardComposition:
      return {.composed = Composed::kBackward};
    case Rule::kBackwardCrossed:
    case Rule::kGeneralBackwardCrossed:
      return {.composed = Composed::kCrossed};
    case Rule::kConjunction:
      return {.is_conjunct = true};
    case Rule::kLeftPunctuation:
      return right;
    case Rule::kRightPunctuation:
      return left;
    case Rule::kTypeRaising:
      return {.made_by = MadeBy::kTypeRaising};
    case Rule::kTypeChange:
      return {.made_by = MadeBy::kTypeChange};
    default:
      return {};
  }
}

}  // namespace coppice::ccg

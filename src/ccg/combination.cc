#include "coppice/ccg/combination.h"

#include <algorithm>

#include "ccg/draft.h"
#include "coppice/base/error.h"

namespace coppice::ccg {

namespace {

constexpr std::array<std::string_view, kNumRules> kRuleNames = {
    "lex",  "fa",    "ba", "fc", "gfc",    "bc", "bx", "gbx",
    "conj", "coord", "lp", "rp", "appose", "tr", "tc", "mis"};

bool is_bare_noun(const Categories& categories, CategoryId category) {
  if (!categories.is_atom(category)) return false;
  const std::string_view atom = categories.name(category);
  return atom == "N" || atom == "NP";
}

bool is_verb_phrase(const Categories& categories, CategoryId category) {
  if (categories.is_atom(category) || categories.slash(category) != Slash::kBackward) return false;
  const CategoryId result = categories.result(category);
  const CategoryId argument = categories.argument(category);
  return categories.is_atom(result) && categories.name(result) == "S" &&
         categories.is_atom(argument) && categories.name(argument) == "NP";
}

// Tries every combinator on one pair of forms.
class PairRules {
 public:
  PairRules(Forms& forms, const Rules& rules, const CombinatorOptions& options, FormId left,
            FormId right, std::vector<Combination>& found)
      : forms_(forms),
        categories_(forms.categories()),
        rules_(rules),
        options_(options),
        left_(forms.category(left)),
        right_(forms.category(right)),
        left_form_(left),
        right_form_(right),
        found_(found) {}

  void apply_all() {
    const bool is_left_mark = rules_.is_punctuation(left_);
    const bool is_right_mark = rules_.is_punctuation(right_);
    application();
    composition();
    if (rules_.is_conjunction(left_) && !is_right_mark && !rules_.is_conjunction(right_))
      keep(Rule::kConjunction, Side::kRight);
    if (!is_left_mark && !rules_.is_conjunction(left_)) coordination();
    if (is_left_mark) keep(Rule::kLeftPunctuation, Side::kRight);
    if (is_right_mark) keep(Rule::kRightPunctuation, Side::kLeft);
    for (const UnaryRule& rule : rules_.unary) comma_change(rule);
    if (options_.tolerant) misdirected();
  }

 private:
  // The functor's side of a step, and the other.
  struct Functor {
    Side side;
    CategoryId category;
    CategoryId other;
  };
  Functor left_functor() const { return {Side::kLeft, left_, right_}; }
  Functor right_functor() const { return {Side::kRight, right_, left_}; }
  static Side opposite(Side side) { return side == Side::kLeft ? Side::kRight : Side::kLeft; }

  Draft draft() const { return {forms_.variables(left_form_), forms_.variables(right_form_)}; }

  void finish(Draft& made, Rule rule, CategoryId category) {
    if (const auto combination = made.finish(forms_, rule, category))
      found_.push_back(*combination);
  }

  // The result is one of the two items as it is.
  void keep(Rule rule, Side side) {
    const CategoryId category = side == Side::kLeft ? left_ : right_;
    Draft made = draft();
    made.append(side, 0, categories_.num_parts(category));
    finish(made, rule, category);
  }

  bool is_functor(CategoryId category, Slash slash) const {
    return !categories_.is_atom(category) && categories_.slash(category) == slash;
  }

  void application() {
    if (is_functor(left_, Slash::kForward)) apply(Rule::kForwardApplication, left_functor());
    if (is_functor(right_, Slash::kBackward)) apply(Rule::kBackwardApplication, right_functor());
  }

  void misdirected() {
    if (is_functor(right_, Slash::kForward)) apply(Rule::kMisdirected, right_functor());
    if (is_functor(left_, Slash::kBackward)) apply(Rule::kMisdirected, left_functor());
  }

  void apply(Rule rule, const Functor& functor) {
    const CategoryId result = categories_.result(functor.category);
    const auto binding = categories_.unify(categories_.argument(functor.category), functor.other);
    if (!binding) return;
    const std::size_t size = categories_.num_parts(result);
    Draft made = draft();
    made.match(functor.side, 1 + size, opposite(functor.side), 0,
               categories_.num_parts(functor.other));
    made.append(functor.side, 1, size);
    finish(made, rule, categories_.bind(result, binding->left));
  }

  void composition() {
    const std::size_t max_degree = options_.composition_limits
                                       ? std::min<std::size_t>(options_.max_degree, 3)
                                       : options_.max_degree;
    for (std::size_t degree = 1; degree <= max_degree; ++degree) {
      if (is_functor(left_, Slash::kForward))
        compose(degree == 1 ? Rule::kForwardComposition : Rule::kGeneralForwardComposition,
                left_functor(), degree, Slash::kForward);
      if (!is_functor(right_, Slash::kBackward)) continue;
      if (degree == 1) compose(Rule::kBackwardComposition, right_functor(), 1, Slash::kBackward);
      compose(degree == 1 ? Rule::kBackwardCrossed : Rule::kGeneralBackwardCrossed, right_functor(),
              degree, Slash::kForward);
    }
  }

  bool is_within_limits(Rule rule, CategoryId middle) const {
    if (!options_.composition_limits || rule == Rule::kForwardComposition) return true;
    if (rule == Rule::kBackwardComposition || rule == Rule::kBackwardCrossed)
      return !is_bare_noun(categories_, middle);
    return is_verb_phrase(categories_, middle);
  }

  // X|Y with ((Y/Z1)/...)/Zm, whose outer slashes are all `slash`.
  void compose(Rule rule, const Functor& primary, std::size_t degree, Slash slash) {
    const CategoryId middle = categories_.argument(primary.category);
    if (!is_within_limits(rule, middle)) return;
    std::vector<CategoryId> arguments;  // Zm first
    CategoryId inner = primary.other;
    for (; arguments.size() < degree; inner = categories_.result(inner)) {
      if (!is_functor(inner, slash)) return;
      arguments.push_back(categories_.argument(inner));
    }
    const auto binding = categories_.unify(middle, inner);
    if (!binding) return;
    const CategoryId result = categories_.result(primary.category);
    const std::size_t size = categories_.num_parts(result);
    const std::size_t inner_size = categories_.num_parts(inner);
    if (size + categories_.num_parts(primary.other) - inner_size > kMaxParts) return;
    Draft made = draft();
    made.match(primary.side, 1 + size, opposite(primary.side), degree, inner_size);
    for (std::size_t layer = 0; layer < degree; ++layer) made.append(Side::kLeft, 0, 1);
    made.append(primary.side, 1, size);
    made.append(opposite(primary.side), degree + inner_size,
                categories_.num_parts(primary.other) - degree - inner_size);
    CategoryId category = categories_.bind(result, binding->left);
    for (auto argument = arguments.rbegin(); argument != arguments.rend(); ++argument)
      category = categories_.complex(category, slash, categories_.bind(*argument, binding->right));
    finish(made, rule, category);
  }

  void coordination() {
    const auto binding = categories_.unify(left_, right_);
    if (!binding) return;
    coordinate(Rule::kCoordination, categories_.bind(left_, binding->left));
    if (options_.apposition && categories_.is_atom(left_) && categories_.name(left_) == "NP")
      coordinate(Rule::kApposition, left_);
  }

  void coordinate(Rule rule, CategoryId category) {
    const std::size_t size = categories_.num_parts(category);
    Draft made = draft();
    made.match(Side::kLeft, 0, Side::kRight, 0, size);
    made.append(Side::kLeft, 0, size);
    finish(made, rule, category);
  }

  void comma_change(const UnaryRule& rule) {
    if (rule.comma == Comma::kNone) return;
    const bool comma_is_left = rule.comma == Comma::kLeft;
    const CategoryId comma = comma_is_left ? left_ : right_;
    if (!categories_.is_atom(comma) || categories_.name(comma) != ",") return;
    const CategoryId child = comma_is_left ? right_ : left_;
    const auto binding = categories_.unify(rule.child, child);
    if (!binding) return;
    std::vector<PartVariable> of_rule = rule.child_variables;
    of_rule.insert(of_rule.end(), rule.result_variables.begin(), rule.result_variables.end());
    Draft made(forms_.variables(left_form_), forms_.variables(right_form_), of_rule);
    const std::size_t size = rule.child_variables.size();
    made.match(Side::kRule, 0, comma_is_left ? Side::kRight : Side::kLeft, 0, size);
    made.append(Side::kRule, size, rule.result_variables.size());
    if (const auto combination = made.finish(forms_, Rule::kTypeChange,
                                             categories_.bind(rule.result, binding->left), &rule))
      found_.push_back(*combination);
  }

  Forms& forms_;
  Categories& categories_;
  const Rules& rules_;
  const CombinatorOptions& options_;
  CategoryId left_;
  CategoryId right_;
  FormId left_form_;
  FormId right_form_;
  std::vector<Combination>& found_;
};

std::optional<Combination> unary_combination(Forms& forms, const UnaryRule& rule, FormId child) {
  if (rule.comma != Comma::kNone) return std::nullopt;
  Categories& categories = forms.categories();
  const auto binding = categories.unify(rule.child, forms.category(child));
  if (!binding) return std::nullopt;
  std::vector<PartVariable> of_rule = rule.child_variables;
  of_rule.insert(of_rule.end(), rule.result_variables.begin(), rule.result_variables.end());
  Draft made(forms.variables(child), {}, of_rule);
  const std::size_t size = rule.child_variables.size();
  made.match(Side::kRule, 0, Side::kLeft, 0, size);
  made.append(Side::kRule, size, rule.result_variables.size());
  const bool raises = rule.kind == UnaryKind::kTypeRaising;
  return made.finish(forms, raises ? Rule::kTypeRaising : Rule::kTypeChange,
                     categories.bind(rule.result, binding->left), &rule);
}

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
  return unary_combination(*forms_, rule, child);
}

void Combiner::compute(FormId left, FormId right) {
  const auto begin = static_cast<std::uint32_t>(combinations_.size());
  PairRules(*forms_, *rules_, options_, left, right, combinations_).apply_all();
  require(combinations_.size() <= kMaxIds, "combiner: too many combinations");
  const auto added = std::span(combinations_).subspan(begin);
  std::ranges::stable_sort(added, {}, &Combination::rule);
  ranges_.emplace_back(begin, static_cast<std::uint32_t>(combinations_.size()));
}

void Combiner::compute(FormId child) {
  const auto begin = static_cast<std::uint32_t>(combinations_.size());
  for (const UnaryRule& rule : rules_->unary)
    if (const auto made = unary_combination(*forms_, rule, child)) combinations_.push_back(*made);
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

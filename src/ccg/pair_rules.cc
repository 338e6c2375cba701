#include "ccg/pair_rules.h"

#include <algorithm>

#include "ccg/draft.h"

namespace coppice::ccg {

namespace {

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

}  // namespace

void combine_pair(Forms& forms, const Rules& rules, const CombinatorOptions& options,
                  std::pair<FormId, FormId> pair, std::vector<Combination>& found) {
  PairRules(forms, rules, options, pair.first, pair.second, found).apply_all();
}

std::optional<Combination> combine_unary(Forms& forms, const UnaryRule& rule, FormId child) {
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

}  // namespace coppice::ccg

#include "coppice/ccg/rules.h"

#include <algorithm>
#include <array>

#include "coppice/base/error.h"

namespace coppice::ccg {

namespace {

bool contains(const std::vector<CategoryId>& list, CategoryId category) noexcept {
  return std::ranges::find(list, category) != list.end();
}

std::array<std::uint32_t, 2> pair_of(CategoryId left, CategoryId right) {
  return {static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(right)};
}

bool is_modifier(const Categories& categories, CategoryId category) {
  return !categories.is_atom(category) &&
         categories.result(category) == categories.argument(category);
}

[[noreturn]] void refuse(const std::string& message) {
  throw InvalidArgument(message, {.code = "E272"});
}

// The parts of `category` from prefix place `at` on get their variables. No recursion: parts are
// visited outside in, and a part's variable is known when it is reached.
class UsualVariables {
 public:
  UsualVariables(const Categories& categories, std::size_t first)
      : categories_(categories), next_(first) {}

  std::vector<PartVariable> of(CategoryId category) {
    variables_.resize(categories_.num_parts(category));
    rest_.push_back({category, 0, next()});
    while (!rest_.empty()) {
      const Rest part = rest_.back();
      rest_.pop_back();
      visit(part);
    }
    copy_arguments();
    return std::move(variables_);
  }

 private:
  struct Rest {
    CategoryId category;
    std::size_t at;
    std::size_t variable;
  };
  struct Copy {
    std::size_t from, to, size;
  };

  std::size_t next() {
    if (next_ == kMaxUnaryVariables) refuse("a category with too many variables");
    return next_++;
  }

  void visit(const Rest& part) {
    variables_[part.at] = {part.variable, false};
    if (categories_.is_atom(part.category)) return;
    const CategoryId result = categories_.result(part.category);
    const CategoryId argument = categories_.argument(part.category);
    const std::size_t size = categories_.num_parts(result);
    if (result == argument) {
      copies_.push_back({part.at + 1, part.at + 1 + size, size});
    } else {
      rest_.push_back({argument, part.at + 1 + size, next()});
    }
    rest_.push_back({result, part.at + 1, result == argument ? next() : part.variable});
  }

  // Inner modifiers stand behind the outer ones in the list, and are copied first.
  void copy_arguments() {
    for (auto copy = copies_.rbegin(); copy != copies_.rend(); ++copy)
      std::copy_n(variables_.begin() + static_cast<std::ptrdiff_t>(copy->from), copy->size,
                  variables_.begin() + static_cast<std::ptrdiff_t>(copy->to));
  }

  const Categories& categories_;
  std::size_t next_;
  std::vector<PartVariable> variables_;
  std::vector<Rest> rest_;
  std::vector<Copy> copies_;
};

std::size_t count_variables(const std::vector<PartVariable>& variables) {
  std::size_t count = 0;
  for (const PartVariable variable : variables) count = std::max(count, variable.variable() + 1);
  return count;
}

void append(std::vector<PartVariable>& to, const std::vector<PartVariable>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Whether X is S|NP whatever its features.
bool is_predicate(const Categories& categories, CategoryId category) {
  if (categories.is_atom(category)) return false;
  const CategoryId result = categories.result(category);
  const CategoryId argument = categories.argument(category);
  return categories.is_atom(result) && categories.name(result) == "S" &&
         categories.is_atom(argument) && categories.name(argument) == "NP";
}

}  // namespace

std::vector<PartVariable> usual_variables(const Categories& categories, CategoryId category,
                                          std::size_t first) {
  return UsualVariables(categories, first).of(category);
}

UnaryRule make_change(const Categories& categories, CategoryId child, CategoryId result,
                      std::uint16_t number, Comma comma) {
  UnaryRule rule{.kind = UnaryKind::kTypeChange,
                 .comma = comma,
                 .number = number,
                 .child = child,
                 .result = result,
                 .child_variables = usual_variables(categories, child, 0),
                 .result_variables = {}};
  const PartVariable head = rule.child_variables.front();
  std::vector<PartVariable>& variables = rule.result_variables;
  if (categories.skeleton(child) == categories.skeleton(result)) {
    variables = rule.child_variables;
    return rule;
  }
  variables = usual_variables(categories, result, count_variables(rule.child_variables));
  if (!is_modifier(categories, result)) {  // the spine has the head
    const PartVariable own = variables.front();
    std::ranges::replace(variables, own, head);
    return rule;
  }
  variables.front() = head;
  const CategoryId modified = categories.result(result);
  const bool is_noun = categories.is_atom(modified) && categories.name(modified) == "NP";
  if (is_noun && is_predicate(categories, child)) {
    variables[1] = variables[2] = rule.child_variables[2];
  } else {
    rule.added = {static_cast<std::uint8_t>(categories.num_arguments(result)),
                  static_cast<std::uint8_t>(variables[1].variable())};
  }
  return rule;
}

UnaryRule make_raise(const Categories& categories, CategoryId child, CategoryId result) {
  const auto is_raised = [&] {
    if (categories.is_atom(result)) return false;
    const CategoryId argument = categories.argument(result);
    return !categories.is_atom(argument) &&
           categories.result(argument) == categories.result(result) &&
           categories.skeleton(categories.argument(argument)) == categories.skeleton(child);
  };
  if (!is_raised()) refuse("the result of type-raising X has the form T/(T\\X) or T\\(T/X)");
  UnaryRule rule{.kind = UnaryKind::kTypeRaising,
                 .child = child,
                 .result = result,
                 .child_variables = usual_variables(categories, child, 0),
                 .result_variables = {}};
  const std::vector<PartVariable> target =
      usual_variables(categories, categories.result(result), count_variables(rule.child_variables));
  rule.result_variables = {target.front()};
  append(rule.result_variables, target);
  rule.result_variables.push_back(target.front());
  append(rule.result_variables, target);
  append(rule.result_variables, rule.child_variables);
  return rule;
}

bool Rules::is_root(CategoryId category) const noexcept { return contains(roots, category); }
bool Rules::is_punctuation(CategoryId category) const noexcept {
  return contains(punctuation, category);
}
bool Rules::is_conjunction(CategoryId category) const noexcept {
  return contains(conjunctions, category);
}

void Rules::add_seen(CategoryId left, CategoryId right) { seen_.add(pair_of(left, right)); }

bool Rules::is_seen(CategoryId left, CategoryId right) const {
  return seen_.find(pair_of(left, right)).has_value();
}

Rules default_rules(Categories& categories) {
  Rules rules;
  for (const char* name : {".", ",", ":", ";", "LRB", "RRB"})
    rules.punctuation.push_back(categories.atom(name));
  for (const char* name : {"conj", ",", ";"}) rules.conjunctions.push_back(categories.atom(name));
  rules.roots.push_back(categories.atom("S"));
  return rules;
}

}  // namespace coppice::ccg

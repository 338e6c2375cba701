// The normal form beside enumeration: every reading of a string has exactly one derivation in it.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/ccg/combination.h"
#include "coppice/ccg/item.h"

namespace coppice::ccg {
namespace {

// Lambda terms in beta-normal form, by evaluation.
struct Term;
using Sem = std::shared_ptr<const Term>;
struct Term {
  std::string name;                // a constant or a variable
  std::function<Sem(Sem)> body{};  // an abstraction
  Sem function{}, argument{};      // a stuck application
};

Sem constant(const std::string& name) { return std::make_shared<Term>(Term{.name = name}); }
Sem abstraction(std::function<Sem(Sem)> body) {
  return std::make_shared<Term>(Term{.name = {}, .body = std::move(body)});
}
Sem apply(const Sem& function, const Sem& argument) {
  if (function->body) return function->body(argument);
  return std::make_shared<Term>(
      Term{.name = {}, .body = {}, .function = function, .argument = argument});
}
std::string print(const Sem& term, int depth = 0) {
  if (!term->name.empty()) return term->name;
  if (!term->body)
    return concat('(', print(term->function, depth), ' ', print(term->argument, depth), ')');
  const std::string variable = concat('x', depth);
  return concat('\\', variable, '.', print(term->body(constant(variable)), depth + 1));
}
// The function f after g of `degree` arguments.
Sem compose(const Sem& f, const Sem& g, int degree) {
  if (degree == 0) return apply(f, g);
  return abstraction([=](const Sem& z) { return compose(f, apply(g, z), degree - 1); });
}

struct Made {
  FormId form;
  Marks marks;
  Sem meaning;
};

// Application and harmonic composition, without limits.
class Enumeration {
 public:
  Enumeration(Forms& forms, bool normal_form)
      : forms_(forms),
        combiner_(forms, rules_,
                  {.normal_form = normal_form, .composition_limits = false, .max_degree = 8}) {}

  // How many derivations each pair of category and reading has.
  std::map<std::string, std::size_t> readings(const std::vector<FormId>& words) {
    const std::size_t n = words.size();
    std::vector<std::vector<Made>> cells((n + 1) * (n + 1));
    for (std::size_t i = 0; i < n; ++i)
      cells[i * (n + 1) + i + 1] = {{words[i], {}, constant(concat('w', i))}};
    for (std::size_t width = 2; width <= n; ++width)
      for (std::size_t i = 0; i + width <= n; ++i)
        for (std::size_t k = i + 1; k < i + width; ++k)
          for (const Made& left : cells[i * (n + 1) + k])
            for (const Made& right : cells[k * (n + 1) + i + width])
              combine(left, right, cells[i * (n + 1) + i + width]);
    std::map<std::string, std::size_t> found;
    for (const Made& each : cells[n])
      ++found[concat(forms_.categories().text(forms_.category(each.form)), " : ",
                     print(each.meaning))];
    return found;
  }

 private:
  void combine(const Made& left, const Made& right, std::vector<Made>& to) {
    const auto all = combiner_.combine(left.form, right.form);
    for (const Combination& each : std::vector<Combination>(all.begin(), all.end())) {
      if (!combiner_.permits(each, left.marks, right.marks)) continue;
      const Sem meaning = meaning_of(each, left, right);
      if (meaning)
        to.push_back({each.result, marks_after(each.rule, left.marks, right.marks), meaning});
    }
  }

  Sem meaning_of(const Combination& step, const Made& left, const Made& right) const {
    const Categories& categories = forms_.categories();
    const auto arguments = [&](FormId form) {
      return static_cast<int>(categories.num_arguments(forms_.category(form)));
    };
    switch (step.rule) {
      case Rule::kForwardApplication:
        return apply(left.meaning, right.meaning);
      case Rule::kBackwardApplication:
        return apply(right.meaning, left.meaning);
      case Rule::kForwardComposition:
      case Rule::kGeneralForwardComposition: {
        // (X/Y) adds the arguments of the result beyond X's.
        const int degree = arguments(step.result) - (arguments(left.form) - 1);
        return compose(left.meaning, right.meaning, degree);
      }
      case Rule::kBackwardComposition:
        return compose(right.meaning, left.meaning, 1);
      default:
        return nullptr;
    }
  }

  Forms& forms_;
  Rules rules_;
  Combiner combiner_;
};

std::string random_category(Random& random, int depth) {
  const auto atom = [&] { return std::string(1, static_cast<char>('A' + random.below(2))); };
  if (depth == 0 || random.below(3) == 0) return atom();
  const char slash = random.below(2) == 0 ? '/' : '\\';
  const std::string result = random_category(random, depth - 1);
  const std::string argument = random.below(4) == 0 ? random_category(random, depth - 1) : atom();
  return concat('(', result, ')', slash, '(', argument, ')');
}

TEST(NormalForm, HasEveryReadingExactlyOnce) {
  Random random(11);
  std::size_t strings = 0, readings = 0, spurious = 0;
  for (int trial = 0; trial < 60'000; ++trial) {
    Forms forms;
    std::vector<FormId> words(2 + random.below(5));
    std::string text;
    for (FormId& word : words) {
      const std::string category = random_category(random, 2);
      word = forms.parse(category);
      text += category + "  ";
    }
    const auto free = Enumeration(forms, false).readings(words);
    if (free.empty()) continue;
    const auto normal = Enumeration(forms, true).readings(words);
    ++strings;
    for (const auto& [reading, count] : free) {
      ++readings;
      if (count > 1) ++spurious;
      const auto found = normal.find(reading);
      ASSERT_EQ(found == normal.end() ? 0U : found->second, 1U)
          << "seed 11, trial " << trial << ": " << text << " as " << reading;
    }
    ASSERT_EQ(normal.size(), free.size()) << "seed 11, trial " << trial << ": " << text;
  }
  EXPECT_GT(strings, 2000U);
  EXPECT_GT(spurious, 200U) << readings << " readings of " << strings << " strings";
}

}  // namespace
}  // namespace coppice::ccg

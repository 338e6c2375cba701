#include "coppice/ccg/category.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "support/expect_error.h"

namespace coppice::ccg {
namespace {

using testing::error_of;

std::string again(std::string_view text) {
  Categories categories;
  return categories.text(categories.parse(text));
}

TEST(Category, PrintsWhatItReads) {
  for (const char* text : {"N", "S[dcl]\\NP", "(S\\NP)/NP", "((S[b]\\NP)/PP)/NP", "NP[nb]/N", ".",
                           "(S/S)\\(S/S)", "S/(S\\NP)"})
    EXPECT_EQ(again(text), text);
}

TEST(Category, AssociatesToTheLeftAndDropsBracketsThatChangeNothing) {
  EXPECT_EQ(again("S\\NP/NP"), "(S\\NP)/NP");
  EXPECT_EQ(again("((S))\\((NP))"), "S\\NP");
}

TEST(Category, SaysWhereAFaultIs) {
  EXPECT_EQ(error_of([] { again("S\\"); }), "E270: expected a category, found the end");
  EXPECT_EQ(error_of([] { again("(S\\NP"); }), "E270: '(' is not closed");
  EXPECT_EQ(error_of([] { again("S)"); }), "E270: unexpected ')' after a category");
  EXPECT_EQ(error_of([] { again("S[dcl"); }), "E270: expected ']'");
  EXPECT_EQ(error_of([] { again("S{Y}"); }),
            "E270: a category without variables and slots was expected");
  EXPECT_EQ(error_of([] { again(""); }), "E270: expected a category, found the end");
}

TEST(Category, TakesAHundredThousandBrackets) {
  const std::size_t depth = 100'000;
  EXPECT_EQ(again(std::string(depth, '(') + "S" + std::string(depth, ')')), "S");
  EXPECT_EQ(error_of([&] { again(std::string(depth, '(')); }), "E270: '(' is not closed");
  std::string nested;
  for (std::size_t i = 0; i < depth; ++i) nested += "(S/";
  EXPECT_EQ(error_of([&] { again(nested + "S" + std::string(depth, ')')); }),
            "E270: a category of more than 4095 parts");
  std::string flat = "S";
  for (std::size_t i = 0; i < depth; ++i) flat += "/S";
  EXPECT_EQ(error_of([&] { again(flat); }), "E270: a category of more than 4095 parts");
}

TEST(Category, GivesEqualCategoriesOneId) {
  Categories categories;
  EXPECT_EQ(categories.parse("(S\\NP)/NP"), categories.parse("S\\NP/NP"));
  EXPECT_NE(categories.parse("S/NP"), categories.parse("S\\NP"));
  EXPECT_EQ(categories.num_parts(categories.parse("(S\\NP)/NP")), 5U);
  EXPECT_EQ(categories.num_arguments(categories.parse("(S\\NP)/(S/NP)")), 2U);
  const CategoryId open = categories.parse("S[X]/(S[X]\\NP[nb])");
  EXPECT_EQ(categories.text(categories.plain(open)), "S/(S\\NP[nb])");
  EXPECT_EQ(categories.text(categories.skeleton(open)), "S/(S\\NP)");
  EXPECT_EQ(categories.text(categories.open_features(categories.parse("S[b]/(S\\NP)"))),
            "S[b]/(S[X]\\NP)");
}

TEST(Unify, BindsTheVariableInTheWholeCategory) {
  Categories categories;
  const CategoryId open = categories.parse("S[X]\\S[X]");
  const auto binding = categories.unify(categories.parse("S[X]"), categories.parse("S[dcl]"));
  ASSERT_TRUE(binding);
  EXPECT_EQ(categories.text(categories.bind(open, binding->left)), "S[dcl]\\S[dcl]");
}

TEST(Unify, LooksAtFeaturesOfSentencesOnly) {
  Categories categories;
  const auto unifies = [&](const char* a, const char* b) {
    return categories.unify(categories.parse(a), categories.parse(b)).has_value();
  };
  EXPECT_TRUE(unifies("NP[nb]", "NP"));
  EXPECT_TRUE(unifies("N[num]", "N[X]"));
  EXPECT_FALSE(unifies("S[dcl]", "S[b]"));
  EXPECT_FALSE(unifies("S", "S[b]"));
  EXPECT_TRUE(unifies("S[X]", "S"));
  EXPECT_FALSE(unifies("S/NP", "S\\NP"));
  EXPECT_FALSE(unifies("S[X]/S[X]", "S[a]/S[b]"));
  EXPECT_TRUE(unifies("S[X]/S[a]", "S[a]/S[X]"));
  EXPECT_FALSE(unifies("(S[X]/S[X])/S[b]", "(S[X]/S[a])/S[X]"));  // X = a, X' = b, X = X'
}

// The slow version: features as text, every value of the two variables tried.
std::string random_category(Random& random, std::size_t depth) {
  if (depth == 0 || random.below(3) == 0) {
    static const std::vector<std::string> atoms = {"S",    "S[a]",  "S[b]", "S[X]",
                                                   "S[X]", "NP[a]", "NP"};
    return atoms[random.below(atoms.size())];
  }
  const std::string result = random_category(random, depth - 1);
  const char slash = random.below(4) == 0 ? '\\' : '/';
  return concat('(', result, slash, random_category(random, depth - 1), ')');
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool is_found = text.substr(at).starts_with(from);
    out += is_found ? to : text.substr(at, 1);
    at += is_found ? from.size() : 1;
  }
  return out;
}

std::string with_feature(std::string_view text, std::string_view feature) {
  return replaced(replaced(text, "NP[a]", "NP"), "[X]", feature);
}

bool slow_unify(const std::string& left, const std::string& right) {
  for (const char* for_left : {"[v]", "", "[a]", "[b]"})
    for (const char* for_right : {"[v]", "", "[a]", "[b]"})
      if (with_feature(left, for_left) == with_feature(right, for_right)) return true;
  return false;
}

TEST(Unify, AgreesWithTryingEveryFeature) {
  Random random(7);
  std::size_t successes = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    const std::string left = random_category(random, 2);
    const std::string right = random_category(random, 2);
    Categories categories;
    const auto binding = categories.unify(categories.parse(left), categories.parse(right));
    ASSERT_EQ(binding.has_value(), slow_unify(left, right))
        << "seed 7, trial " << trial << ": " << left << " and " << right;
    if (!binding) continue;
    ++successes;
    const CategoryId a = categories.bind(categories.parse(left), binding->left);
    const CategoryId b = categories.bind(categories.parse(right), binding->right);
    EXPECT_TRUE(categories.unify(a, b)) << left << " and " << right;
  }
  EXPECT_GT(successes, 1000U);
}

}  // namespace
}  // namespace coppice::ccg

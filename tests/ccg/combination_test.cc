#include "coppice/ccg/combination.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "coppice/base/error.h"
#include "coppice/ccg/item.h"

namespace coppice::ccg {
namespace {

constexpr std::string_view kTestRules =
    "root S\npunctuation ,\npunctuation .\nconjunction conj\nconjunction ,\n"
    "change 1 S\\NP NP\\NP\nchange 2 , S\\NP (S\\NP)\\(S\\NP)\nchange 3 N NP\n"
    "raise NP S/(S\\NP)\nraise NP (S\\NP)\\((S\\NP)/NP)\n";

class CombinationTest : public ::testing::Test {
 protected:
  // "fa NP; bx S/NP": rules and results of two categories, co-indexed as usual.
  std::string results(std::string_view left, std::string_view right,
                      const CombinatorOptions& options = {}, Marks left_marks = {},
                      Marks right_marks = {}) {
    Combiner combiner(forms_, rules_, options);
    const std::vector<Combination> all = list(combiner.combine(form(left), form(right)));
    std::string text;
    for (const Combination& each : all)
      if (combiner.permits(each, left_marks, right_marks)) text += described(each);
    return text;
  }

  std::string results(std::string_view child, Marks marks = {}) {
    Combiner combiner(forms_, rules_);
    const std::vector<Combination> all = list(combiner.combine(form(child)));
    std::string text;
    for (const Combination& each : all)
      if (combiner.permits(each, marks)) text += described(each);
    return text;
  }

  // The one result of two forms, with its variables.
  std::string form_of(Rule rule, std::string_view left, std::string_view right) {
    Combiner combiner(forms_, rules_);
    for (const Combination& each : list(combiner.combine(forms_.parse(left), forms_.parse(right))))
      if (each.rule == rule) return forms_.text(each.result);
    return "none";
  }

  FormId form(std::string_view text) {
    const CategoryId category = forms_.categories().parse(text);
    return forms_.add(category, usual_variables(forms_.categories(), category, 0));
  }

  Forms forms_;
  Rules rules_ = parse_rules(forms_, kTestRules, "rules");

 private:
  static std::vector<Combination> list(std::span<const Combination> all) {
    return {all.begin(), all.end()};
  }
  std::string described(const Combination& each) {
    return concat(name(each.rule), ' ', forms_.categories().text(forms_.category(each.result)),
                  "; ");
  }
};

TEST_F(CombinationTest, Applies) {
  EXPECT_EQ(results("NP/N", "N"), "fa NP; ");
  EXPECT_EQ(results("NP", "S\\NP"), "ba S; ");
  EXPECT_EQ(results("N", "NP/N"), "");
  EXPECT_EQ(results("S[dcl]/NP", "NP[nb]"), "fa S[dcl]; ");
  EXPECT_EQ(results("S[X]/S[X]", "S[b]"), "fa S[b]; ");
  EXPECT_EQ(results("S[a]/S[b]", "S[a]"), "");
}

TEST_F(CombinationTest, ComposesForward) {
  EXPECT_EQ(results("S/(S\\NP)", "(S\\NP)/NP"), "fc S/NP; ");
  EXPECT_EQ(results("NP/N", "N/PP"), "fc NP/PP; ");  // N: no condition
  EXPECT_EQ(results("S/S", "S\\NP"), "");            // no crossed forward composition
  EXPECT_EQ(results("(S[X]\\NP)/(S[X]\\NP)", "(S[b]\\NP)/NP"), "fc (S[b]\\NP)/NP; ");
}

TEST_F(CombinationTest, ComposesForwardGenerally) {
  EXPECT_EQ(results("(S\\NP)/(S\\NP)", "((S\\NP)/NP)/PP"), "gfc ((S\\NP)/NP)/PP; ");
  EXPECT_EQ(results("(S\\NP)/(S\\NP)", "(((S\\NP)/NP)/PP)/N"), "gfc (((S\\NP)/NP)/PP)/N; ");
  EXPECT_EQ(results("(S\\NP)/(S\\NP)", "((((S\\NP)/NP)/PP)/N)/N"), "");  // m = 4
  EXPECT_EQ(results("PP/NP", "(NP/N)/PP"), "");                          // Y is not S\NP
  const CombinatorOptions free{.composition_limits = false, .max_degree = 4};
  EXPECT_EQ(results("PP/NP", "(NP/N)/PP", free), "gfc (PP/N)/PP; ");
  EXPECT_EQ(results("(S\\NP)/(S\\NP)", "((((S\\NP)/NP)/PP)/N)/N", free),
            "gfc ((((S\\NP)/NP)/PP)/N)/N; ");
}

TEST_F(CombinationTest, ComposesBackward) {
  EXPECT_EQ(results("S\\NP", "S\\S"), "bc S\\NP; ");
  EXPECT_EQ(results("NP\\PP", "S\\NP"), "");  // Y is NP
  EXPECT_EQ(results("N\\PP", "S\\N"), "");    // Y is N
  EXPECT_EQ(results("S/NP", "S\\S"), "bx S/NP; ");
  EXPECT_EQ(results("NP/N", "S\\NP"), "");
  EXPECT_EQ(results("NP/N", "S\\NP", {.composition_limits = false}), "bx S/N; ");
}

TEST_F(CombinationTest, ComposesBackwardCrossedGenerally) {
  EXPECT_EQ(results("((S\\NP)/NP)/PP", "(S\\NP)\\(S\\NP)"), "gbx ((S\\NP)/NP)/PP; ");
  EXPECT_EQ(results("(S/NP)/PP", "S\\S"), "");  // Y is S
}

TEST_F(CombinationTest, GivesCompositionsTheHeadOfTheSpec) {
  // fc: the primary functor's variable; X/Z with the variables of X and Z.
  EXPECT_EQ(form_of(Rule::kForwardComposition, "((S{2}\\NP{3}){2}/(S{2}\\NP{3}){2}){1}",
                    "((S{1}\\NP{2}){1}/NP{3}){1}"),
            "((S{2}\\NP{3}){2}/NP{4}){1}");
  // bx: the left item's.
  EXPECT_EQ(form_of(Rule::kBackwardCrossed, "((S{1}\\NP{2}){1}/NP{3}){1}",
                    "((S{2}\\NP{3}){2}\\(S{2}\\NP{3}){2}){1}"),
            "((S{1}\\NP{2}){1}/NP{3}){1}");
}

TEST_F(CombinationTest, Coordinates) {
  const Marks conjunct{.is_conjunct = true};
  EXPECT_EQ(results("conj", "NP"), "conj NP; ");
  EXPECT_EQ(results("conj", ","), "rp conj; ");  // punctuation is no X
  EXPECT_EQ(results(",", "NP"), "conj NP; lp NP; ");
  EXPECT_EQ(results("NP", "NP", {}, {}, conjunct), "coord NP; ");
  EXPECT_EQ(results("NP", "NP"), "");
  EXPECT_EQ(results("NP", "NP", {.apposition = true}), "appose NP; ");
  EXPECT_EQ(results("NP", "NP", {.tolerant = true}), "coord NP; ");
  EXPECT_EQ(results("S[dcl]\\NP", "S[b]\\NP", {}, {}, conjunct), "");
  EXPECT_EQ(results("conj", "NP", {}, {}, conjunct), "");
  EXPECT_EQ(results("conj", "S/(S\\NP)", {}, {}, {.made_by = MadeBy::kTypeRaising}), "");
}

TEST_F(CombinationTest, LetsAConjunctMeetPunctuationOnly) {
  const Marks conjunct{.is_conjunct = true};
  EXPECT_EQ(results("NP/N", "N", {}, {}, conjunct), "");
  EXPECT_EQ(results("NP/N", "N", {}, conjunct, {}), "");
  EXPECT_EQ(results("NP", ".", {}, conjunct, {}), "rp NP; ");
  EXPECT_EQ(results(",", "NP", {}, {}, conjunct), "lp NP; ");
  EXPECT_EQ(marks_after(Rule::kRightPunctuation, conjunct, {}), conjunct);
  EXPECT_EQ(marks_after(Rule::kLeftPunctuation, {}, conjunct), conjunct);
}

TEST_F(CombinationTest, ChangesAndRaisesTypes) {
  EXPECT_EQ(results("S\\NP"), "tc NP\\NP; ");
  EXPECT_EQ(results("NP"), "tr S/(S\\NP); tr (S\\NP)\\((S\\NP)/NP); ");
  EXPECT_EQ(results("S\\NP", {.made_by = MadeBy::kTypeChange}), "");
  EXPECT_EQ(results("NP", {.made_by = MadeBy::kTypeRaising}), "");
  EXPECT_EQ(results("NP", {.made_by = MadeBy::kTypeChange}),
            "tr S/(S\\NP); tr (S\\NP)\\((S\\NP)/NP); ");
  EXPECT_EQ(results("NP", {.is_conjunct = true}), "");
  EXPECT_EQ(results(",", "S\\NP"), "conj S\\NP; lp S\\NP; tc (S\\NP)\\(S\\NP); ");
  EXPECT_EQ(results(",", "S\\NP", {}, {}, {.made_by = MadeBy::kTypeChange}),
            "conj S\\NP; lp S\\NP; ");
}

TEST_F(CombinationTest, KeepsRaisedItemsFromBeingArguments) {
  const Marks raised{.made_by = MadeBy::kTypeRaising};
  EXPECT_EQ(results("NP/(S/(S\\NP))", "S/(S\\NP)", {.normal_form = false}, {}, raised), "");
  EXPECT_EQ(results("NP/(S/(S\\NP))", "S/(S\\NP)", {.normal_form = false}), "fa NP; ");
  EXPECT_EQ(results("S/NP", "S\\(S/NP)", {.normal_form = false}, raised, {}), "");
}

TEST_F(CombinationTest, KeepsToTheNormalForm) {
  const Marks forward{.composed = Composed::kForward}, backward{.composed = Composed::kBackward},
      crossed{.composed = Composed::kCrossed}, raised{.made_by = MadeBy::kTypeRaising};
  const CombinatorOptions any{.normal_form = false};
  const auto both = [&](const char* left, const char* right, Marks a, Marks b) {
    return concat(results(left, right, {}, a, b), "| ", results(left, right, any, a, b));
  };
  EXPECT_EQ(both("S/NP", "NP", forward, {}), "| fa S; ");
  EXPECT_EQ(both("S/NP", "NP/N", forward, {}), "| fc S/N; ");
  EXPECT_EQ(both("(S\\NP)/(S\\NP)", "((S\\NP)/NP)/PP", forward, {}), "| gfc ((S\\NP)/NP)/PP; ");
  EXPECT_EQ(both("NP", "S\\NP", {}, backward), "| ba S; ");
  EXPECT_EQ(both("NP", "S\\NP", {}, crossed), "ba S; | ba S; ");
  for (const Marks made : {backward, crossed}) {
    EXPECT_EQ(both("S\\NP", "S\\S", {}, made), "| bc S\\NP; ");
    EXPECT_EQ(both("S/NP", "S\\S", {}, made), "| bx S/NP; ");
    EXPECT_EQ(both("((S\\NP)/NP)/PP", "(S\\NP)\\(S\\NP)", {}, made), "| gbx ((S\\NP)/NP)/PP; ");
  }
  EXPECT_EQ(both("S/(S\\NP)", "S\\NP", raised, {}), "| fa S; ");
  EXPECT_EQ(both("S/NP", "S\\(S/NP)", {}, raised), "| ba S; ");
  EXPECT_EQ(both("S\\NP", "S\\S", raised, {}), "| bc S\\NP; ");
  EXPECT_EQ(both("S\\NP", "S\\S", raised, raised), "bc S\\NP; | bc S\\NP; ");
  EXPECT_EQ(marks_after(Rule::kGeneralForwardComposition, {}, {}), forward);
  EXPECT_EQ(marks_after(Rule::kBackwardComposition, {}, {}), backward);
  EXPECT_EQ(marks_after(Rule::kGeneralBackwardCrossed, {}, {}), crossed);
  EXPECT_EQ(marks_after(Rule::kForwardApplication, forward, {}), Marks{});
}

TEST_F(CombinationTest, KnowsSeenPairs) {
  Rules rules = parse_rules(forms_, "seen NP S\\NP\nseen NP NP\\NP\n", "rules");
  Combiner combiner(forms_, rules);
  const Marks conjunct{.is_conjunct = true};
  EXPECT_TRUE(combiner.is_seen(form("NP"), {}, form("S\\NP"), {}));
  EXPECT_FALSE(combiner.is_seen(form("NP"), {}, form("NP"), {}));
  EXPECT_TRUE(combiner.is_seen(form("NP"), {}, form("NP"), conjunct));  // X[conj] is X\X
  Combiner without(forms_, rules_);
  EXPECT_TRUE(without.is_seen(form("NP"), {}, form("NP"), {}));
}

TEST_F(CombinationTest, MakesNoFormOfTooManyVariables) {
  std::string left = "A0", right = "B0";
  for (int i = 1; i < 15; ++i) right += concat("/B", i);
  left += "/B0";
  for (int i = 0; i < 8; ++i) left = concat('(', left, ")\\C", i);
  left = concat('(', left, ")/B0");
  const CombinatorOptions free{.composition_limits = false, .max_degree = 14};
  EXPECT_EQ(results(left, right, free), "");
}

class ItemTest : public CombinationTest {
 protected:
  Item lexical(std::uint32_t position, std::string_view tag) {
    return items_.lexical(position, forms_.parse_supertag(tag));
  }
  Item step(Rule rule, const Item& left, const Item& right) {
    Combiner combiner(forms_, rules_, {.normal_form = false, .tolerant = true});
    for (const Combination& each : combiner.combine(left.form, right.form))
      if (each.rule == rule) return items_.combine(each, left, right, realised_);
    ADD_FAILURE() << "no " << name(rule);
    return left;
  }
  Item unary(std::string_view label, const Item& child) {
    Combiner combiner(forms_, rules_);
    for (const Combination& each : combiner.combine(child.form))
      if (forms_.categories().text(forms_.category(each.result)) == label)
        return items_.combine(each, child, realised_);
    ADD_FAILURE() << "no " << label;
    return child;
  }
  // "2:1->0 " for slot 1 of word 2 filled by word 0; a lower-case "u" for unscored ones.
  std::string realised() {
    std::ranges::sort(realised_, {}, [](const Dependency& each) {
      return std::tuple(each.head, each.slot, each.argument);
    });
    std::string text;
    for (const Dependency& each : realised_)
      text +=
          concat(each.head, ':', int{each.slot}, "->", each.argument, each.is_scored ? "" : "u",
                 each.is_long_range ? "*" : "", each.rule != 0 ? concat('r', each.rule) : "", ' ');
    realised_.clear();
    return text;
  }

  Items items_{forms_};
  std::vector<Dependency> realised_;
};

constexpr std::string_view kTransitive = "((S{1}\\NP{2}){1}/NP{3}){1}";
constexpr std::string_view kAuxiliary = "((S{1}\\NP{2}){1}/(S{3}\\NP{2*}){3}){1}";

TEST_F(ItemTest, RealisesADependencyWhenItsVariableIsFilled) {
  const Item verb = lexical(1, kTransitive);
  EXPECT_EQ(items_.pending(verb).size(), 2U);
  const Item phrase = step(Rule::kForwardApplication, verb, lexical(2, "NP{1}"));
  EXPECT_EQ(realised(), "1:2->2 ");
  const Item sentence = step(Rule::kBackwardApplication, lexical(0, "NP{1}"), phrase);
  EXPECT_EQ(realised(), "1:1->0 ");
  EXPECT_TRUE(items_.pending(sentence).empty());
  EXPECT_EQ(items_.heads(sentence), (std::vector<std::uint32_t>{1}));
}

TEST_F(ItemTest, PassesTheSubjectThroughAnAuxiliary) {
  const Item verbs =
      step(Rule::kForwardApplication, lexical(1, kAuxiliary), lexical(2, "(S{1}\\NP{2}){1}"));
  EXPECT_EQ(realised(), "1:2->2 ");
  step(Rule::kBackwardApplication, lexical(0, "NP{1}"), verbs);
  EXPECT_EQ(realised(), "1:1->0 2:1->0* ");
}

TEST_F(ItemTest, SharesWhatComesLaterAmongConjuncts) {
  const Item right = step(Rule::kConjunction, lexical(2, "conj"), lexical(3, "(S{1}\\NP{2}){1}"));
  const Item both = step(Rule::kCoordination, lexical(1, "(S{1}\\NP{2}){1}"), right);
  EXPECT_EQ(realised(), "2:1->1u 2:1->3u ");  // the conjunction's own links
  EXPECT_EQ(items_.heads(both), (std::vector<std::uint32_t>{1, 3}));
  step(Rule::kBackwardApplication, lexical(0, "NP{1}"), both);
  EXPECT_EQ(realised(), "1:1->0 3:1->0 ");
}

TEST_F(ItemTest, FillsTheMissingArgumentOfAChangedPhrase) {
  const Item modifier = unary("NP\\NP", lexical(1, "(S{1}\\NP{2}){1}"));
  step(Rule::kBackwardApplication, lexical(0, "NP{1}"), modifier);
  EXPECT_EQ(realised(), "1:1->0r1 ");
}

TEST_F(ItemTest, DropsWhatLeavesUnfilled) {
  Rules rules = parse_rules(forms_, "change 4 S\\NP S\n", "rules");
  Combiner combiner(forms_, rules);
  const Item imperative = lexical(0, "(S{1}\\NP{2}){1}");
  const std::vector<Combination> all(combiner.combine(imperative.form).begin(),
                                     combiner.combine(imperative.form).end());
  ASSERT_EQ(all.size(), 1U);
  const Item sentence = items_.combine(all.front(), imperative, realised_);
  EXPECT_TRUE(items_.pending(sentence).empty());
  EXPECT_EQ(realised(), "");
  EXPECT_EQ(items_.heads(sentence), (std::vector<std::uint32_t>{0}));
}

TEST_F(ItemTest, AddsAnUnscoredDependencyInOtherTypeChanges) {
  Rules rules = parse_rules(forms_, "change 5 S S\\S\n", "rules");
  Combiner combiner(forms_, rules);
  const Item clause = lexical(1, "S{1}");
  const Combination change = combiner.combine(clause.form).front();
  const Item modifier = items_.combine(change, clause, realised_);
  step(Rule::kBackwardApplication, lexical(0, "S{1}"), modifier);
  EXPECT_EQ(realised(), "1:1->0ur5 ");
}

TEST_F(ItemTest, KeepsTheUnionWhenTwoFilledVariablesMeet) {
  const Item functor = lexical(0, "(S{1}/NP{2}){1}");
  const Item pair = step(Rule::kCoordination, lexical(1, "NP{1}"), lexical(2, "NP{1}"));
  step(Rule::kForwardApplication, functor, pair);
  EXPECT_EQ(realised(), "0:1->1 0:1->2 ");
}

TEST_F(ItemTest, DropsADependencyOnItself) {
  // The argument's own argument is the word itself.
  const Item word = lexical(0, "(S{2}/(S{2}\\NP{1}){2}){1}");
  step(Rule::kForwardApplication, word, lexical(1, "(S{1}\\NP{2}){1}"));
  EXPECT_EQ(realised(), "0:1->1 1:1->0 ");
  const Item reflexive = lexical(0, "(S{1}/NP{2}){1}");
  Item self = lexical(0, "NP{1}");
  step(Rule::kForwardApplication, reflexive, self);
  EXPECT_EQ(realised(), "");
}

TEST_F(ItemTest, CutsLargeFillerSetsAndCounts) {
  Items few(forms_, 2);
  Combiner combiner(forms_, rules_, {.tolerant = true});
  Item list = few.lexical(0, forms_.parse_supertag("NP"));
  for (std::uint32_t word = 1; word < 5; ++word) {
    const Item next = few.lexical(word, forms_.parse_supertag("NP"));
    for (const Combination& each : combiner.combine(list.form, next.form))
      if (each.rule == Rule::kCoordination) list = few.combine(each, list, next, realised_);
  }
  EXPECT_EQ(few.heads(list), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(few.num_cut(), 3U);
}

TEST_F(ItemTest, IsEqualHoweverItWasMade) {
  const Item a = lexical(0, kTransitive), b = lexical(0, kTransitive);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, lexical(1, kTransitive));
}

}  // namespace
}  // namespace coppice::ccg

#include "coppice/ccg/form.h"

#include <gtest/gtest.h>

#include <set>

#include "coppice/ccg/markup.h"
#include "coppice/ccg/rules.h"
#include "coppice/text/ccgbank.h"
#include "support/expect_error.h"
#include "support/shared_data.h"
#include "support/source_directory.h"

namespace coppice::ccg {
namespace {

using testing::error_of;

std::string canonical(std::string_view text) {
  Forms forms;
  return forms.text(forms.parse(text));
}

std::string slots_of(std::string_view text) {
  Forms forms;
  std::string slots;
  for (const Slot& slot : forms.parse_supertag(text).slots)
    slots += concat(int{slot.number}, ':', slot.variable + 1, ' ');
  return slots;
}

TEST(Form, NumbersVariablesInTheOrderOfTheParts) {
  EXPECT_EQ(canonical("((S{118}\\NP{120}){118}/NP{162}){118}"), "((S{1}\\NP{2}){1}/NP{3}){1}");
  EXPECT_EQ(canonical("(NP{Y}/NP{Y}){_}"), "(NP{2}/NP{2}){1}");
  EXPECT_EQ(canonical("((S{_}\\NP{Y}<1>){_}/(S{Z}<2>\\NP{Y*}){Z}){_}"),
            "((S{1}\\NP{2}){1}/(S{3}\\NP{2*}){3}){1}");
}

TEST(Form, GivesPartsWithoutAVariableTheHeadOrOneOfTheirOwn) {
  EXPECT_EQ(canonical("(S\\NP)/NP"), "((S{1}\\NP{2}){1}/NP{3}){1}");
  EXPECT_EQ(canonical("(S[dcl]\\NP_10)/(S[b]_88\\NP_10:B)_88"),
            "((S[dcl]{1}\\NP{2}){1}/(S[b]{3}\\NP{2*}){3}){1}");
}

TEST(Form, RefusesWhatIsNoForm) {
  EXPECT_EQ(error_of([] { canonical("(S{Y}\\NP{Z}"); }), "E270: '(' is not closed");
  EXPECT_EQ(error_of([] { canonical("S{Y}{Z}"); }), "E270: unexpected '{' after a category");
  EXPECT_EQ(error_of([] { canonical("(S{Y}){Z}"); }), "E270: a second variable of one category");
  EXPECT_EQ(error_of([] { canonical("S{}"); }), "E270: expected the name of a variable");
  EXPECT_EQ(error_of([] { canonical("S_x"); }), "E270: expected a number after '_'");
  EXPECT_EQ(error_of([] { canonical("S<0>"); }), "E270: expected a slot from 1 to 99");
  std::string many = "S";
  for (int i = 0; i < 16; ++i) many += concat("/N", i);
  EXPECT_EQ(error_of([&] { canonical(many); }), "E271: a category of more than 16 variables");
}

TEST(Form, DerivesSlotsOutsideTheModified) {
  EXPECT_EQ(slots_of("((S{1}\\NP{2}){1}/NP{3}){1}"), "1:2 2:3 ");
  EXPECT_EQ(slots_of("(NP{2}/NP{2}){1}"), "1:2 ");
  // What an adverb modifies is its only argument; the subject is the verb's.
  EXPECT_EQ(slots_of("((S{2}\\NP{3}){2}\\(S{2}\\NP{3}){2}){1}"), "2:2 ");
  EXPECT_EQ(slots_of("(((S{2}\\NP{3}){2}\\(S{2}\\NP{3}){2}){1}/NP{4}){1}"), "2:2 3:4 ");
  // Two heads: no modifier.
  EXPECT_EQ(slots_of("((S{1}\\NP{2}){1}/(S{3}\\NP{2}){3}){1}"), "1:2 2:3 ");
  EXPECT_EQ(slots_of("((S{1}\\NP{2}<1>){1}/NP{3}){1}"), "1:2 ");  // as written
}

TEST(Form, ReadsEveryFormOfTheConvertedTreebank) {
  const auto train = testing::shared_data("ud_ccg/ewt-train.auto");
  if (!train) GTEST_SKIP() << "no ud_ccg under ../shared/data";
  Forms forms;
  std::set<std::uint32_t> found;
  text::CcgbankReader reader(*train);
  for (text::Sentence sentence; reader.next(sentence);) {
    if (sentence.num_tokens() == 1 && sentence.cell(0, 0) == "ROOT") continue;
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row)
      found.insert(static_cast<std::uint32_t>(
          forms.parse(sentence.cell(row, text::CcgbankReader::kIndexed))));
  }
  EXPECT_EQ(found.size(), 724U);
  for (const std::uint32_t id : found) {
    const FormId form{id};
    EXPECT_EQ(forms.parse(forms.text(form)), form) << forms.text(form);
  }
}

TEST(Markup, ReadsTheProjectsOwn) {
  Forms forms;
  const Markup markup =
      read_markup(forms, testing::source_directory() + "/data/ccg/english.markup");
  const Supertag* wants = markup.find(forms.categories().parse("(S[dcl]\\NP)/(S[to]\\NP)"));
  ASSERT_NE(wants, nullptr);
  EXPECT_EQ(forms.text(wants->form), "((S[dcl]{1}\\NP{2}){1}/(S[to]{3}\\NP{2*}){3}){1}");
  EXPECT_EQ(wants->slots, (std::vector<Slot>{{1, 1}, {2, 2}}));
  EXPECT_EQ(markup.find(forms.categories().parse("S[dcl]/NP")), nullptr);
}

std::string markup_error(std::string_view text) {
  return error_of([&] {
    Forms forms;
    parse_markup(forms, text, "m");
  });
}

TEST(Markup, SaysWhichEntryIsBad) {
  EXPECT_EQ(markup_error("N\n  0 N{_}\nNP\n"), "E274 m:3: a category without its marked form");
  EXPECT_EQ(markup_error("N\n  1 N{_}\n"), "E274 m:2: the entry says 1 slots and has 0");
  EXPECT_EQ(markup_error("N\n  0 NP{_}\n"), "E274 m:2: the marked category is NP, not N");
  EXPECT_EQ(markup_error("S[b]\n  0 S[X]{_}\n"), "E274 m:2: the marked category is S, not S[b]");
  EXPECT_EQ(markup_error("N\n  0 N{_}\nN\n  0 N{_}\n"), "E274 m:4: a second entry of one category");
  EXPECT_EQ(markup_error("N\n  (NP 0)\n"),
            "E274 m:2: expected the number of slots and the marked category");
  EXPECT_EQ(markup_error("# comment\nN\n  0 N{_}\n  (NP 0)\n\n"), "no error");
}

TEST(Markup, ReadsALargeOneButForItsBadEntries) {
  const auto path = testing::shared_data("ccg_resources/markedup");
  if (!path) GTEST_SKIP() << "no ccg_resources under ../shared/data";
  Forms forms;
  const Markup markup = read_markup(forms, *path, {.on_error = text::OnError::kSkip});
  EXPECT_GE(markup.entries().size(), 400U);
  EXPECT_LE(markup.problems().size(), 20U);
  for (const Supertag& tag : markup.entries()) {
    const std::string text = forms.categories().text(tag.category);
    EXPECT_EQ(forms.categories().parse(text), tag.category) << text;
    EXPECT_EQ(forms.parse(forms.text(tag.form)), tag.form) << text;
  }
}

std::string rules_error(std::string_view text) {
  return error_of([&] {
    Forms forms;
    parse_rules(forms, text, "r");
  });
}

TEST(Rules, SaysWhichLineIsBad) {
  EXPECT_EQ(rules_error("root S\nroots S\n"), "E272 r:2: unknown rule \"roots\"");
  EXPECT_EQ(rules_error("root\n"), "E272 r:1: expected 2 words, found 1");
  EXPECT_EQ(rules_error("change x S S\n"), "E272 r:1: expected a number from 1 to 65535, found x");
  EXPECT_EQ(rules_error("raise NP S/NP\n"),
            "E272 r:1: the result of type-raising X has the form T/(T\\X) or T\\(T/X)");
  EXPECT_EQ(rules_error("seen NP S\\\n"), "E272 r:1: expected a category, found the end");
  EXPECT_EQ(rules_error("change 1 NP{Y} NP{Y}<1>/NP{Z}<2>\n"),
            "E272 r:1: a unary rule adds one slot at most");
}

TEST(Rules, ReadsEveryKind) {
  Forms forms;
  const Rules rules = parse_rules(forms,
                                  "root S # sentences\npunctuation ,\nconjunction conj\n"
                                  "change 1 S\\NP NP\\NP\nchange 2 , S\\NP NP\\NP\n"
                                  "change 3 S\\NP , NP\\NP\nraise NP S/(S\\NP)\n"
                                  "change 4 (S{Y}\\NP{Z}){Y} NP{Y}\nseen NP S\\NP\n",
                                  "r");
  ASSERT_EQ(rules.unary.size(), 5U);
  EXPECT_EQ(rules.unary[1].comma, Comma::kLeft);
  EXPECT_EQ(rules.unary[2].comma, Comma::kRight);
  EXPECT_EQ(rules.unary[3].kind, UnaryKind::kTypeRaising);
  EXPECT_EQ(rules.unary[4].number, 4);
  const auto category = [&](const char* text) { return forms.categories().parse(text); };
  EXPECT_TRUE(rules.is_root(category("S")));
  EXPECT_TRUE(rules.is_punctuation(category(",")));
  EXPECT_TRUE(rules.is_conjunction(category("conj")));
  EXPECT_TRUE(rules.is_seen(category("NP"), category("S\\NP")));
  EXPECT_FALSE(rules.is_seen(category("NP"), category("S")));
}

}  // namespace
}  // namespace coppice::ccg

#include "coppice/ccg/derivation.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "coppice/ccg/draw.h"
#include "support/expect_error.h"
#include "support/shared_data.h"
#include "support/source_directory.h"

namespace coppice::ccg {
namespace {

using testing::error_of;

std::string own_data(const std::string& name) {
  return testing::source_directory() + "/data/ccg/" + name;
}

// The project's sentences, one after another.
template <class Visit>
void for_each_own_sentence(const Visit& visit) {
  Forms forms;
  const Markup markup = read_markup(forms, own_data("english.markup"));
  Deriver deriver(forms, read_rules(forms, own_data("english.rules")), &markup);
  text::CcgbankReader reader(own_data("sentences.auto"));
  for (text::Sentence sentence; reader.next(sentence);)
    visit(sentence, deriver.derive(sentence, reader.derivation()), deriver, forms.categories());
}

TEST(Derivation, FindsTheDependenciesWrittenByHand) {
  text::PargReader expected{LineReader(own_data("sentences.parg"))};
  text::PargSentence gold;
  std::size_t sentences = 0;
  for_each_own_sentence([&](const text::Sentence& sentence, const Derivation& derivation,
                            const Deriver&, const Categories& categories) {
    ASSERT_TRUE(expected.next(gold)) << sentence.id();
    text::PargSentence found = parg_of(sentence, derivation, categories);
    EXPECT_EQ(found.id, gold.id);
    for (auto& each : found.dependencies) {
      each.is_long_range = false;  // which the file does not say
      each.rule = 0;
    }
    EXPECT_EQ(found.dependencies, gold.dependencies) << sentence.id();
    ++sentences;
  });
  EXPECT_FALSE(expected.next(gold));
  EXPECT_GE(sentences, 25U);
}

TEST(Derivation, NeedsCompositionOrTypeRaisingInEverySentenceOfItsOwn) {
  std::map<Rule, std::size_t> used;
  for_each_own_sentence([&](const text::Sentence& sentence, const Derivation& derivation,
                            const Deriver& deriver, const Categories&) {
    bool is_beyond_application = false;
    for (const Derivation::Node& node : derivation.nodes) {
      ++used[node.rule];
      is_beyond_application |=
          node.rule == Rule::kTypeRaising || node.item.marks.composed != Composed::kNot;
    }
    EXPECT_TRUE(is_beyond_application) << sentence.id();
    EXPECT_TRUE(deriver.changes().empty()) << sentence.id();
  });
  for (const Rule rule :
       {Rule::kForwardComposition, Rule::kGeneralForwardComposition, Rule::kBackwardComposition,
        Rule::kBackwardCrossed, Rule::kGeneralBackwardCrossed, Rule::kTypeRaising,
        Rule::kTypeChange, Rule::kCoordination})
    EXPECT_GT(used[rule], 0U) << name(rule);
}

Derivation derived(Forms& forms, std::string_view tree) {
  text::CcgbankReader reader(LineReader::over(tree, "t"));
  text::Sentence sentence;
  reader.next(sentence);
  Deriver deriver(forms, default_rules(forms.categories()));
  return deriver.derive(sentence, reader.derivation());
}

std::string deps(std::string_view tree) {
  Forms forms;
  std::string text;
  for (const Dependency& each : derived(forms, tree).dependencies)
    if (each.is_scored) text += concat(each.head, ':', int{each.slot}, "->", each.argument, ' ');
  return text;
}

TEST(Derivation, KeepsConjunctsApartThoughTheyShareAnIndex) {
  // old men and women: only the men are old.
  EXPECT_EQ(deps("(<T NP 0 2> (<T NP 1 2> (<L NP/NP J J old (NP{5}/NP{5}){6}>) (<L NP N N men "
                 "NP{5}>) ) (<T NP 1 2> (<L conj C C and conj{7}>) (<L NP N N women NP{5}>) ) )"),
            "0:1->1 ");
  // old (men and women): both are.
  EXPECT_EQ(deps("(<T NP 1 2> (<L NP/NP J J old (NP{5}/NP{5}){6}>) (<T NP 0 2> (<L NP N N men "
                 "NP{5}>) (<T NP 1 2> (<L conj C C and conj{7}>) (<L NP N N women NP{5}>) ) ) )"),
            "0:1->1 0:1->3 ");
}

TEST(Derivation, RaisesAndChangesTypesThatNoRuleLists) {
  Forms forms;
  const Derivation made = derived(
      forms,
      "(<T NP 0 2> (<L NP N N book NP>) (<T NP\\NP 0 1> (<T S[dcl]/NP 0 2> (<T S/(S\\NP) 0 1> (<L "
      "NP N N Ann NP>) ) (<L (S[dcl]\\NP)/NP V V read (S[dcl]\\NP_1)/NP_2>) ) ) )");
  std::string rules;
  for (const auto& node : made.nodes) rules += std::string(name(node.rule)) + " ";
  EXPECT_EQ(rules, "lex lex tr lex fc tc ba ");
}

TEST(Derivation, SaysWhichNodeNoRuleMakes) {
  Forms forms;
  EXPECT_EQ(error_of([&] { derived(forms, "(<T S 0 2> (<L NP N N a NP>) (<L NP N N b NP>) )"); }),
            "E273 t:1: no rule makes S from NP and NP (words 1 to 2)");
  EXPECT_EQ(error_of([&] { derived(forms, "(<L (S N N a S>)"); }), "E270 t:1: '(' is not closed");
}

TEST(Derivation, DerivesAVeryLongSentence) {
  const std::size_t words = 20'000;
  std::string tree;
  for (std::size_t i = 0; i + 1 < words; ++i) tree += "(<T S 1 2> (<L S/S A A a (S{1}/S{1}){2}>) ";
  tree += "(<L S B B b S{1}>) ";
  for (std::size_t i = 0; i + 1 < words; ++i) tree += ") ";
  Forms forms;
  EXPECT_EQ(derived(forms, tree).dependencies.size(), words - 1);
}

TEST(Drawing, ShowsWordsCategoriesAndSteps) {
  Forms forms;
  const Derivation made = derived(
      forms,
      "(<T S[dcl] 1 2> (<L NP N N She NP>) (<T S[dcl]\\NP 0 2> (<L (S[dcl]\\NP)/NP V V reads "
      "(S[dcl]\\NP_1)/NP_2>) (<L NP N N books NP>) ) )");
  const std::vector<std::string_view> words = {"She", "reads", "books"};
  EXPECT_EQ(derivation_to_text(made, forms.categories(), words),
            "She      reads       books\n"
            "NP   (S[dcl]\\NP)/NP   NP\n"
            "     -------------------->\n"
            "           S[dcl]\\NP\n"
            "-------------------------<\n"
            "          S[dcl]\n");
  const std::string svg = derivation_to_svg(made, forms.categories(), words, "a<b");
  EXPECT_NE(svg.find("a&lt;b"), std::string::npos);
  EXPECT_NE(svg.find(">reads</text>"), std::string::npos);
  EXPECT_EQ(svg.find("<path", svg.find("<path", svg.find("<path") + 1) + 1), std::string::npos);
}

struct Extracted {
  std::size_t sentences = 0;
  std::size_t failures = 0;
  std::size_t dependencies = 0;
  std::map<Rule, std::size_t> rules;
  std::size_t changes = 0;
  std::string first_failure;
};

Extracted extract(const std::string& path) {
  Forms forms;
  Deriver deriver(forms, default_rules(forms.categories()));
  text::CcgbankReader reader(path);
  Extracted found;
  for (text::Sentence sentence; reader.next(sentence);) {
    if (sentence.num_tokens() == 1 && sentence.cell(0, 0) == "ROOT") continue;
    ++found.sentences;
    try {
      const Derivation derivation = deriver.derive(sentence, reader.derivation());
      found.dependencies += parg_of(sentence, derivation, forms.categories()).dependencies.size();
      for (const auto& node : derivation.nodes) ++found.rules[node.rule];
    } catch (const ParseError& error) {
      if (found.failures++ == 0)
        found.first_failure = to_string(error.where()) + ": " + error.what();
    }
  }
  found.changes = deriver.changes().size();
  return found;
}

TEST(Derivation, FindsTheDependenciesOfTheConvertedTreebank) {
  const auto dev = testing::shared_data("ud_ccg/ewt-dev.auto");
  const auto test = testing::shared_data("ud_ccg/ewt-test.auto");
  if (!dev || !test) GTEST_SKIP() << "no ud_ccg under ../shared/data";
  const Extracted of_dev = extract(*dev);
  EXPECT_EQ(of_dev.failures, 0U) << of_dev.first_failure;
  EXPECT_EQ(of_dev.dependencies, 19'439U);
  const Extracted of_test = extract(*test);
  EXPECT_EQ(of_test.failures, 0U) << of_test.first_failure;
  EXPECT_EQ(of_test.dependencies, 19'550U);
}

TEST(Derivation, FindsTheRulesOfTheConvertedTreebank) {
  const auto train = testing::shared_data("ud_ccg/ewt-train.auto");
  if (!train) GTEST_SKIP() << "no ud_ccg under ../shared/data";
  Extracted found = extract(*train);
  EXPECT_EQ(found.failures, 0U) << found.first_failure;
  EXPECT_EQ(found.dependencies, 162'606U);
  auto& rules = found.rules;
  EXPECT_EQ(rules[Rule::kForwardApplication], 99'951U);
  EXPECT_EQ(rules[Rule::kBackwardApplication], 49'495U);
  EXPECT_EQ(rules[Rule::kMisdirected], 22U);
  EXPECT_EQ(rules[Rule::kCoordination], 7'237U);
  EXPECT_EQ(rules[Rule::kTypeChange], 2'307U);
  EXPECT_EQ(found.changes, 58U);
  // Punctuation and conjunctions on either side: marks of conjuncts are some of each.
  EXPECT_EQ(
      rules[Rule::kLeftPunctuation] + rules[Rule::kRightPunctuation] + rules[Rule::kConjunction],
      18'282U + 6'591U);
}

}  // namespace
}  // namespace coppice::ccg

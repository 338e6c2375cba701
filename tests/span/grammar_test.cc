// The grammar format is read to the letter, and what is wrong with a file is said where it is.
#include "coppice/span/grammar.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coppice/base/error.h"
#include "coppice/forest/count.h"
#include "coppice/span/parse.h"
#include "span/atis.h"
#include "support/source_directory.h"
#include "support/temporary_directory.h"

namespace coppice::span {
namespace {

std::vector<std::string> rules_of(const std::string& text) {
  const Grammar grammar = parse_grammar(text);
  std::vector<std::string> rules;
  for (RuleId rule : grammar.rules()) rules.push_back(to_string(grammar, rule));
  return rules;
}

using Strings = std::vector<std::string>;

TEST(Grammar, ReadsAlternativesWordsAndComments) {
  EXPECT_EQ(rules_of("# Ljungl\xf6"
                     "f, in Latin-1\n"
                     "\n"
                     "S -> NP VP | 'no' # the end\r\n"
                     "  NP->\"it\"\n"
                     "VP -> \"don't\" VP"),
            (Strings{"S -> NP VP", "S -> 'no'", "NP -> 'it'", "VP -> \"don't\" VP"}));
}

TEST(Grammar, ReadsNamesOfManyShapes) {
  EXPECT_EQ(rules_of("S\\NP/NP -> PRP$ -LRB- A#1 <x> pt_adj"),
            (Strings{"S\\NP/NP -> PRP$ -LRB- A#1 <x> pt_adj"}));
  EXPECT_EQ(rules_of("A-b->C-d"), (Strings{"A-b -> C-d"}));
}

TEST(Grammar, GoesOnAfterABackslashAtTheEndOfALine) {
  EXPECT_EQ(rules_of("S -> A \\\n | B\\\r\n C\n"), (Strings{"S -> A", "S -> B C"}));
}

TEST(Grammar, SkipsAByteOrderMark) {
  EXPECT_EQ(rules_of("\xEF\xBB\xBFS -> 'a'"), (Strings{"S -> 'a'"}));
}

TEST(Grammar, TakesHashAndBarInQuotesForWords) {
  EXPECT_EQ(rules_of("S -> '#' '|' '->' '[1]'"), (Strings{"S -> '#' '|' '->' '[1]'"}));
}

TEST(Grammar, StartsWithTheDirectiveElseWithTheFirstRule) {
  const Grammar first = parse_grammar("A -> 'a'\nB -> 'b'");
  EXPECT_EQ(first.name(*first.start()), "A");
  const Grammar given = parse_grammar("%start B # not A\nA -> 'a'\nB -> 'b'");
  EXPECT_EQ(given.name(*given.start()), "B");
}

TEST(Grammar, ReadsWeightsAsLogarithms) {
  const Grammar grammar = parse_grammar("S -> 'a' [0.25] | 'b'[ ln -2.5 ] | 'c'\nA -> 'd' [1e0]");
  EXPECT_DOUBLE_EQ(grammar.score(RuleId{0}), std::log(0.25));
  EXPECT_DOUBLE_EQ(grammar.score(RuleId{1}), -2.5);
  EXPECT_EQ(grammar.score(RuleId{2}), 0.0);
  EXPECT_TRUE(grammar.is_weighted(RuleId{1}));
  EXPECT_FALSE(grammar.is_weighted(RuleId{2}));
}

TEST(Grammar, MergesARuleGivenTwiceAndAddsItsWeights) {
  const Grammar grammar = parse_grammar("S -> 'a' [0.25]\nS -> 'b'\nS -> 'a' [0.5] | 'b' [0.1]");
  EXPECT_EQ(grammar.num_rules(), 2u);
  EXPECT_DOUBLE_EQ(grammar.score(RuleId{0}), std::log(0.75));
  EXPECT_EQ(grammar.score(RuleId{1}), 0.0);
  ASSERT_EQ(grammar.repetitions().size(), 2u);
  EXPECT_EQ(grammar.repetitions()[0].line, 3u);
}

TEST(Grammar, RefusesRulesThatAreNone) {
  Grammar grammar;
  const SymbolId left = grammar.add_symbol(SymbolKind::kNonterminal, "S");
  const SymbolId word = grammar.add_symbol(SymbolKind::kWord, "S");
  EXPECT_NE(left, word);
  const std::vector<SymbolId> right{word};
  EXPECT_THROW(grammar.add_rule(word, right), InvalidArgument);
  EXPECT_THROW(grammar.add_rule(left, {}), InvalidArgument);
  EXPECT_THROW(grammar.add_rule(left, right, std::nan("")), InvalidArgument);
  EXPECT_THROW(grammar.add_rule(SymbolId{9}, right), InvalidArgument);
  EXPECT_THROW(grammar.set_start(word), InvalidArgument);
  EXPECT_THROW(grammar.add_symbol(SymbolKind::kWord, ""), InvalidArgument);
  EXPECT_EQ(grammar.num_rules(), 0u);
  EXPECT_TRUE(parse(grammar, std::vector<std::string>{"S"}).forest.empty());
}

struct BadGrammar {
  const char* text;
  const char* code;
  const char* where;
  const char* message;
};

TEST(Grammar, SaysWhatIsWrongAndWhere) {
  const std::vector<BadGrammar> cases{
      {"", "E230", "g.cfg", "the grammar has no rules"},
      {"# nothing\n%start S\n", "E230", "g.cfg", "the grammar has no rules"},
      {"S NP VP", "E231", "g.cfg:1:3", "expected '->' after S, found 'N'"},
      {"S -> 'a'\n\n  'a' -> B", "E231", "g.cfg:3:3",
       "expected a nonterminal at the left of a rule, found '''"},
      {"S", "E231", "g.cfg:1:2", "expected '->' after S, found the end of the line"},
      {"S -> A -> B", "E231", "g.cfg:1:8", "a second '->' in one rule"},
      {"S -> A ] B", "E231", "g.cfg:1:8", "expected a symbol, found ']'"},
      {"S -> A |\nB -> 'b'", "E232", "g.cfg:1:9", "empty right side in a rule of S"},
      {"S ->  # nothing", "E232", "g.cfg:1:7", "empty right side in a rule of S"},
      {"S -> [0.5]", "E232", "g.cfg:1:6", "empty right side in a rule of S"},
      {"S -> 'a' ''", "E233", "g.cfg:1:10", "a word without letters"},
      {"S -> 'a\nB -> 'b'", "E233", "g.cfg:1:6",
       "the word that opens with ' is not closed on its line"},
      {"S -> 'a' [0.5", "E234", "g.cfg:1:10", "'[' without ']'"},
      {"S -> 'a' [x]", "E234", "g.cfg:1:10", "expected a positive weight, found [x]"},
      {"S -> 'a' [0]", "E234", "g.cfg:1:10", "expected a positive weight, found [0]"},
      {"S -> 'a' [-1]", "E234", "g.cfg:1:10", "expected a positive weight, found [-1]"},
      {"S -> 'a' [inf]", "E234", "g.cfg:1:10", "expected a positive weight, found [inf]"},
      {"S -> 'a' [1] B", "E234", "g.cfg:1:14",
       "expected '|' or the end of the line after a weight, found 'B'"},
      {"%stop S", "E235", "g.cfg:1:1", "unknown directive %stop"},
      {"%start", "E235", "g.cfg:1:7",
       "expected the name of a nonterminal after %start, found the end of the line"},
      {"%start S T", "E235", "g.cfg:1:10",
       "expected the end of the line after %start S, found 'T'"},
      {"%start S\n%start S", "E235", "g.cfg:2:1", "a second %start"},
      {"S -> A \\\n [", "E234", "g.cfg:2:2", "'[' without ']'"},
  };
  for (const BadGrammar& bad : cases) {
    SCOPED_TRACE(bad.text);
    try {
      parse_grammar(bad.text, "g.cfg");
      ADD_FAILURE() << "expected ParseError";
    } catch (const ParseError& error) {
      EXPECT_EQ(error.code(), bad.code);
      EXPECT_EQ(to_string(error.where()), bad.where);
      EXPECT_STREQ(error.what(), bad.message);
      EXPECT_FALSE(error.help().empty());
    }
  }
}

TEST(Grammar, QuotesTheLineThatIsWrong) {
  try {
    parse_grammar("S -> 'a'\n  S => NP\r\n");
    FAIL() << "expected ParseError";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.excerpt(), "S => NP");
  }
}

TEST(Grammar, ReadsAFile) {
  const testing::TemporaryDirectory directory;
  EXPECT_EQ(read_grammar(directory.write("g.cfg", "S -> 'a'\n")).num_rules(), 1u);
  EXPECT_THROW(read_grammar(directory.file("none.cfg")), IoError);
}

Strings findings_of(const std::string& text) {
  Strings messages;
  for (const Finding& finding : check(parse_grammar(text))) {
    messages.push_back(concat(finding.line, ": ", finding.message));
  }
  return messages;
}

TEST(CheckGrammar, FindsNothingInASoundGrammar) {
  EXPECT_EQ(findings_of("S -> A S [0.5] | A [0.5]\nA -> 'a' | 'b'"), Strings{});
}

TEST(CheckGrammar, FindsUndefinedAndUselessSymbols) {
  EXPECT_EQ(
      findings_of("S -> 'a'\nS -> dog 'b'\nB -> B 'b'\nC -> 'c'"),
      (Strings{"2: nonterminal dog has no rule; a word stands in quotes: 'dog'",
               "2: rule derives no words: S -> dog 'b'", "3: rule derives no words: B -> B 'b'",
               "4: rule is not reached from the start symbol: C -> 'c'"}));
  EXPECT_EQ(findings_of("%start T\nS -> 'a'"),
            (Strings{"0: the start symbol T has no rule",
                     "2: rule is not reached from the start symbol: S -> 'a'"}));
}

TEST(CheckGrammar, DoesNotReachThroughARuleThatDerivesNothing) {
  EXPECT_EQ(findings_of("S -> 'a' | X A\nX -> X 'x'\nA -> 'a'").back(),
            "3: rule is not reached from the start symbol: A -> 'a'");
}

TEST(CheckGrammar, FindsRepeatedRulesAndCycles) {
  EXPECT_EQ(
      findings_of("S -> 'a' | A\nA -> B\nB -> C | 'b'\nC -> A\nS -> 'a'\nD -> 'd' D | S").at(1),
      "6: rule is not reached from the start symbol: D -> S");
  EXPECT_EQ(findings_of("S -> 'a' | A\nA -> B\nB -> C | 'b'\nC -> A\nS -> 'a'"),
            (Strings{"5: rule given again: S -> 'a'", "2: unary cycle A -> B -> C -> A"}));
}

TEST(CheckGrammar, FindsWeightsThatAreNoDistribution) {
  EXPECT_EQ(findings_of("S -> 'a' [0.5] | 'b' [0.25]"),
            (Strings{"1: the weights of S add up to 0.75"}));
  EXPECT_EQ(findings_of("S -> 'a' [0.5] | 'b'"),
            (Strings{"1: only 1 of 2 rules of S have a weight"}));
}

TEST(TelescopeGrammar, IsSoundAndParsesItsSentences) {
  const std::string directory = testing::source_directory() + "/data/grammars/";
  const Parser parser(read_grammar(directory + "telescope.cfg"));
  for (const Finding& finding : check(parser.grammar())) {
    ADD_FAILURE() << finding.line << ": " << finding.message;
  }
  LineReader reader(directory + "sentences.txt");
  std::size_t sentences = 0;
  for (std::string_view line; reader.next(line); ++sentences) {
    const ParseResult parsed = parser.parse(testing::split_words(std::string(line)));
    EXPECT_TRUE(parsed.unknown.empty()) << line;
    EXPECT_GT(count_derivations(parsed.forest), BigCount(1)) << line;
  }
  EXPECT_GE(sentences, 5u);
}

}  // namespace
}  // namespace coppice::span

// The packed forest holds exactly the trees that a parser by enumeration finds.
#include "coppice/span/parse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/forest/count.h"
#include "coppice/semiring/log.h"
#include "coppice/span/tree.h"
#include "span/atis.h"
#include "span/reference_parser.h"
#include "support/enumerate.h"
#include "support/seeds.h"
#include "support/shared_data.h"

namespace coppice::span {
namespace {

using testing::split_words;

constexpr std::uint64_t kMaxTrees = 500;  // to be listed

std::vector<std::string> sorted(std::vector<std::string> values) {
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<std::string> trees_of(const Grammar& grammar, const ParseResult& parsed) {
  std::vector<std::string> trees;
  if (parsed.forest.empty()) return trees;
  for (const auto& derivation : testing::derivations(parsed.forest, parsed.forest.root())) {
    trees.push_back(brackets(grammar, tree(grammar, parsed, derivation)));
  }
  return trees;
}

std::vector<std::string> trees_of(const std::string& grammar_text, const std::string& sentence) {
  const Grammar grammar = parse_grammar(grammar_text);
  return sorted(trees_of(grammar, parse(grammar, split_words(sentence))));
}

// Unary rules go to a higher symbol only, unless cycles are wanted.
Grammar random_grammar(std::uint64_t seed, bool with_cycles) {
  Random random(seed);
  Grammar grammar;
  const std::uint64_t num_nonterminals = 2 + random.below(4);
  std::vector<SymbolId> symbols;
  for (std::uint64_t i = 0; i < num_nonterminals; ++i) {
    symbols.push_back(grammar.add_symbol(SymbolKind::kNonterminal, std::string(1, "SABCDE"[i])));
  }
  for (const char* word : {"a", "b"}) {
    symbols.push_back(grammar.add_symbol(SymbolKind::kWord, word));
  }
  grammar.set_start(symbols[0]);
  const std::uint64_t num_rules = 4 + random.below(9);
  for (std::uint64_t r = 0; r < num_rules; ++r) {
    const std::uint64_t left = random.below(num_nonterminals);
    const std::uint64_t length = 1 + random.below(random.below(3) == 0 ? 4 : 2);
    std::vector<SymbolId> right;
    for (std::uint64_t i = 0; i < length; ++i) {
      const std::uint64_t lowest = length == 1 && !with_cycles ? left + 1 : 0;
      right.push_back(symbols[lowest + random.below(symbols.size() - lowest)]);
    }
    grammar.add_rule(symbols[left], right, -static_cast<double>(1 + random.below(8)) / 8);
  }
  return grammar;
}

std::vector<std::string> random_sentence(std::uint64_t seed) {
  Random random(seed, 7);
  std::vector<std::string> words(1 + random.below(5));
  for (std::string& word : words) word = std::string(1, random.below(3) == 0 ? 'b' : 'a');
  return words;
}

void expect_sound(const ParseResult& parsed) {
  const Forest& forest = parsed.forest;
  ASSERT_EQ(parsed.nodes.size(), forest.num_nodes());
  ASSERT_EQ(parsed.rules.size(), forest.num_edges());
  ASSERT_EQ(parsed.scores.size(), forest.num_edges());
  NodeMap<unsigned char> is_used(forest.num_nodes(), 0);
  if (!forest.empty()) is_used[forest.root()] = 1;
  for (std::size_t i = forest.num_nodes(); i-- > 0;) {
    const auto node = static_cast<NodeId>(i);
    EXPECT_EQ(is_used[node], 1) << "node " << i << " is in no parse";
    EXPECT_FALSE(forest.incoming(node).empty()) << "node " << i << " derives nothing";
    const NodeInfo& info = parsed.nodes[node];
    for (EdgeId edge : forest.incoming(node)) {
      EXPECT_EQ(parsed.rules[edge] != kNoRule, info.kind == NodeKind::kNonterminal);
      std::uint32_t at = info.begin;
      for (NodeId tail : forest.tails(edge)) {
        is_used[tail] = 1;
        EXPECT_EQ(parsed.nodes[tail].begin, at);
        at = parsed.nodes[tail].end;
      }
      EXPECT_EQ(at, forest.tails(edge).empty() ? info.begin : info.end);
    }
  }
}

TEST(Parse, FindsTheTreesThatEnumerationFinds) {
  std::size_t ambiguous = 0;
  for (std::uint64_t seed = 0; seed < testing::seeds(1500); ++seed) {
    SCOPED_TRACE(seed);
    const Grammar grammar = random_grammar(seed, false);
    const auto words = random_sentence(seed);
    const ParseResult parsed = parse(grammar, words);
    expect_sound(parsed);
    if (count_derivations(parsed.forest) > BigCount(kMaxTrees)) continue;  // too many to list
    const auto expected = sorted(testing::ReferenceParser(grammar, words).trees());
    const auto found = sorted(trees_of(grammar, parsed));
    ASSERT_EQ(found, expected);
    ASSERT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
    ASSERT_EQ(count_derivations(parsed.forest), BigCount(expected.size()));
    ambiguous += expected.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(ambiguous, testing::seeds(1500) / 15);  // else the draw tests little
}

TEST(Parse, VisitsEverySymbolOfACycleOnceAsEnumerationDoes) {
  std::size_t cyclic = 0;
  for (std::uint64_t seed = 0; seed < testing::seeds(1500); ++seed) {
    SCOPED_TRACE(seed);
    const Grammar grammar = random_grammar(seed, true);
    const auto words = random_sentence(seed);
    const Parser parser(grammar);
    const ParseResult parsed = parser.parse(words, {.unary_cycles = UnaryCycles::kVisitOnce});
    expect_sound(parsed);
    if (count_derivations(parsed.forest) > BigCount(kMaxTrees)) continue;
    const auto expected = sorted(testing::ReferenceParser(grammar, words).trees());
    ASSERT_EQ(sorted(trees_of(grammar, parsed)), expected);
    try {
      ASSERT_EQ(parser.parse(words).forest, parsed.forest);  // no cycle was in the way
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), "E331");
      ++cyclic;
    }
  }
  EXPECT_GT(cyclic, testing::seeds(1500) / 15);
}

TEST(Parse, GivesATreeTheSumOfItsRulesScores) {
  for (std::uint64_t seed = 0; seed < testing::seeds(200); ++seed) {
    const Grammar grammar = random_grammar(seed, false);
    const ParseResult parsed = parse(grammar, random_sentence(seed));
    if (parsed.forest.empty()) continue;
    for (const auto& derivation : testing::derivations(parsed.forest, parsed.forest.root())) {
      double by_edges = 0, by_rules = 0;
      for (EdgeId edge : derivation) by_edges += parsed.scores[edge];
      for (const auto& vertex : tree(grammar, parsed, derivation).vertices) {
        if (vertex.rule != kNoRule) by_rules += grammar.score(vertex.rule);
      }
      ASSERT_EQ(by_edges, by_rules) << "seed " << seed;
    }
  }
}

TEST(Parse, CountsBinaryBracketingsAsCatalanNumbers) {
  const Parser parser(parse_grammar("S -> S S | 'a'"));
  std::uint64_t catalan = 1;
  for (std::uint64_t n = 1; n <= 30; ++n) {
    EXPECT_EQ(count_derivations(parser.parse(std::vector<std::string>(n, "a")).forest),
              BigCount(catalan));
    catalan = catalan * 2 * (2 * n - 1) / (n + 1);
  }
}

TEST(Parse, CountsAttachmentsOfPrepositionalPhrasesAsCatalanNumbers) {
  const Parser parser(
      parse_grammar("S -> 'I' VP\n VP -> 'saw' NP | VP PP\n"
                    "NP -> 'it' | NP PP\n PP -> 'by' NP\n"));
  std::vector<std::string> words{"I", "saw", "it"};
  for (std::uint64_t catalan : {1u, 2u, 5u, 14u, 42u, 132u}) {
    EXPECT_EQ(count_derivations(parser.parse(words).forest), BigCount(catalan));
    words.insert(words.end(), {"by", "it"});
  }
}

TEST(Parse, KeepsTheForestOfLongRulesCubic) {
  const Parser parser(parse_grammar("S -> S S S S S | 'a'"));
  const auto size = [&](std::size_t n) {
    return parser.parse(std::vector<std::string>(n, "a")).forest.num_edges();
  };
  EXPECT_LT(size(81), 9 * size(41));  // twice the length: 8 times the edges, not 2^5 times
}

TEST(Parse, SharesPrefixesBetweenRulesAndDescribesThem) {
  const Grammar grammar = parse_grammar("S -> 'a' 'b' 'c' | X\nX -> 'a' 'b' 'c' \n");
  const ParseResult parsed = parse(grammar, split_words("a b c"));
  EXPECT_EQ(count_derivations(parsed.forest), BigCount(2));
  std::vector<NodeInfo> prefixes;
  for (const NodeInfo& info : parsed.nodes.values()) {
    if (info.kind == NodeKind::kPrefix) prefixes.push_back(info);
  }
  ASSERT_EQ(prefixes.size(), 1u);
  EXPECT_EQ(prefixes[0], (NodeInfo{NodeKind::kPrefix, *grammar.start(), 0, 2, RuleId{0}, 2}));
}

TEST(Parse, UsesOneNodeTwiceInOneEdge) {
  EXPECT_EQ(trees_of("S -> A A\nA -> 'a'", "a a"), (std::vector<std::string>{"(S (A a) (A a))"}));
}

TEST(Parse, FollowsUnaryChainsInAnyOrderOfTheRules) {
  EXPECT_EQ(trees_of("S -> A | B | 'x'\nC -> 'x'\nA -> B\nB -> C | 'x'", "x"),
            (std::vector<std::string>{"(S (A (B (C x))))", "(S (A (B x)))", "(S (B (C x)))",
                                      "(S (B x))", "(S x)"}));
}

TEST(Parse, ReadsAWordOfSeveralCategories) {
  EXPECT_EQ(trees_of("S -> N V | N N\nN -> 'time' | 'flies'\nV -> 'flies'", "time flies"),
            (std::vector<std::string>{"(S (N time) (N flies))", "(S (N time) (V flies))"}));
}

TEST(Parse, TellsAWordFromANonterminalOfTheSameName) {
  EXPECT_EQ(trees_of("S -> a 'a'\na -> 'a'", "a a"), (std::vector<std::string>{"(S (a a) a)"}));
}

TEST(Parse, GivesAnEmptyForestToASentenceWithoutWords) {
  const ParseResult parsed = parse(parse_grammar("S -> 'a'"), {});
  EXPECT_TRUE(parsed.forest.empty());
  EXPECT_TRUE(parsed.unknown.empty());
}

TEST(Parse, ParsesOneWord) {
  EXPECT_EQ(trees_of("S -> 'a'", "a"), (std::vector<std::string>{"(S a)"}));
}

TEST(Parse, GivesAnEmptyForestWhereThereIsNoParse) {
  for (const char* sentence : {"a", "b", "b a", "a b b", "a a b"}) {
    EXPECT_TRUE(trees_of("S -> 'a' 'b'", sentence).empty()) << sentence;
  }
}

TEST(Parse, ListsUnknownWords) {
  const ParseResult parsed = parse(parse_grammar("S -> 'a' S | 'a'"), split_words("a xx a yy"));
  EXPECT_TRUE(parsed.forest.empty());
  EXPECT_EQ(parsed.unknown, (std::vector<std::size_t>{1, 3}));
}

TEST(Parse, TakesANonterminalWithoutRulesForUnparsable) {
  EXPECT_TRUE(trees_of("%start T\nS -> 'a' Q", "a a").empty());
}

void expect_error(const Grammar& grammar, const std::string& sentence, const ParseOptions& options,
                  const std::string& code, const std::string& message) {
  try {
    parse(grammar, split_words(sentence), options);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_EQ(std::string(error.what()), message);
    EXPECT_FALSE(error.help().empty());
  }
}

TEST(Parse, NamesTheUnaryCycleThatMakesParsesInfinite) {
  const Grammar grammar = parse_grammar("S -> 'no' | NP V\nNP -> N | 'it'\nN -> NP\nV -> 'is'");
  expect_error(grammar, "it is", {}, "E331",
               "infinitely many parses: the rules NP -> N -> NP are a cycle, which words 1 to 1 "
               "can enter");
  EXPECT_EQ(count_derivations(parse(grammar, split_words("no")).forest), BigCount(1));
}

TEST(Parse, NamesARuleThatDerivesItself) {
  expect_error(
      parse_grammar("S -> S | 'a'"), "a", {}, "E331",
      "infinitely many parses: the rules S -> S are a cycle, which words 1 to 1 can enter");
}

TEST(Parse, LeavesOutTheVerticesOfACycleThatDeriveNothing) {
  const Grammar grammar = parse_grammar("S -> A | B\nA -> B | 'x'\nB -> A");
  const auto parsed = parse(grammar, split_words("x"), {.unary_cycles = UnaryCycles::kVisitOnce});
  EXPECT_EQ(sorted(trees_of(grammar, parsed)),
            (std::vector<std::string>{"(S (A x))", "(S (B (A x)))"}));
  expect_sound(parsed);
}

TEST(Parse, StopsAtTheLimitOnEdges) {
  expect_error(parse_grammar("S -> S S | 'a'"), "a a a a a a a a", {.max_edges = 50}, "E332",
               "the chart of this sentence of 8 words needs more than 50 edges");
  EXPECT_THROW(parse(parse_grammar("S -> 'a'"), split_words("a"), {.max_edges = 1ul << 40}),
               InvalidArgument);
}

TEST(Parse, StopsAtTheLimitOnEdgesOfTheForest) {
  // Three nonterminals share one complete right side in the chart, but not in the forest.
  const Grammar grammar =
      parse_grammar("S -> A | B | C\nA -> X X\nB -> X X\nC -> X X\nX -> 'x' | X X");
  const std::vector<std::string> words(9, "x");
  const std::size_t edges = parse(grammar, words).forest.num_edges();
  EXPECT_THROW(parse(grammar, words, {.max_edges = edges - 1}), Error);
}

TEST(Parse, DoesNotRecurse) {
  constexpr int kDepth = 100'000;  // of a chain of unary rules
  std::ostringstream text;
  for (int i = 0; i < kDepth; ++i) text << "X" << i << " -> X" << i + 1 << "\n";
  text << "X" << kDepth << " -> 'x'\n";
  const Grammar grammar = parse_grammar(text.str());
  EXPECT_EQ(parse(grammar, split_words("x")).forest.num_nodes(), kDepth + 2u);
  EXPECT_TRUE(check(grammar).empty());
}

TEST(Parse, ParsesALongSentence) {
  const Grammar grammar = parse_grammar("S -> S 'a' | 'a'");
  const ParseResult parsed = parse(grammar, std::vector<std::string>(100'000, "a"));
  EXPECT_EQ(count_derivations(parsed.forest), BigCount(1));
  std::vector<EdgeId> derivation;  // prefix order: down the left, and the words on the way back
  std::vector<NodeId> open{parsed.forest.root()};
  while (!open.empty()) {
    derivation.push_back(parsed.forest.incoming(open.back())[0]);
    open.pop_back();
    const auto tails = parsed.forest.tails(derivation.back());
    open.insert(open.end(), tails.rbegin(), tails.rend());
  }
  EXPECT_EQ(brackets(grammar, tree(grammar, parsed, derivation)).substr(0, 6), "(S (S ");
}

TEST(Tree, RefusesEdgesThatAreNoDerivation) {
  const Grammar grammar = parse_grammar("S -> A A\nA -> 'a'");
  const ParseResult parsed = parse(grammar, split_words("a a"));
  auto derivation = testing::derivations(parsed.forest, parsed.forest.root()).at(0);
  derivation.push_back(EdgeId{0});
  EXPECT_THROW(tree(grammar, parsed, derivation), InvalidArgument);
  derivation.resize(2);
  EXPECT_THROW(tree(grammar, parsed, derivation), InvalidArgument);
  std::reverse(derivation.begin(), derivation.end());
  EXPECT_THROW(tree(grammar, parsed, derivation), InvalidArgument);
  EXPECT_THROW(tree(grammar, ParseResult{}, derivation), InvalidArgument);
}

TEST(Parse, CountsThePublishedNumbersOfParsesOfAtis) {
  const auto directory = testing::shared_data("large_grammars");
  if (!directory) GTEST_SKIP() << "no large_grammars; set COPPICE_SHARED_DATA to run this";
  const Parser parser(read_grammar(*directory + "/atis.cfg"));
  EXPECT_EQ(parser.grammar().num_rules(), 5517u);
  const auto sentences = testing::read_atis_sentences(*directory + "/atis_sentences.txt");
  EXPECT_EQ(sentences.size(), 98u);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const ParseResult parsed = parser.parse(sentences[i].words);
    EXPECT_EQ(count_derivations(parsed.forest), BigCount(sentences[i].parses))
        << "sentence " << i + 1;
  }
}

}  // namespace
}  // namespace coppice::span

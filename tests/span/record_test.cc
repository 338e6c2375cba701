// A parsed sentence as a record keeps its trees, and restricting a record keeps what belongs to it.
#include "coppice/span/record.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "coppice/forest/draw.h"
#include "coppice/forest/kbest.h"
#include "coppice/forest/moments.h"
#include "coppice/forest/prune.h"
#include "coppice/span/tree.h"
#include "span/atis.h"
#include "support/enumerate.h"

namespace coppice::span {
namespace {

const Grammar& grammar() {
  static const Grammar rules = parse_grammar(
      "S -> NP VP\nVP -> V NP [0.4] | V NP Bare [0.6] | V NP 'very' 'well' [2]\n"
      "NP -> 'I' | 'her' [0.5] | Det N [0.25]\nDet -> 'her'\nN -> 'duck'\nBare -> 'duck'\n"
      "V -> 'saw'\n");
  return rules;
}

ForestRecord record_of(const std::string& sentence) {
  const auto words = testing::split_words(sentence);
  return make_record(grammar(), parse(grammar(), words), words);
}

std::vector<std::string> trees_of(const ForestRecord& record) {
  std::vector<std::string> trees;
  for (const auto& derivation : testing::derivations(record.forest, record.forest.root()))
    trees.push_back(derivation_to_brackets(record, derivation));
  return trees;
}

TEST(ParseRecord, IsValidAndHasTheTreesOfTheParser) {
  for (const char* sentence : {"I saw her duck", "I saw her very well", "I saw I duck"}) {
    const auto words = testing::split_words(sentence);
    const ParseResult parsed = parse(grammar(), words);
    std::vector<std::string> expected;
    for (const auto& derivation : testing::derivations(parsed.forest, parsed.forest.root()))
      expected.push_back(brackets(grammar(), tree(grammar(), parsed, derivation)));
    const ForestRecord record = make_record(grammar(), parsed, words);
    EXPECT_NO_THROW(validate(record));
    EXPECT_EQ(trees_of(record), expected);
    EXPECT_EQ(record.scores, parsed.scores);
    EXPECT_EQ(record.tokens, words);
  }
}

TEST(ParseRecord, MarksPrefixesAndNamesRules) {
  const ForestRecord record = record_of("I saw her very well");
  std::vector<std::string> helpers;
  for (NodeId node : record.forest.nodes()) {
    if (record.label(node).starts_with(kHelperMark)) helpers.emplace_back(record.label(node));
  }
  std::ranges::sort(helpers);
  EXPECT_EQ(helpers, (std::vector<std::string>{"@V NP", "@V NP 'very'"}));
  EXPECT_EQ(record.label(record.forest.incoming(record.forest.root())[0]), "S -> NP VP");
}

TEST(ParseRecord, CountsTheSymbolsOfATree) {
  const ForestRecord record = record_of("I saw her duck");  // 0.4 * 0.25 = 0.1, 0.6 * 0.5 = 0.3
  EXPECT_NEAR(expectation(record.forest, record.scores, record.values("Bare")), 0.75, 1e-12);
  EXPECT_NEAR(expectation(record.forest, record.scores, record.values("Det")), 0.25, 1e-12);
  EXPECT_NEAR(expectation(record.forest, record.scores, record.values("NP")), 2, 1e-12);
}

TEST(RestrictRecord, KeepsLabelsSpansScoresAndValues) {
  ForestRecord record = record_of("I saw her duck");
  record.id = "s7";
  const ForestRecord best =
      restrict_record(record, prune_by_max_marginal(record.forest, record.scores, 0.1));
  EXPECT_NO_THROW(validate(best));
  EXPECT_EQ(best.id, "s7");
  EXPECT_EQ(trees_of(best),
            (std::vector<std::string>{"(S (NP I) (VP (V saw) (NP her) (Bare duck)))"}));
  EXPECT_EQ(expectation(best.forest, best.scores, best.values("Bare")), 1);
  EXPECT_EQ(k_best(best.forest, best.scores, 1)[0].score,
            k_best(record.forest, record.scores, 1)[0].score);
  const ForestRecord all =
      restrict_record(record, keep_edges(record.forest, {record.forest.num_edges(), 1}));
  EXPECT_EQ(all, record);
}

}  // namespace
}  // namespace coppice::span

#include "coppice/text/tree_normal.h"

#include <gtest/gtest.h>

#include <set>

#include "coppice/base/random.h"
#include "coppice/text/brackets.h"
#include "coppice/text/head_rules.h"
#include "support/random_tree.h"
#include "support/shared_data.h"
#include "text/support.h"

namespace coppice::text {
namespace {

std::string normal(std::string_view text) { return one_line(normalised(parse_tree(text))); }

std::string with(std::string_view text, const std::vector<std::string>& names) {
  return one_line(edited(parse_tree(text), tree_edits(names)));
}

TEST(TreeNormalTest, TheRootIsTop) {
  EXPECT_EQ(normal("( (S (NN a)))"), "(TOP (S (NN a)))");
  EXPECT_EQ(normal("(ROOT (S (NN a)))"), "(TOP (S (NN a)))");
  EXPECT_EQ(normal("(S1 (S (NN a)))"), "(TOP (S (NN a)))");
  EXPECT_EQ(normal("(S (NN a))"), "(TOP (S (NN a)))");
  EXPECT_EQ(normal("(NN a)"), "(TOP (NN a))");
  EXPECT_EQ(normal("( (ROOT (S (NN a))))"), "(TOP (S (NN a)))");
  EXPECT_EQ(normal("( (S (NN a)) (. .))"), "(TOP (S (NN a)) (. .))");
}

TEST(TreeNormalTest, LabelsAreCut) {
  EXPECT_EQ(normal("(TOP (NP-SBJ=2 (-LRB- -LRB-) (JJ|NN a) (PRP$ b)) (ADVP|PRT (RP c)))"),
            "(TOP (NP (-LRB- -LRB-) (JJ a) (PRP$ b)) (ADVP (RP c)))");
  EXPECT_EQ(plain_phrase_label("-X-Y"), "-X");
  EXPECT_EQ(plain_phrase_label("="), "=");
  EXPECT_EQ(plain_tag("-RRB-"), "-RRB-");
}

TEST(TreeNormalTest, EmptyElementsTakeTheirPhrasesAlong) {
  EXPECT_EQ(normal("( (S (NP-SBJ (-NONE- *)) (VP (VB go) (SBAR (-NONE- 0) (S (-NONE- *T*))))))"),
            "(TOP (S (VP (VB go))))");
  EXPECT_EQ(normal("( (S (NP (-NONE- *))))"), "(TOP)");
  EXPECT_EQ(normal("(())"), "(TOP)");
}

TEST(TreeNormalTest, APhraseOverItsLikeGoesWhenItHasNoSister) {
  EXPECT_EQ(normal("(TOP (NP-A (NP-B (NP (NN a)))))"), "(TOP (NP (NN a)))");
  EXPECT_EQ(normal("(TOP (NP (NP (NN a)) (NP (-NONE- *))))"), "(TOP (NP (NN a)))");
  EXPECT_EQ(normal("(TOP (NP (NP (NN a)) (NN b)))"), "(TOP (NP (NP (NN a)) (NN b)))");
  EXPECT_EQ(normal("(TOP (NP (S (NP (NN a)))))"), "(TOP (NP (S (NP (NN a)))))");
  EXPECT_EQ(normal("(TOP (CC (CC and)))"), "(TOP (CC (CC and)))");  // the lower one is a tag
}

TEST(TreeNormalTest, EachEditCanBeHadAlone) {
  const char* tree = "( (NP-A (NP-A (NN a) (-NONE- *))))";
  EXPECT_EQ(with(tree, {}), tree);
  EXPECT_EQ(with(tree, {"functions"}), "( (NP (NP (NN a) (-NONE- *))))");
  EXPECT_EQ(with(tree, {"traces"}), "( (NP-A (NP-A (NN a))))");
  EXPECT_EQ(with(tree, {"repeats"}), "( (NP-A (NN a) (-NONE- *)))");
  EXPECT_EQ(with(tree, {"unary-top"}), "(NP-A (NP-A (NN a) (-NONE- *)))");
  EXPECT_EQ(with("( (A (b c)) (D (e f)))", {"unary-top"}), "( (A (b c)) (D (e f)))");
  EXPECT_EQ(with("( (A (b c)) (-NONE- *))", {"unary-top", "traces"}), "(A (b c))");
  expect_refused([] { tree_edits({"trace"}); }, "no \"trace\" to strip");
}

// The slow, obvious way: edits one at a time, over and over until nothing changes.
TEST(TreeNormalTest, AFixedPointIsReachedAtOnce) {
  Random random(21);
  for (int i = 0; i < 500; ++i) {
    const Tree tree = testing::RandomTree(random, {.is_raw = true}).draw();
    Tree slow = tree;
    for (Tree before; !(before == slow);) {
      before = slow;
      for (const char* name : {"functions", "traces", "repeats"})
        slow = edited(slow, tree_edits({name}));
    }
    slow = edited(slow, {.root = TreeEdits::Root::kName});
    const Tree fast = normalised(tree);
    EXPECT_TRUE(fast == slow) << "tree " << i << '\n' << one_line(tree) << '\n' << one_line(fast);
    EXPECT_TRUE(normalised(fast) == fast) << "tree " << i;
    for (std::size_t node = 0; node < fast.num_nodes(); ++node)
      EXPECT_TRUE(fast.end(node) > fast.begin(node) || fast.num_nodes() == 1);
  }
}

TEST(TreeNormalTest, CorporaHaveTheLabelsThatAreKnownOfThem) {
  const auto count = [](const std::string& path) {
    std::set<std::string, std::less<>> phrases;
    std::set<std::string, std::less<>> tags;
    BracketReader reader(path);
    for (Sentence sentence; reader.next(sentence);) {
      const Tree tree = normalised(*reader.tree());
      for (std::size_t node = 0; node < tree.num_nodes(); ++node)
        (tree.is_leaf(node) ? tags : phrases).emplace(tree.label(node));
    }
    return std::pair(phrases.size(), tags.size());
  };
  const auto craft = testing::shared_data("craft_treebank/craft-train.mrg");
  const auto wsj = testing::shared_data("nltk_treebank_wsj/wsj-train.raw.mrg");
  if (!craft || !wsj) GTEST_SKIP() << "needs ../shared/data";
  EXPECT_EQ(count(*craft), std::pair(std::size_t{30}, std::size_t{44}));
  EXPECT_EQ(count(*wsj), std::pair(std::size_t{26}, std::size_t{45}));
}

TEST(TreeNormalTest, StrippedTreebanksAreTheNormalFormOfTheRawOnes) {
  const auto raw = testing::shared_data("nltk_treebank_wsj/wsj-test.raw.mrg");
  const auto plain = testing::shared_data("nltk_treebank_wsj/wsj-test.mrg");
  if (!raw || !plain) GTEST_SKIP() << "needs ../shared/data";
  BracketReader raw_reader(*raw);
  BracketReader plain_reader(*plain);
  Sentence sentence;
  while (raw_reader.next(sentence)) {
    ASSERT_TRUE(plain_reader.next(sentence));
    EXPECT_EQ(one_line(normalised(*raw_reader.tree())), one_line(normalised(*plain_reader.tree())));
  }
  EXPECT_FALSE(plain_reader.next(sentence));
}

std::string head_word(std::string_view text) {
  const Tree tree = normalised(parse_tree(text));
  return std::string(tree.word(HeadRules::english().head_words(tree)[0]));
}

TEST(HeadRulesTest, KnowsThePhrasesOfBothTreebanks) {
  EXPECT_EQ(head_word("(S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .))"), "barks");
  EXPECT_EQ(head_word("(NP (NP (DT the) (NN cell)) (PP (IN of) (NP (NNS mice))))"), "cell");
  EXPECT_EQ(head_word("(NP (NML (NN heart) (NN muscle)) (NN cell) (. .))"), "cell");
  EXPECT_EQ(head_word("(PP (IN in) (NP (NN town)))"), "in");
  EXPECT_EQ(head_word("(VP (MD will) (VP (VB go)))"), "will");
  EXPECT_EQ(head_word("(NP (NN salt) (CC and) (NN pepper))"), "salt");
  EXPECT_EQ(head_word("(HEADING (. x) (NP (NNS results)) (. .))"), "results");
  EXPECT_EQ(head_word("(CIT (-LRB- -LRB-) (NNP Smith) (CD 2004) (-RRB- -RRB-))"), "Smith");
  EXPECT_EQ(head_word("(NEW (NN a) (NN b) (. .))"), "b");
  EXPECT_EQ(head_word("(NEW (, ,) (. .))"), ".");
  EXPECT_EQ(head_word("(WHPP (IN in) (WHNP (WDT which)))"), "in");
}

TEST(HeadRulesTest, ARuleWithoutLabelsTakesTheOuterChild) {
  const HeadRules rules({{"A", {{HeadRules::Side::kLeft, true, {}}}}});
  const std::vector<std::string_view> children = {"``", "x", "y", "''"};
  EXPECT_EQ(rules.head("A", children), 1U);
  EXPECT_EQ(rules.head("B", children), 2U);
  expect_refused(
      [] {
        HeadRules(std::map<std::string_view, std::vector<HeadRules::Rule>>{{"A", {}}});
      },
      "A has none");
}

}  // namespace
}  // namespace coppice::text

#include "coppice/text/tree_binary.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <tuple>

#include "coppice/base/random.h"
#include "coppice/text/brackets.h"
#include "coppice/text/tree_normal.h"
#include "support/random_tree.h"
#include "support/shared_data.h"
#include "text/support.h"

namespace coppice::text {
namespace {

std::vector<std::string_view> words_of(const Tree& tree) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < tree.num_words(); ++i) words.push_back(tree.word(i));
  return words;
}

// "NP>NN[0,1)", in prefix order: top, bottom where it differs, words.
std::string shown(const Binariser& binariser, const BinaryTree& tree) {
  std::string text;
  for (const BinaryTree::Node& node : tree.nodes) {
    if (!text.empty()) text += ' ';
    text += binariser.name(binariser.top(node.move));
    if (binariser.chain(node.move).size() > 1) text.append(">").append(binariser.name(node.bottom));
    text += concat("[", node.begin, ",", node.end, ")");
  }
  return text;
}

std::string binary(std::string_view text, const BinaryOptions& options) {
  Binariser binariser(options);
  const BinaryTree tree = binariser.binarise(parse_tree(text));
  return shown(binariser, tree);
}

constexpr const char* kFlat = "(TOP (NP (DT a) (JJ b) (NN c) (PP d)))";

TEST(TreeBinaryTest, RightTakesTheFirstChildFirst) {
  EXPECT_EQ(binary(kFlat, {}), "TOP>NP[0,4) DT[0,1) @NP[1,4) JJ[1,2) @NP[2,4) NN[2,3) PP[3,4)");
  EXPECT_EQ(binary(kFlat, {.horizontal = 1}),
            "TOP>NP[0,4) DT[0,1) @NP|DT[1,4) JJ[1,2) @NP|JJ[2,4) NN[2,3) PP[3,4)");
  EXPECT_EQ(binary(kFlat, {.horizontal = kAllSiblings, .vertical = 2}),
            "TOP>NP^TOP[0,4) DT[0,1) @NP^TOP|DT[1,4) JJ[1,2) @NP^TOP|JJ,DT[2,4) NN[2,3) PP[3,4)");
}

TEST(TreeBinaryTest, LeftTakesTheLastChildFirst) {
  EXPECT_EQ(binary(kFlat, {.direction = Direction::kLeft, .horizontal = 1}),
            "TOP>NP[0,4) @NP|PP[0,3) @NP|NN[0,2) DT[0,1) JJ[1,2) NN[2,3) PP[3,4)");
}

TEST(TreeBinaryTest, HeadOutwardEndsAtTheHead) {
  EXPECT_EQ(binary(kFlat, {.direction = Direction::kHead}),
            "TOP>NP[0,4) DT[0,1) @NP[1,4) JJ[1,2) @NP[2,4) NN[2,3) PP[3,4)");
  EXPECT_EQ(binary(kFlat, {.direction = Direction::kHead, .horizontal = kAllSiblings}),
            "TOP>NP[0,4) DT[0,1) @NP|JJ,PP,NN[1,4) JJ[1,2) @NP|PP,NN[2,4) NN[2,3) PP[3,4)");
  EXPECT_EQ(binary("(VP (VB a) (NP b) (PP c))", {.direction = Direction::kHead, .horizontal = 1}),
            "VP[0,3) @VP|NP[0,2) VB[0,1) NP[1,2) PP[2,3)");
}

TEST(TreeBinaryTest, AChainIsOneMove) {
  Binariser binariser({.vertical = 3});
  const BinaryTree tree = binariser.binarise(parse_tree("(TOP (S (VP (NP (NN a)))))"));
  ASSERT_EQ(tree.nodes.size(), 1U);
  EXPECT_EQ(tree.nodes[0].right, 0U);
  const auto chain = binariser.chain(tree.nodes[0].move);
  ASSERT_EQ(chain.size(), 5U);
  EXPECT_EQ(binariser.name(chain[3]), "NP^VP^S");
  EXPECT_EQ(binariser.label(chain[3]), "NP");
  EXPECT_EQ(binariser.kind(chain[4]), SymbolKind::kTag);
  EXPECT_EQ(binariser.name(binariser.top(tree.nodes[0].move)), "TOP");
}

TEST(TreeBinaryTest, APhraseAndATagOfOneNameAreTwoSymbols) {
  Binariser binariser;
  const BinaryTree tree = binariser.binarise(parse_tree("(TOP (X (X a)))"));
  EXPECT_EQ(binariser.num_symbols(), 3U);
  EXPECT_EQ(one_line(binariser.restore(tree, std::array<std::string_view, 1>{"a"})),
            "(TOP (X (X a)))");
}

TEST(TreeBinaryTest, TheTableKeepsTheCommonestChain) {
  Binariser binariser;
  const char* texts[] = {"(A (B (C (d x))))", "(A (E (C (d x))))", "(A (E (C (d x))))"};
  std::vector<MoveId> moves;
  for (const char* text : texts)
    moves.push_back(binariser.binarise(parse_tree(text)).nodes[0].move);
  const MoveTable table(binariser);
  EXPECT_EQ(table.standing_for(moves[0]), moves[1]);
  EXPECT_EQ(table.standing_for(moves[2]), moves[1]);
  EXPECT_EQ(table.num_lost(), 1U);
}

TEST(TreeBinaryTest, RefusesWhatIsNoWholeTree) {
  Binariser binariser;
  expect_refused([&] { binariser.binarise(Tree{}); }, "no nodes");
  expect_refused([&] { binariser.binarise(parse_tree("(S (NP) (a b))")); },
                 "the phrase NP has no children");
  expect_refused([] { Binariser({.vertical = 0}); }, "vertical = 0");
  BinaryTree tree = binariser.binarise(parse_tree("(S (a b) (c d))"));
  const std::array<std::string_view, 2> words = {"b", "d"};
  EXPECT_EQ(one_line(binariser.restore(tree, words)), "(S (a b) (c d))");
  expect_refused([&] { binariser.restore(tree, std::span(words).first(1)); },
                 "is no tag over a word");
  tree.nodes[0].right = 1;
  expect_refused([&] { binariser.restore(tree, words); }, "node 0 has no right child");
}

constexpr std::array kDirections = {Direction::kRight, Direction::kLeft, Direction::kHead};
constexpr std::array<std::size_t, 4> kHorizontal = {0, 1, 2, kAllSiblings};
constexpr std::array<std::size_t, 3> kVertical = {1, 2, 3};

std::vector<BinaryOptions> all_options() {
  std::vector<BinaryOptions> all;
  for (const Direction direction : kDirections)
    for (const std::size_t h : kHorizontal)
      for (const std::size_t v : kVertical)
        all.push_back({.direction = direction, .horizontal = h, .vertical = v});
  return all;
}

TEST(TreeBinaryTest, RandomTreesComeBackUnderAllOptions) {
  for (const BinaryOptions& options : all_options()) {
    Random random(5);
    Binariser binariser(options);
    for (int i = 0; i < 100; ++i) {
      const Tree tree = testing::RandomTree(random, {.max_words = 20, .max_children = 9}).draw();
      const BinaryTree split = binariser.binarise(tree);
      EXPECT_EQ(split.nodes.size(), 2 * tree.num_words() - 1);
      EXPECT_TRUE(binariser.restore(split, words_of(tree)) == tree) << "tree " << i;
    }
  }
}

TEST(TreeBinaryTest, AMillionLevelsAndAMillionChildrenNeedNoStack) {
  constexpr std::size_t kMany = 1'000'000;
  std::string deep;
  for (std::size_t i = 0; i < kMany; ++i) deep += "(X (a b) ";
  deep += "(c d)";
  deep.append(kMany, ')');
  std::string flat = "(X";
  for (std::size_t i = 0; i < kMany; ++i) flat += " (a b)";
  flat += ')';
  for (const std::string& text : {deep, flat}) {
    const Tree tree = parse_tree(text);
    Binariser binariser({.horizontal = 1, .vertical = 2});
    EXPECT_TRUE(binariser.restore(binariser.binarise(tree), words_of(tree)) == tree);
  }
}

// A treebank in normal form; empty when it is not there.
std::vector<Tree> treebank(const std::string& name) {
  std::vector<Tree> trees;
  const auto path = testing::shared_data(name);
  if (!path) return trees;
  BracketReader reader(*path);
  for (Sentence sentence; reader.next(sentence);) trees.push_back(normalised(*reader.tree()));
  return trees;
}

TEST(TreeBinaryTest, EveryTreeOfTwoTreebanksComesBack) {
  std::size_t num_trees = 0;
  for (const char* name :
       {"craft_treebank/craft-train.mrg", "craft_treebank/craft-dev.mrg",
        "craft_treebank/craft-test.mrg", "nltk_treebank_wsj/wsj-train.raw.mrg",
        "nltk_treebank_wsj/wsj-dev.raw.mrg", "nltk_treebank_wsj/wsj-test.raw.mrg"}) {
    const std::vector<Tree> trees = treebank(name);
    if (trees.empty()) GTEST_SKIP() << "needs ../shared/data/" << name;
    num_trees += trees.size();
    for (const BinaryOptions& options : all_options()) {
      Binariser binariser(options);
      std::size_t wrong = 0;
      for (const Tree& tree : trees)
        wrong += binariser.restore(binariser.binarise(tree), words_of(tree)) == tree ? 0 : 1;
      EXPECT_EQ(wrong, 0U) << name;
    }
  }
  EXPECT_EQ(num_trees, 18951U + 2780U + 9099U + 3914U);
}

struct GrammarSize {
  std::size_t symbols = 0;  // without tags
  std::size_t rules = 0;    // binary

  bool operator==(const GrammarSize&) const = default;
};

std::ostream& operator<<(std::ostream& out, const GrammarSize& size) {
  return out << size.symbols << '/' << size.rules;
}

GrammarSize grammar_size(const std::vector<Tree>& trees, const BinaryOptions& options) {
  Binariser binariser(options);
  std::set<std::tuple<SymbolId, SymbolId, SymbolId>> rules;
  std::set<SymbolId> symbols;
  for (const Tree& tree : trees) {
    const BinaryTree split = binariser.binarise(tree);
    for (std::size_t i = 0; i < split.nodes.size(); ++i) {
      const auto& node = split.nodes[i];
      for (const SymbolId symbol : binariser.chain(node.move))
        if (binariser.kind(symbol) != SymbolKind::kTag) symbols.insert(symbol);
      if (node.right == 0) continue;
      rules.emplace(node.bottom, binariser.top(split.nodes[i + 1].move),
                    binariser.top(split.nodes[node.right].move));
    }
  }
  return {symbols.size(), rules.size()};
}

// Chains of two phrases or more, without TOP.
std::pair<std::size_t, std::size_t> chain_types(const std::vector<Tree>& trees) {
  Binariser binariser;
  for (const Tree& tree : trees) binariser.binarise(tree);
  std::set<std::string> types;
  std::size_t longest = 0;
  for (const MoveId move : IdRange<MoveId>(binariser.num_moves())) {
    std::string type;
    std::size_t length = 0;
    for (const SymbolId symbol : binariser.chain(move)) {
      if (binariser.kind(symbol) != SymbolKind::kPhrase || binariser.label(symbol) == kTop)
        continue;
      type.append(" ").append(binariser.label(symbol));
      ++length;
    }
    if (length > 1) types.insert(type);
    longest = std::max(longest, length);
  }
  return {types.size(), longest};
}

TEST(TreeBinaryTest, GrammarsOfTwoTreebanksHaveTheirSizes) {
  const std::vector<Tree> craft = treebank("craft_treebank/craft-train.mrg");
  const std::vector<Tree> wsj = treebank("nltk_treebank_wsj/wsj-train.raw.mrg");
  if (craft.empty() || wsj.empty()) GTEST_SKIP() << "needs ../shared/data";
  EXPECT_EQ(chain_types(craft), std::pair(std::size_t{59}, std::size_t{3}));
  EXPECT_EQ(chain_types(wsj), std::pair(std::size_t{26}, std::size_t{4}));
  EXPECT_EQ(grammar_size(craft, {}), (GrammarSize{53, 2304}));
  EXPECT_EQ(grammar_size(craft, {.horizontal = 1}), (GrammarSize{419, 5563}));
  EXPECT_EQ(grammar_size(craft, {.horizontal = 2}), (GrammarSize{1706, 9503}));
  EXPECT_EQ(grammar_size(craft, {.vertical = 2}), (GrammarSize{415, 5948}));
  EXPECT_EQ(grammar_size(craft, {.horizontal = 1, .vertical = 2}), (GrammarSize{1572, 11308}));
  EXPECT_EQ(grammar_size(craft, {.horizontal = 2, .vertical = 2}), (GrammarSize{3959, 16575}));
  EXPECT_EQ(grammar_size(wsj, {}), (GrammarSize{47, 1553}));
  EXPECT_EQ(grammar_size(wsj, {.horizontal = 1, .vertical = 2}), (GrammarSize{905, 5322}));
}

}  // namespace
}  // namespace coppice::text

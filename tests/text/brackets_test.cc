#include "coppice/text/brackets.h"

#include <gtest/gtest.h>

#include "coppice/base/random.h"
#include "support/random_tree.h"
#include "support/shared_data.h"
#include "text/support.h"

namespace coppice::text {
namespace {

const ReaderOptions kBrackets{.format = Format::kBrackets};

ReaderOptions skipping() {
  ReaderOptions options = kBrackets;
  options.policy.on_error = OnError::kSkip;
  return options;
}

std::vector<std::string> trees_of(std::string_view text, const ReaderOptions& options = kBrackets) {
  std::vector<std::string> trees;
  const auto reader = reader_over(text, options);
  for (Sentence sentence; reader->next(sentence);) trees.push_back(one_line(*reader->tree()));
  return trees;
}

TEST(BracketsTest, ReadsATreeOverSeveralLines) {
  const Tree tree = parse_tree("( (S (NP-SBJ (-NONE- *))\r\n\n   (VP (VB sleep))))\n");
  EXPECT_EQ(one_line(tree), "( (S (NP-SBJ (-NONE- *)) (VP (VB sleep))))");
  ASSERT_EQ(tree.num_nodes(), 6U);
  EXPECT_EQ(tree.label(0), "");
  EXPECT_EQ(tree.label(2), "NP-SBJ");
  EXPECT_FALSE(tree.is_leaf(2));
  EXPECT_TRUE(tree.is_leaf(3));
  EXPECT_EQ(tree.next(2), 4U);
  EXPECT_EQ(tree.begin(4), 1U);
  EXPECT_EQ(tree.end(4), 2U);
  EXPECT_EQ(tree.num_children(1), 2U);
  EXPECT_TRUE(tree.is_unary(0));
  EXPECT_EQ(tree.word(1), "sleep");
}

TEST(BracketsTest, ASentenceHasWordsAndTagsWithoutEmptyElements) {
  const auto reader = reader_over("( (S (NP (-NONE- *))\n (VP (VB sleep)) (. .)))\n");
  Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  EXPECT_EQ(sentence.format(), Format::kBrackets);
  EXPECT_EQ(table_of(sentence), (Table{{"sleep", "VB"}, {".", "."}}));
  EXPECT_EQ(sentence.first_line(), 1U);
  EXPECT_EQ(sentence.line_of(0), 2U);
  EXPECT_EQ(reader->column_names().to_string(), "form tag");
}

TEST(BracketsTest, TreesNeedNotBeginTheirLines) {
  EXPECT_EQ(trees_of("(A (b c))(D (e f)) (G\n (h i)) (J (k l))"),
            (std::vector<std::string>{"(A (b c))", "(D (e f))", "(G (h i))", "(J (k l))"}));
}

TEST(BracketsTest, TakesTreesWithoutWords) {
  EXPECT_EQ(trees_of("()\n(())\n(TOP)\n( )\n(TOP ())\n"),
            (std::vector<std::string>{"()", "( ())", "(TOP)", "()", "(TOP ())"}));
}

TEST(BracketsTest, ABlankMayStandAnywhereBetween) {
  EXPECT_EQ(trees_of("\xef\xbb\xbf\t( S\t( NP\v( NN  dog ) ) )\n"),
            (std::vector<std::string>{"(S (NP (NN dog)))"}));
}

TEST(BracketsTest, FaultsNameTheirPlace) {
  EXPECT_EQ(fault_line_of("(A (b c))\n(S (NP (x y)\n  (z w)", kBrackets),
            "E250 data:3: expected 2 times ')' before the end of the file; the tree begins in "
            "line 2");
  EXPECT_EQ(fault_line_of("(A (b c)))", kBrackets), "E251 data:1:10: ')' without its '('");
  EXPECT_EQ(fault_line_of("(A (b c))\nnull\n", kBrackets),
            "E251 data:2:1: \"null\" stands outside all trees");
  EXPECT_EQ(fault_line_of("(NP (DT the) dog)", kBrackets),
            "E252 data:1:14: the word \"dog\" needs brackets of its own, with its tag");
  EXPECT_EQ(fault_line_of("(NN big\n dog)", kBrackets),
            "E252 data:2:2: the word \"dog\" needs brackets of its own, with its tag");
  EXPECT_EQ(fault_line_of("(NN dog (DT the))", kBrackets),
            "E252 data:1:9: expected ')' after the word, found '('");
  EXPECT_EQ(trees_of("(NN a) (NN \xff) (NN c)\n(NN d)", skipping()),
            (std::vector<std::string>{"(NN d)"}));
  EXPECT_EQ(fault_line_of("(NN \xff)", kBrackets), "E202 data:1:5: the line is not UTF-8");
}

TEST(BracketsTest, ALostBracketCostsOneTree) {
  const auto reader = reader_over("(A (b c))\n(S (NP (x y)\n(D (e f))\n", skipping());
  Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  ASSERT_TRUE(reader->next(sentence));
  EXPECT_EQ(one_line(*reader->tree()), "(D (e f))");
  EXPECT_EQ(sentence.number(), 3U);
  EXPECT_FALSE(reader->next(sentence));
  ASSERT_EQ(reader->problems().size(), 1U);
  EXPECT_EQ(describe(reader->problems()[0]),
            concat("E250 data:3: expected 2 times ')' before the next tree; the tree begins in "
                   "line 2 |  | ",
                   skip_help()));
}

TEST(BracketsTest, AFileWithoutIndentsIsReadAsItIs) {
  EXPECT_EQ(trees_of("(A\n(b c))\n(D\n(e f)\n(g h))\n").size(), 2U);
  EXPECT_EQ(fault_of("(A (b c)\n(D (e f))\n", kBrackets),
            "E250 data:2: expected ')' before the end of the file; the tree begins in line 1 |  | "
            "a line within the tree that begins with '(' is line 2; was a ')' lost before it?");
}

TEST(BracketsTest, SkippedTreesAreListedWithAllTheirFaults) {
  const auto reader = reader_over("(A b c d)\nstray (x y)\n(E (f g))\n)\n(H (i j))\n", skipping());
  std::size_t good = 0;
  for (Sentence sentence; reader->next(sentence);) ++good;
  EXPECT_EQ(good, 2U);
  EXPECT_EQ(reader->counts().skipped, 3U);
  EXPECT_EQ(reader->counts().problems, 4U);
}

TEST(BracketsTest, FormatIsSeenByNameAndFirstLine) {
  const auto format = [](std::string_view text) {
    const auto reader = reader_over(text);
    return reader->description();
  };
  EXPECT_EQ(format("( (S (NN a)))\n"), "brackets");
  EXPECT_EQ(format("(TOP (S\n(NN a)))\n"), "brackets");
  EXPECT_EQ(format("(NP\n(NN a))\n"), "brackets");
  EXPECT_EQ(format("()\n"), "brackets");
  EXPECT_EQ(format("(12) eggs (large)\n"), "text, one sentence a line");
}

TEST(BracketsTest, WritesWhatFitsOnOneLine) {
  const Tree tree = parse_tree("(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .)))");
  EXPECT_EQ(pretty(tree), one_line(tree));
  EXPECT_EQ(pretty(tree, 40),
            "(TOP\n"
            "  (S\n"
            "    (NP (DT the) (NN dog))\n"
            "    (VP (VBZ barks))\n"
            "    (. .)))");
  EXPECT_EQ(pretty(tree, 0),
            "(TOP\n  (S\n    (NP\n      (DT the)\n      (NN dog))\n    (VP\n      (VBZ barks))\n"
            "    (. .)))");
  EXPECT_EQ(pretty(parse_tree("( (S (NP (DT the) (NN dog)) (VP (VBZ barks))))"), 30),
            "( (S\n    (NP (DT the) (NN dog))\n    (VP (VBZ barks))))");
}

TEST(BracketsTest, ALineIsAsLongAsAskedAndNoLonger) {
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    const Tree tree = testing::RandomTree(random, {.max_words = 30}).draw();
    const std::string text = pretty(tree, 60);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      EXPECT_LE(end - begin, 60U + tree.num_nodes()) << text;  // and what it closes
      begin = end + 1;
    }
    EXPECT_TRUE(parse_tree(text) == tree) << "tree " << i << '\n' << text;
  }
}

TEST(BracketsTest, ReadsBackWhatItWrites) {
  Random random(8);
  for (int i = 0; i < 500; ++i) {
    const Tree tree = testing::RandomTree(random, {.is_raw = true}).draw();
    EXPECT_TRUE(parse_tree(one_line(tree)) == tree) << "tree " << i << '\n' << one_line(tree);
    EXPECT_TRUE(parse_tree(pretty(tree, 20)) == tree) << "tree " << i;
  }
}

TEST(BracketsTest, RefusesWordsThatBracketsCannotHold) {
  for (const std::string_view word : {"(", "a b", "", "x)"}) {
    Tree tree;
    TreeBuilder builder(tree);
    builder.open("NN");
    builder.word(word);
    builder.close();
    expect_refused([&] { one_line(tree); }, "in a bracketed tree");
  }
}

TEST(BracketsTest, AMillionLevelsNeedNoStack) {
  constexpr std::size_t kLevels = 1'000'000;
  std::string text;
  for (std::size_t i = 0; i < kLevels; ++i) text += "(X ";
  text += "(NN a)";
  text.append(kLevels, ')');
  const Tree tree = parse_tree(text);
  EXPECT_EQ(tree.num_nodes(), kLevels + 1);
  EXPECT_EQ(one_line(tree), text);
  EXPECT_TRUE(parse_tree(pretty(tree)) == tree);
}

TEST(BracketsTest, JsonLinesCarryTrees) {
  const auto reader = reader_over(
      "{\"tokens\":[\"they\",\"sleep\"],\"tree\":\"(S (NP (PRP they)) (NP (-NONE- *)) (VP (VBP "
      "sleep)))\"}\n{\"tokens\":[\"a\"]}\n");
  Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  ASSERT_NE(reader->tree(), nullptr);
  EXPECT_EQ(one_line(*reader->tree()), "(S (NP (PRP they)) (NP (-NONE- *)) (VP (VBP sleep)))");
  ASSERT_TRUE(reader->next(sentence));
  EXPECT_EQ(reader->tree(), nullptr);
}

TEST(BracketsTest, JsonTreesMustFitTheirTokens) {
  const auto fault = [](const std::string& tree) {
    return fault_line_of("{\"tokens\":[\"a\",\"b\"],\"tree\":\"" + tree + "\"}",
                         {.format = Format::kJsonl});
  };
  EXPECT_EQ(fault("(S (x a) (y c))"), "E253 data:1: word 2 of the tree, \"c\", is not that token");
  EXPECT_EQ(fault("(S (x a))"), "E253 data:1: the tree has 1 words for 2 tokens");
  EXPECT_EQ(fault("(S (x a) (y b) (z c))"),
            "E253 data:1: word 3 of the tree, \"c\", is not that token");
  EXPECT_EQ(fault("(S (x a)"),
            "E253 data:1: the value of \"tree\" is no tree: expected ')' before the end of the "
            "file; the tree begins in line 1");
}

TEST(BracketsTest, RealTreebanksComeBackByteForByte) {
  const auto path = testing::shared_data("craft_treebank/craft-dev.mrg");
  if (!path) GTEST_SKIP() << "needs ../shared/data/craft_treebank";
  const std::string text = read_file(*path);
  BracketReader reader(*path);
  std::string again;
  for (Sentence sentence; reader.next(sentence);)
    again.append(one_line(*reader.tree())).append("\n");
  EXPECT_EQ(reader.counts().sentences, 2780U);
  EXPECT_EQ(reader.counts().tokens, 67652U);
  EXPECT_TRUE(again == text);
}

}  // namespace
}  // namespace coppice::text

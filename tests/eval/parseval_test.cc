#include "coppice/eval/parseval.h"

#include <gtest/gtest.h>

#include <sstream>

#include "coppice/base/random.h"
#include "coppice/text/brackets.h"
#include "coppice/text/tree_normal.h"
#include "support/random_tree.h"
#include "support/shared_data.h"

namespace coppice::eval {
namespace {

using text::parse_tree;
using text::Tree;

// EVALB as its manual has it, without any cleverness: every bracket of one tree against every
// bracket of the other, on the text of the trees. Quotes are not put back.
struct SlowTree {
  struct Bracket {
    std::string label;
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_matched = false;
  };
  std::vector<std::pair<std::string, std::string>> words;  // tag and word
  std::vector<Bracket> brackets;
};

bool is_deleted(const std::string& label) {
  for (const char* deleted : {"TOP", "-NONE-", ",", ":", "``", "''", "."})
    if (label == deleted) return true;
  return false;
}

std::string evalb_label(std::string label) {
  label = label.substr(0, label.find_first_of("-="));
  return label == "PRT" ? "ADVP" : label;
}

SlowTree slow_tree(const std::string& brackets) {
  SlowTree tree;
  std::vector<std::string> tokens;
  for (const char c : brackets) {
    const bool is_bracket = c == '(' || c == ')';
    if (is_bracket || c == ' ') tokens.emplace_back();
    if (is_bracket) tokens.back() = c;
    if (is_bracket && c == '(') tokens.emplace_back();
    if (!is_bracket && c != ' ') tokens.back() += c;
  }
  std::erase(tokens, "");
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] == ")") {
      tree.brackets[open.back()].end = tree.words.size();
      open.pop_back();
      continue;
    }
    const bool has_label = tokens[i + 1] != "(" && tokens[i + 1] != ")";
    const std::string label = has_label ? tokens[i + 1] : open.empty() ? "TOP" : "";
    if (has_label) ++i;
    if (has_label && tokens[i + 1] != "(" && tokens[i + 1] != ")") {  // a word
      if (!is_deleted(label)) tree.words.emplace_back(label, tokens[i + 1]);
      i += 2;
      continue;
    }
    open.push_back(tree.brackets.size());
    tree.brackets.push_back({label, tree.words.size()});
  }
  std::vector<SlowTree::Bracket> kept;
  for (SlowTree::Bracket& bracket : tree.brackets) {
    if (bracket.begin == bracket.end) continue;
    bracket.label = evalb_label(bracket.label);
    if (!is_deleted(bracket.label)) kept.push_back(bracket);
  }
  tree.brackets = kept;
  return tree;
}

TreeScore slow_evalb(const Tree& gold_tree, const Tree& predicted_tree) {
  SlowTree gold = slow_tree(text::one_line(gold_tree));
  SlowTree predicted = slow_tree(text::one_line(predicted_tree));
  TreeScore score;
  for (std::size_t node = 0; node < gold_tree.num_nodes(); ++node)
    if (gold_tree.is_leaf(node) && gold_tree.label(node) != "-NONE-") ++score.length;
  if (predicted.words.empty()) {
    score.status = TreeStatus::kSkipped;
    return score;
  }
  bool is_error = gold.words.size() != predicted.words.size();
  for (std::size_t i = 0; !is_error && i < gold.words.size(); ++i)
    is_error = gold.words[i].second != predicted.words[i].second;
  if (is_error) {
    score.status = TreeStatus::kError;
    return score;
  }
  score.brackets.gold = gold.brackets.size();
  score.brackets.predicted = predicted.brackets.size();
  for (auto& right : gold.brackets)
    for (auto& found : predicted.brackets)
      if (!right.is_matched && !found.is_matched && right.label == found.label &&
          right.begin == found.begin && right.end == found.end) {
        right.is_matched = found.is_matched = true;
        ++score.brackets.correct;
      }
  for (const auto& found : predicted.brackets) {
    bool crosses = false;
    for (const auto& right : gold.brackets)
      crosses = crosses ||
                (right.begin < found.begin && found.begin < right.end && right.end < found.end) ||
                (found.begin < right.begin && right.begin < found.end && found.end < right.end);
    score.crossing += crosses ? 1 : 0;
  }
  score.words = gold.words.size();
  for (std::size_t i = 0; i < gold.words.size(); ++i)
    score.correct_tags += gold.words[i].first == predicted.words[i].first ? 1 : 0;
  return score;
}

std::string shown(const TreeScore& score) {
  std::ostringstream out;
  constexpr const char* kStatus[] = {"scored", "error", "skipped", "unparsed"};
  out << kStatus[static_cast<std::size_t>(score.status)] << " gold " << score.brackets.gold
      << " predicted " << score.brackets.predicted << " correct " << score.brackets.correct
      << " crossing " << score.crossing << " tags " << score.correct_tags << '/' << score.words
      << " length " << score.length;
  return out.str();
}

std::string strict(const char* gold, const char* predicted) {
  return shown(score_strict(parse_tree(gold), parse_tree(predicted)));
}
std::string total(const char* gold, const char* predicted) {
  return shown(score_total(parse_tree(gold), parse_tree(predicted)));
}

TEST(ParsevalTest, PunctuationAtAnEdgeDoesNotMatter) {
  const char* gold = "(TOP (S (NP (NN a)) (, ,) (VP (VB b) (NP (NN c)) (. .))))";
  const char* predicted = "(TOP (S (NP (NN a) (, ,)) (VP (VB b) (NP (NN c))) (. .)))";
  const char* counts = "scored gold 4 predicted 4 correct 4 crossing 0 tags 3/3 length 5";
  EXPECT_EQ(strict(gold, predicted), counts);
  EXPECT_EQ(total(gold, predicted), counts);
}

// A tagger that takes ':' for HYPH makes strict scoring drop the sentence, and total scoring count
// its errors.
TEST(ParsevalTest, ATagOnAColonCanLoseASentence) {
  const char* gold = "(TOP (NP (NP (NN a)) (: :) (NP (NN b))))";
  const char* predicted = "(TOP (NP (NN a) (HYPH :) (NN b)))";
  EXPECT_EQ(strict(gold, predicted),
            "error gold 0 predicted 0 correct 0 crossing 0 tags 0/0 length 3");
  EXPECT_EQ(total(gold, predicted),
            "scored gold 3 predicted 1 correct 1 crossing 0 tags 2/2 length 3");
  EXPECT_EQ(total(predicted, gold),
            "scored gold 1 predicted 3 correct 1 crossing 0 tags 2/3 length 3");
}

TEST(ParsevalTest, APhraseOverItsLikeCountsTwice) {
  EXPECT_EQ(strict("(TOP (NP (NN a) (NN b)))", "(TOP (NP (NP (NN a) (NN b))))"),
            "scored gold 1 predicted 2 correct 1 crossing 0 tags 2/2 length 2");
  EXPECT_EQ(total("(TOP (S (NP (NN a))) (. .))", "(TOP (S (NP (NN a)) (. .)))"),
            "scored gold 2 predicted 2 correct 2 crossing 0 tags 1/1 length 2");
}

TEST(ParsevalTest, PrtIsAdvp) {
  const char* gold = "(TOP (VP (VB turn) (PRT (RP off)) (NP (NN a))))";
  const char* predicted = "(TOP (VP (VB turn) (ADVP (RB off)) (NP (NN a))))";
  const char* counts = "scored gold 3 predicted 3 correct 3 crossing 0 tags 2/3 length 3";
  EXPECT_EQ(strict(gold, predicted), counts);
  EXPECT_EQ(total(gold, predicted), counts);
}

TEST(ParsevalTest, OnlyATopIsNoBracketForEvalb) {
  const char* top = "(TOP (S (NN a)))";
  EXPECT_EQ(strict("(ROOT (S (NN a)))", "(ROOT (S (NN a)))"),
            "scored gold 2 predicted 2 correct 2 crossing 0 tags 1/1 length 1");
  EXPECT_EQ(strict(top, "(S1 (S (NN a)))"),
            "scored gold 1 predicted 2 correct 1 crossing 0 tags 1/1 length 1");
  EXPECT_EQ(strict(top, "( (S (NN a)))"),
            "scored gold 1 predicted 1 correct 1 crossing 0 tags 1/1 length 1");
  for (const char* root : {"(ROOT (S (NN a)))", "( (S (NN a)))", "(S (NN a))", "(TOP (S (NN a)))",
                           "(S1 (TOP (S (NN a))))"})
    EXPECT_EQ(total(top, root), "scored gold 1 predicted 1 correct 1 crossing 0 tags 1/1 length 1");
}

TEST(ParsevalTest, AnEmptyParseIsSkippedOrCounted) {
  const char* gold = "(TOP (S (NP (NN a)) (VP (VB b)) (. .)))";
  for (const char* empty : {"(())", "()", "(TOP)"}) {
    EXPECT_EQ(strict(gold, empty),
              "skipped gold 0 predicted 0 correct 0 crossing 0 tags 0/0 length 3");
    EXPECT_EQ(total(gold, empty),
              "unparsed gold 3 predicted 0 correct 0 crossing 0 tags 0/2 length 3");
  }
}

TEST(ParsevalTest, OtherWordsAreAnErrorOrNoParse) {
  const char* gold = "(TOP (S (NP (NN a)) (VP (VB b))))";
  const char* predicted = "(TOP (S (NP (NN a)) (VP (VB c))))";
  EXPECT_EQ(strict(gold, predicted),
            "error gold 0 predicted 0 correct 0 crossing 0 tags 0/0 length 2");
  EXPECT_EQ(total(gold, predicted),
            "unparsed gold 3 predicted 0 correct 0 crossing 0 tags 0/2 length 2");
}

TEST(ParsevalTest, AQuoteThatOneTreeDeletesComesBack) {
  const char* gold = "(TOP (S (NP (NNS boys) (POS ')) (VP (VB go))))";
  const char* predicted = "(TOP (S (NP (NNS boys)) ('' ') (VP (VB go))))";
  EXPECT_EQ(strict(gold, predicted),
            "scored gold 3 predicted 3 correct 2 crossing 0 tags 2/3 length 3");
  EXPECT_EQ(strict(predicted, gold),
            "scored gold 3 predicted 3 correct 2 crossing 0 tags 2/3 length 3");
  EXPECT_EQ(strict("(TOP (S (NP (NNS boys) (X '')) (VP (VB go))))",
                   "(TOP (S (NP (NNS boys)) ('' '') (VP (VB go))))"),
            "error gold 0 predicted 0 correct 0 crossing 0 tags 0/0 length 3");
}

TEST(ParsevalTest, FunctionTagsAndTracesDoNotMatter) {
  const char* gold = "(TOP (S (NP-SBJ-1 (NN a)) (VP (VB b) (NP (-NONE- *-1)))))";
  const char* predicted = "(TOP (S (NP (NN a)) (VP (VB b))))";
  const char* counts = "scored gold 3 predicted 3 correct 3 crossing 0 tags 2/2 length 2";
  EXPECT_EQ(strict(gold, predicted), counts);
  EXPECT_EQ(total(gold, predicted), counts);
}

TEST(ParsevalTest, CrossingIsCountedByPredictedBrackets) {
  const char* gold = "(TOP (S (A (x a) (x b)) (B (x c) (x d))))";
  const char* predicted = "(TOP (S (x a) (C (D (x b) (x c)) (x d))))";
  EXPECT_EQ(strict(gold, predicted),
            "scored gold 3 predicted 3 correct 1 crossing 2 tags 4/4 length 4");
}

TEST(ParsevalTest, HundredsOfBracketsHaveRoom) {
  std::string text = "(TOP";
  for (int i = 0; i < 400; ++i) text += " (NP (NN a))";
  text += ")";
  const Tree tree = parse_tree(text);
  EXPECT_EQ(score_strict(tree, tree).brackets, (Counts{400, 400, 400}));
  EXPECT_EQ(score_total(tree, tree).brackets, (Counts{400, 400, 400}));
}

TEST(ParsevalTest, AllWordsDeletedIsNoFault) {
  const char* gold = "(TOP (FRAG (: -)))";
  EXPECT_EQ(strict(gold, gold),
            "skipped gold 0 predicted 0 correct 0 crossing 0 tags 0/0 length 1");
  EXPECT_EQ(total(gold, gold), "scored gold 0 predicted 0 correct 0 crossing 0 tags 0/0 length 1");
  EXPECT_EQ(total("(TOP)", "(TOP)"),
            "scored gold 0 predicted 0 correct 0 crossing 0 tags 0/0 length 0");
}

// Another tree over the same words, and now and then over others.
Tree disturbed(const Tree& tree, Random& random) {
  Tree result;
  text::TreeBuilder builder(result);
  std::vector<std::size_t> open;
  for (std::size_t node = 0; node < tree.num_nodes(); ++node) {
    for (; !open.empty() && tree.next(open.back()) <= node; open.pop_back()) builder.close();
    if (tree.is_leaf(node)) {
      builder.open(random.below(40) == 0 ? "HYPH" : tree.label(node));
      builder.word(random.below(100) == 0 ? "other" : tree.word(tree.begin(node)));
      builder.close();
    } else if (node == 0 || random.below(6) > 0) {
      builder.open(random.below(6) == 0 ? "NP" : tree.label(node));
      open.push_back(node);
    }
  }
  for (; !open.empty(); open.pop_back()) builder.close();
  return result;
}

TEST(ParsevalTest, AgreesWithTheSlowWayOnRandomTrees) {
  Random random(31);
  TreeScorer scorer;
  TreeTotals slow;
  for (int i = 0; i < 2000; ++i) {
    const Tree gold = testing::RandomTree(random, {.is_raw = true}).draw();
    const Tree predicted =
        random.below(4) == 0 ? testing::RandomTree(random, {}).draw() : disturbed(gold, random);
    const TreeScore expected = slow_evalb(gold, predicted);
    EXPECT_EQ(shown(score_strict(gold, predicted)), shown(expected)) << "pair " << i << '\n'
                                                                     << text::one_line(gold) << '\n'
                                                                     << text::one_line(predicted);
    scorer.add(gold, predicted);
    slow.add(expected);
  }
  EXPECT_EQ(scorer.strict(), slow);
  EXPECT_GT(slow.errors, 100U);
  EXPECT_GT(slow.scored, 1000U);
}

// Where both trees delete the same words, total and strict scoring are one.
TEST(ParsevalTest, TotalAgreesWithTheSlowWayOnceTheTagsAgree) {
  Random random(32);
  for (int i = 0; i < 2000; ++i) {
    const Tree gold = text::normalised(testing::RandomTree(random, {.is_raw = true}).draw());
    Tree predicted = disturbed(gold, random);
    const TreeScore score = score_total(gold, predicted);
    const TreeScore expected = slow_evalb(gold, predicted);
    bool same_tags = predicted.num_words() == gold.num_words();
    for (std::size_t g = 0, p = 0; same_tags && g < gold.num_nodes(); ++g) {
      if (!gold.is_leaf(g)) continue;
      while (!predicted.is_leaf(p)) ++p;
      same_tags = gold.label(g) == predicted.label(p) &&
                  gold.word(gold.begin(g)) == predicted.word(predicted.begin(p));
      ++p;
    }
    if (!same_tags || expected.status != TreeStatus::kScored) continue;
    EXPECT_EQ(shown(score), shown(expected)) << "pair " << i;
  }
}

TEST(ParsevalTest, SumsAreThoseOfTheSentences) {
  Random random(33);
  TreeScorer scorer;
  Counts brackets;
  for (int i = 0; i < 300; ++i) {
    const Tree gold = testing::RandomTree(random, {.max_words = 50}).draw();
    scorer.add(gold, disturbed(gold, random));
    brackets += scorer.sentences().back().brackets;
  }
  EXPECT_EQ(scorer.total().brackets, brackets);
  Counts of_labels;
  for (const auto& [label, counts] : scorer.by_label()) of_labels += counts;
  EXPECT_EQ(of_labels, brackets);
  TreeTotals of_bands;
  for (const LengthBand& band : scorer.by_length()) {
    of_bands.sentences += band.totals.sentences;
    of_bands.brackets += band.totals.brackets;
  }
  EXPECT_EQ(of_bands.sentences, 300U);
  EXPECT_EQ(of_bands.brackets, brackets);
  EXPECT_EQ(scorer.up_to()[1].totals.sentences, 300U - scorer.by_length().back().totals.sentences);
  EXPECT_EQ(scorer.sentence_counts().totals(),
            (std::vector<double>{static_cast<double>(brackets.gold),
                                 static_cast<double>(brackets.predicted),
                                 static_cast<double>(brackets.correct)}));
}

TEST(ParsevalTest, ATreebankAgreesWithItself) {
  const auto path = testing::shared_data("craft_treebank/craft-dev.mrg");
  if (!path) GTEST_SKIP() << "needs ../shared/data/craft_treebank";
  text::BracketReader reader(*path);
  TreeScorer scorer;
  TreeTotals slow;
  for (text::Sentence sentence; reader.next(sentence);) {
    scorer.add(*reader.tree(), *reader.tree());
    slow.add(slow_evalb(*reader.tree(), *reader.tree()));
  }
  EXPECT_EQ(scorer.strict(), slow);
  EXPECT_EQ(scorer.total().brackets.f1(), 1.0);
  EXPECT_EQ(scorer.total().exact, 2780U);
  EXPECT_EQ(scorer.num_different(), 0U);
}

}  // namespace
}  // namespace coppice::eval

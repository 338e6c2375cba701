// Pieces of sentences, joined in any order, against the sentence word by word.
#include "coppice/lm/fragment.h"

#include <gtest/gtest.h>

#include "coppice/lm/perplexity.h"
#include "lm/small_text.h"

namespace coppice::lm {
namespace {

using namespace testing;

struct Piece {
  Fragment fragment;
  double score = 0;
};

double sentence_score(const Model& model, const Words& sentence) {
  SentenceScorer scorer(model);
  scorer.begin();
  for (const std::string& word : sentence) scorer.word(word);
  scorer.end();
  return scorer.total().log10_sum;
}

// Builds sentence[begin, end) from words and smaller pieces that are built likewise.
Piece random_piece(const Model& model, const Words& sentence, std::size_t begin, std::size_t end,
                   Random& random) {
  FragmentScorer scorer(model);
  Piece piece;
  for (const std::size_t first = begin; begin < end;) {
    const std::size_t next = begin + 1 + random.below(end - begin);
    if (next == begin + 1 || (begin == first && next == end)) {
      scorer.word(model.vocabulary().find(sentence[begin++]));
      continue;
    }
    const Piece inner = random_piece(model, sentence, begin, next, random);
    scorer.fragment(inner.fragment);
    piece.score += inner.score;
    begin = next;
  }
  piece.score += scorer.finish(piece.fragment);
  return piece;
}

Piece leaf(const Model& model, const std::string& word) {
  FragmentScorer scorer(model);
  scorer.word(model.vocabulary().find(word));
  Piece piece;
  piece.score = scorer.finish(piece.fragment);
  return piece;
}

// Joins neighbours at random until one piece is left.
Piece joined(const Model& model, const Words& words, Random& random) {
  std::vector<Piece> pieces;
  for (const std::string& word : words) pieces.push_back(leaf(model, word));
  while (pieces.size() > 1) {
    const std::size_t at = random.below(pieces.size() - 1);
    FragmentScorer scorer(model);
    scorer.fragment(pieces[at].fragment);
    scorer.fragment(pieces[at + 1].fragment);
    const double scores = pieces[at].score + pieces[at + 1].score;
    pieces[at].score = scores + scorer.finish(pieces[at].fragment);
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return pieces[0];
}

double as_sentence(const Model& model, const Piece& piece) {
  FragmentScorer scorer(model);
  scorer.begin_sentence();
  scorer.fragment(piece.fragment);
  scorer.word(kSentenceEnd);
  Fragment whole;
  return piece.score + scorer.finish(whole);
}

TEST(Fragment, PiecesJoinedInAnyOrderScoreAsTheSentence) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Text text = random_text(random);
    const auto order = static_cast<unsigned>(2 + random.below(4));
    const Ngrams ngrams = estimate_of(text, {.order = order, .prune = {0, seed % 3}}).ngrams;
    const Model model = model_of(ngrams, seed % 2 == 0 ? Storage::kHash : Storage::kTrie);
    const Words words = words_to_predict(text);
    for (int i = 0; i < 40; ++i) {
      Words sentence(1 + random.below(8));
      for (std::string& word : sentence) word = words[1 + random.below(words.size() - 1)];
      EXPECT_NEAR(as_sentence(model, joined(model, sentence, random)),
                  sentence_score(model, sentence), 1e-4);
      EXPECT_NEAR(as_sentence(model, random_piece(model, sentence, 0, sentence.size(), random)),
                  sentence_score(model, sentence), 1e-4);
    }
  }
}

TEST(Fragment, EqualPiecesHaveEqualScoresInEverySentence) {
  Random random(11);
  const Text text = random_text(random);
  const Model model = model_of(estimate_of(text, {.order = 3}).ngrams, Storage::kHash);
  const Words words = words_to_predict(text);
  std::vector<Piece> pieces;
  for (int i = 0; i < 200; ++i) {
    Words part(1 + random.below(6));
    for (std::string& word : part) word = words[1 + random.below(words.size() - 1)];
    pieces.push_back(joined(model, part, random));
  }
  std::size_t equal = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!(pieces[i].fragment == pieces[j].fragment)) continue;
      ++equal;
      EXPECT_EQ(hash_of(pieces[i].fragment), hash_of(pieces[j].fragment));
      for (const std::string& before : words) {
        if (before == "</s>") continue;
        double change[2] = {};
        for (int side = 0; side < 2; ++side) {
          FragmentScorer scorer(model);
          scorer.word(model.vocabulary().find(before));
          scorer.fragment(pieces[side == 0 ? i : j].fragment);
          scorer.word(kSentenceEnd);
          Fragment out;
          change[side] = scorer.finish(out);
        }
        EXPECT_NEAR(change[0], change[1], 1e-5);
      }
    }
  }
  EXPECT_GT(equal, 10U);
}

TEST(Fragment, NothingChangesNothing) {
  const Model model = model_of(estimate_of({{"a", "b"}}, {.order = 3}).ngrams, Storage::kHash);
  FragmentScorer scorer(model);
  Fragment nothing;
  EXPECT_EQ(scorer.finish(nothing), 0);
  scorer.word(model.vocabulary().find("a"));
  scorer.fragment(nothing);
  scorer.word(model.vocabulary().find("b"));
  Fragment with;
  const double sum = scorer.finish(with);
  scorer.word(model.vocabulary().find("a"));
  scorer.word(model.vocabulary().find("b"));
  Fragment without;
  EXPECT_EQ(scorer.finish(without), sum);
  EXPECT_EQ(with, without);
}

}  // namespace
}  // namespace coppice::lm

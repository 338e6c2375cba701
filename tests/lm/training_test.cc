// Language models against Kneser-Ney written straight from the definition.
#include "coppice/lm/training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coppice/lm/perplexity.h"
#include "lm/slow_kneser_ney.h"
#include "lm/small_text.h"
#include "support/expect_error.h"
#include "support/shared_data.h"
#include "text/plain_text.h"

namespace coppice::lm {
namespace {

using namespace testing;
using coppice::testing::error_of;

TEST(LmTraining, AgreesWithTheDefinitionAndEveryContextSumsToOne) {
  const std::vector<std::vector<std::uint64_t>> prunes = {{}, {0, 1}, {0, 0, 1}, {0, 1, 2}};
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Text text = random_text(random);
    const auto order = static_cast<unsigned>(1 + random.below(4));
    std::vector<std::uint64_t> prune = prunes[random.below(prunes.size())];
    if (prune.size() > order) prune.resize(order);
    const SlowKneserNey slow(text, order, prune);
    const Model model = model_of(estimate_of(text, {.order = order, .prune = prune}).ngrams,
                                 seed % 2 == 0 ? Storage::kHash : Storage::kTrie);
    const Words words = words_to_predict(text);
    for (const Words& context : contexts_of(words, std::min(order, 3U))) {
      double sum = 0;
      const State state = state_after(model, context);
      for (const std::string& word : words) {
        State next;
        const double p =
            std::pow(10.0, static_cast<double>(
                               model.score(state, model.vocabulary().find(word), next).log10_prob));
        EXPECT_NEAR(p, slow.p(context, word), 1e-6 * (p + 1e-3));
        sum += p;
      }
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
}

TEST(LmTraining, BlocksOnDiskAndThreadsGiveTheSameBytes) {
  Random random(7);
  Text text;
  for (int i = 0; i < 400; ++i)
    for (Words& sentence : random_text(random)) text.push_back(std::move(sentence));
  const TrainingOptions in_memory{.order = 4, .prune = {0, 0, 1}};
  TrainingOptions on_disk = in_memory;
  on_disk.workspace.memory = 1;
  for (const Storage storage : {Storage::kHash, Storage::kTrie}) {
    const std::string bytes = bytes_of(binary_model(estimate_of(text, in_memory).ngrams, storage));
    EXPECT_EQ(bytes, bytes_of(binary_model(estimate_of(text, on_disk).ngrams, storage, "",
                                           on_disk.workspace)));
    EXPECT_EQ(bytes, bytes_of(binary_model(estimate_of(text, on_disk, 3).ngrams, storage)));
  }
  EXPECT_EQ(arpa_of(estimate_of(text, in_memory).ngrams),
            arpa_of(estimate_of(text, on_disk).ngrams));
}

TEST(LmTraining, SaysWhenDiscountsAreFixed) {
  const Estimate small = estimate_of({{"a", "b"}}, {.order = 2});
  EXPECT_TRUE(small.lengths[0].discounts.is_fallback);
  EXPECT_EQ(small.lengths[1].discounts.amounts, kFallbackDiscounts);
  // t = 4, 3, 2, 1: Y = 4 / 10.
  const Discounts learnt = discounts_from({4, 3, 2, 1});
  EXPECT_FALSE(learnt.is_fallback);
  EXPECT_DOUBLE_EQ(learnt.amounts[0], 1 - 2 * 0.4 * 3 / 4);
  EXPECT_DOUBLE_EQ(learnt.amounts[1], 2 - 3 * 0.4 * 2 / 3);
  EXPECT_DOUBLE_EQ(learnt.amounts[2], 3 - 4 * 0.4 * 1 / 2);
  EXPECT_TRUE(discounts_from({4, 0, 2, 1}).is_fallback);
  EXPECT_TRUE(discounts_from({1, 1, 100, 1}).is_fallback) << "D2 below 0";
}

TEST(LmTraining, ReportsWhatItCountedAndKept) {
  const Estimate estimate =
      estimate_of({{"a", "b"}, {"a", "b"}, {"a", "c"}}, {.order = 2, .prune = {0, 1}});
  // a b c </s>, and <unk> and <s> in the model
  EXPECT_EQ(estimate.lengths[0].ngrams, 4U);
  EXPECT_EQ(estimate.lengths[0].kept, 6U);
  // <s> a, a b, b </s>; once only: a c, c </s>
  EXPECT_EQ(estimate.lengths[1].ngrams, 5U);
  EXPECT_EQ(estimate.lengths[1].kept, 3U);
}

TEST(LmTraining, OneWordAndHighOrders) {
  const Estimate estimate = estimate_of({{"a"}}, {.order = kMaxOrder});
  const Model model = model_of(estimate.ngrams, Storage::kTrie);
  EXPECT_EQ(model.order(), kMaxOrder);
  SentenceScorer scorer(model);
  scorer.begin();
  scorer.word("a");
  EXPECT_EQ(scorer.end().score.length, 3) << "<s> a </s>";
}

TEST(LmTraining, ReadsSentencesOfAnyReader) {
  text::PlainTextReader reader(LineReader::over("a b\n\nb\n", "x.txt"));
  Training training({.order = 2});
  training.read(reader);
  EXPECT_EQ(training.num_sentences(), 2U);
  EXPECT_EQ(training.num_words(), 3U);
  Training same({.order = 3});
  same.add(std::vector<std::string_view>{"a", "b"});
  same.add(std::vector<std::string_view>{"b"});
  EXPECT_EQ(training.digest(), same.digest());
  same.add(std::vector<std::string_view>{"b"});
  EXPECT_NE(training.digest(), same.digest());
}

TEST(LmTraining, RefusesSpecialWordsAndBadOptions) {
  text::PlainTextReader reader(LineReader::over("a b\n<s> a </s>\n", "x.txt"));
  Training training({.order = 2});
  EXPECT_EQ(error_of([&] { training.read(reader); }),
            "E290 x.txt:2: the text has the word <s>, which stands for something else");
  EXPECT_EQ(training.num_sentences(), 1U);
  EXPECT_THROW(Training({.order = 0}), InvalidArgument);
  EXPECT_THROW(Training({.order = kMaxOrder + 1}), InvalidArgument);
  EXPECT_THROW(Training({.order = 2, .prune = {1}}), InvalidArgument);
  EXPECT_THROW(Training({.order = 3, .prune = {0, 2, 1}}), InvalidArgument);
  EXPECT_THROW(Training({.order = 2, .prune = {0, 1, 1}}), InvalidArgument);
  EXPECT_THROW(Training({.order = 2}).estimate(Threads(1)), InvalidArgument);
}

// The perplexities that KenLM's lmplz and query give for these texts.
TEST(LmTraining, HasThePerplexityOfOthers) {
  const auto train = coppice::testing::shared_data("tatoeba_fr_en/train.tok.en");
  const auto test = coppice::testing::shared_data("tatoeba_fr_en/test.tok.en");
  if (!train || !test) GTEST_SKIP() << "the data set tatoeba_fr_en is not there";
  Training training({.order = 4});
  text::PlainTextReader reader(*train);
  training.read(reader);
  const Model model = model_of(training.estimate(Threads(1)).ngrams, Storage::kTrie);
  SentenceScorer scorer(model);
  text::PlainTextReader test_reader(*test);
  for (text::Sentence sentence; test_reader.next(sentence);) {
    scorer.begin();
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row)
      scorer.word(sentence.cell(row, 0));
    scorer.end();
  }
  EXPECT_NEAR(scorer.total().with_unknown(), 28.9995, 1e-3);
  EXPECT_NEAR(scorer.total().without_unknown(), 27.4462, 1e-3);
}

}  // namespace
}  // namespace coppice::lm

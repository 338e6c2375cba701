// Counts, exchange and tree agree with plain recounting on small random texts.
#include "coppice/text/exchange.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "support/seeds.h"
#include "text/class_tree.h"

namespace coppice::text {
namespace {

using Text = std::vector<std::vector<std::string>>;
using Classes = std::vector<ClassId>;  // by word, the reserved ones first

// Words w0, w1 ... of which the first are the most frequent; "w0 w0" and sentences of one word
// occur.
Text random_text(std::uint64_t seed, std::size_t sentences, std::size_t vocabulary) {
  Random random(seed);
  Text text(sentences);
  for (auto& sentence : text) {
    for (std::uint64_t n = 1 + random.below(6); n > 0; --n) {
      const auto word = static_cast<std::size_t>(static_cast<double>(vocabulary) *
                                                 std::pow(random.uniform(), 2.0));
      sentence.push_back(concat("w", word));
    }
  }
  return text;
}

BigramCounter counter_of(const Text& text) {
  BigramCounter counter;
  for (const auto& sentence : text) {
    const std::vector<std::string_view> words(sentence.begin(), sentence.end());
    counter.add(words);
  }
  return counter;
}

Classes classes_of(const ExchangeClustering& clustering, const WordBigrams& bigrams) {
  Classes classes;
  for (WordId word = 0; word < bigrams.size(); ++word) classes.push_back(clustering.class_of(word));
  return classes;
}

double f(double n) { return n == 0 ? 0 : n * std::log(n); }

// F of exchange.h, counted from the bigrams alone.
double recounted(const WordBigrams& bigrams, const Classes& classes) {
  std::map<std::pair<ClassId, ClassId>, double> pairs;
  std::map<ClassId, double> sizes;
  for (WordId word = 0; word < bigrams.size(); ++word) {
    sizes[classes[word]] += static_cast<double>(bigrams.count(word));
    for (const auto& next : bigrams.successors(word))
      pairs[{classes[word], classes[next.word]}] += next.count;
  }
  double sum = 0;
  for (const auto& [pair, count] : pairs) sum += f(count);
  for (const auto& [one, count] : sizes) sum -= 2 * f(count);
  return sum;
}

TEST(BigramCounter, CountsNeighboursAndTheEndsOfSentences) {
  const WordBigrams bigrams = counter_of({{"a", "b", "a"}, {"a", "a", "x"}, {}}).bigrams(2);
  ASSERT_EQ(bigrams.num_words(), 1u);
  const WordId a = kFirstWord;
  EXPECT_EQ(bigrams.word(a), "a");
  EXPECT_EQ(bigrams.count(a), 4u);
  EXPECT_EQ(bigrams.count(kBoundaryWord), 2u);
  EXPECT_EQ(bigrams.count(kRareWord), 2u);
  const auto after = bigrams.successors(a);
  ASSERT_EQ(after.size(), 3u);
  EXPECT_EQ(after[0].word, kBoundaryWord);
  EXPECT_EQ(after[0].count, 1u);
  EXPECT_EQ(after[1].word, kRareWord);
  EXPECT_EQ(after[1].count, 2u);
  EXPECT_EQ(after[2].word, a);
  EXPECT_EQ(after[2].count, 1u);
}

TEST(BigramCounter, GivesEachOccurrenceOneNeighbourOnEachSide) {
  for (std::uint64_t seed = 0; seed < testing::seeds(20); ++seed) {
    const WordBigrams bigrams = counter_of(random_text(seed, 30, 12)).bigrams(2);
    for (WordId word = 0; word < bigrams.size(); ++word) {
      std::uint64_t before = 0, after = 0;
      for (const auto& next : bigrams.predecessors(word)) before += next.count;
      for (const auto& next : bigrams.successors(word)) after += next.count;
      EXPECT_EQ(before, bigrams.count(word)) << "seed " << seed;
      EXPECT_EQ(after, bigrams.count(word)) << "seed " << seed;
    }
  }
}

TEST(BigramCounter, OrdersWordsByFrequencyWhateverTheOrderOfSentences) {
  const WordBigrams one = counter_of({{"b", "a"}, {"c", "c"}}).bigrams(1);
  const WordBigrams two = counter_of({{"c", "c"}, {"b", "a"}}).bigrams(1);
  for (const WordBigrams* bigrams : {&one, &two}) {
    ASSERT_EQ(bigrams->num_words(), 3u);
    EXPECT_EQ(bigrams->word(kFirstWord), "c");
    EXPECT_EQ(bigrams->word(kFirstWord + 1), "a");
    EXPECT_EQ(bigrams->word(kFirstWord + 2), "b");
  }
}

TEST(BigramCounter, TakesWordsThatNoFileCouldHoldAsRare) {
  const WordBigrams bigrams = counter_of({{"a\tb", "a\tb", "a"}}).bigrams(1);
  ASSERT_EQ(bigrams.num_words(), 1u);
  EXPECT_EQ(bigrams.word(kFirstWord), "a");
  EXPECT_EQ(bigrams.count(kRareWord), 2u);
}

TEST(Exchange, GainsWhatRecountingSays) {
  const Threads threads(1);
  for (std::uint64_t seed = 0; seed < testing::seeds(30); ++seed) {
    const WordBigrams bigrams = counter_of(random_text(seed, 40, 15)).bigrams(1 + seed % 3);
    const ExchangeClustering clustering(bigrams, 2 + seed % 4, threads);
    const Classes classes = classes_of(clustering, bigrams);
    const double now = recounted(bigrams, classes);
    EXPECT_NEAR(clustering.objective(), now, 1e-9 * std::abs(now)) << "seed " << seed;
    for (WordId word = kFirstWord; word < bigrams.size(); ++word) {
      for (ClassId to = kFirstClass; to < clustering.num_classes(); ++to) {
        Classes moved = classes;
        moved[word] = to;
        EXPECT_NEAR(clustering.gain(word, to), recounted(bigrams, moved) - now, 1e-8)
            << "seed " << seed << " word " << word << " to " << to;
      }
    }
  }
}

TEST(Exchange, NeverFallsAndEndsWhereNoMoveGains) {
  const Threads threads(1);
  for (std::uint64_t seed = 0; seed < testing::seeds(30); ++seed) {
    const WordBigrams bigrams = counter_of(random_text(seed, 60, 20)).bigrams(1);
    ExchangeClustering clustering(bigrams, 4, threads);
    double before = clustering.objective();
    while (clustering.sweep(threads) > 0) {
      EXPECT_GT(clustering.objective(), before) << "seed " << seed;
      before = clustering.objective();
    }
    EXPECT_EQ(clustering.objective(), before) << "seed " << seed;
    for (WordId word = kFirstWord; word < bigrams.size(); ++word)
      for (ClassId to = kFirstClass; to < clustering.num_classes(); ++to)
        EXPECT_LT(clustering.gain(word, to), 1e-5) << "seed " << seed;
  }
}

TEST(Exchange, IsTheSameForAnyNumberOfThreads) {
  const WordBigrams bigrams = counter_of(random_text(7, 800, 300)).bigrams(1);
  ExchangeClustering one(bigrams, 10, Threads(1)), three(bigrams, 10, Threads(3));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(one.sweep(Threads(1)), three.sweep(Threads(3)));
  EXPECT_EQ(classes_of(one, bigrams), classes_of(three, bigrams));
}

TEST(Exchange, FindsWordsThatStandInTheSamePlaces) {
  Text text;
  for (const char* noun : {"cat", "dog", "cow"})
    for (const char* verb : {"eats", "sees"}) text.insert(text.end(), 3, {"the", noun, verb});
  const WordBigrams bigrams = counter_of(text).bigrams(1);
  ExchangeClustering clustering(bigrams, 3, Threads(1));
  while (clustering.sweep(Threads(1)) > 0) {
  }
  std::map<std::string_view, ClassId> found;
  for (WordId word = kFirstWord; word < bigrams.size(); ++word)
    found[bigrams.word(word)] = clustering.class_of(word);
  EXPECT_EQ(found["cat"], found["dog"]);
  EXPECT_EQ(found["cat"], found["cow"]);
  EXPECT_EQ(found["eats"], found["sees"]);
  EXPECT_NE(found["the"], found["cat"]);
  EXPECT_NE(found["eats"], found["cat"]);
}

TEST(Exchange, MakesNoMoreClassesThanWords) {
  const WordBigrams bigrams = counter_of({{"a", "b"}, {"a"}}).bigrams(1);
  const ExchangeClustering clustering(bigrams, 50, Threads(1));
  EXPECT_EQ(clustering.num_classes(), kFirstClass + 2);
  EXPECT_THROW(ExchangeClustering(bigrams, 0, Threads(1)), InvalidArgument);
}

TEST(ClassTree, MergesThePairThatLosesLeast) {
  const Threads threads(1);
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    const WordBigrams bigrams = counter_of(random_text(seed, 60, 20)).bigrams(2);
    const ExchangeClustering clustering(bigrams, 6, threads);
    Classes classes = classes_of(clustering, bigrams);
    for (const ClassMerge& merge : merge_classes(clustering)) {
      const auto after = [&](ClassId first, ClassId second) {
        Classes merged = classes;
        for (ClassId& one : merged) one = one == second ? first : one;
        return recounted(bigrams, merged);
      };
      double best = -1e300;
      for (WordId a = kFirstWord; a < bigrams.size(); ++a)
        for (WordId b = kFirstWord; b < bigrams.size(); ++b)
          if (classes[a] != classes[b]) best = std::max(best, after(classes[a], classes[b]));
      EXPECT_NEAR(after(merge.first, merge.second), best, 1e-8) << "seed " << seed;
      for (ClassId& one : classes) one = one == merge.second ? merge.first : one;
    }
  }
}

TEST(ClassTree, GivesEachClassAPathThatIsNoPrefixOfAnother) {
  const WordBigrams bigrams = counter_of(random_text(3, 200, 60)).bigrams(1);
  const ExchangeClustering clustering(bigrams, 12, Threads(1));
  const std::vector<std::string> paths = class_paths(clustering);
  for (ClassId a = kFirstClass; a < paths.size(); ++a) {
    EXPECT_FALSE(paths[a].empty());
    for (ClassId b = kFirstClass; b < paths.size(); ++b)
      EXPECT_FALSE(a != b && paths[b].starts_with(paths[a])) << paths[a] << " " << paths[b];
  }
}

TEST(ClassTree, WritesALineForEachWord) {
  const WordBigrams bigrams = counter_of({{"a", "b"}, {"a"}}).bigrams(1);
  EXPECT_EQ(learn_classes(bigrams, {.classes = 2}, Threads(1)), "0\ta\t2\n1\tb\t1\n");
  EXPECT_EQ(learn_classes(bigrams, {.classes = 1}, Threads(1)), "\ta\t2\n\tb\t1\n");
}

TEST(ClassTree, StopsWhenAskedTo) {
  const WordBigrams bigrams = counter_of(random_text(3, 200, 60)).bigrams(1);
  const auto never_sweeps = learn_classes(bigrams, {.classes = 5, .max_sweeps = 0}, Threads(1));
  EXPECT_EQ(learn_classes(bigrams, {.classes = 5}, Threads(1), no_progress(), [] { return true; }),
            never_sweeps);
}

}  // namespace
}  // namespace coppice::text

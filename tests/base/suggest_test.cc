// The edit distance agrees with its recursive definition, and suggestions are near or absent.
#include "coppice/base/suggest.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "coppice/base/random.h"
#include "support/seeds.h"

namespace coppice {
namespace {

// The definition: the last letters are kept or substituted, one is dropped, or two are swapped.
std::size_t slow_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const auto shorter = [](std::string_view text, std::size_t n) {
    return text.substr(0, text.size() - n);
  };
  std::size_t best = slow_distance(shorter(a, 1), shorter(b, 1)) + (a.back() == b.back() ? 0 : 1);
  best = std::min(best, slow_distance(shorter(a, 1), b) + 1);
  best = std::min(best, slow_distance(a, shorter(b, 1)) + 1);
  const bool swapped =
      a.size() > 1 && b.size() > 1 && a.back() == b[b.size() - 2] && a[a.size() - 2] == b.back();
  if (swapped) best = std::min(best, slow_distance(shorter(a, 2), shorter(b, 2)) + 1);
  return best;
}

std::string random_word(Random& random) {
  std::string word(random.below(6), ' ');
  for (char& letter : word) letter = static_cast<char>('a' + random.below(3));
  return word;
}

TEST(EditDistance, AgreesWithItsDefinitionOnRandomWords) {
  for (std::uint64_t seed = 0; seed < testing::seeds(500); ++seed) {
    Random random(seed);
    const std::string a = random_word(random);
    const std::string b = random_word(random);
    EXPECT_EQ(edit_distance(a, b), slow_distance(a, b)) << "seed " << seed << ": " << a << ' ' << b;
  }
}

TEST(EditDistance, CountsASwapOfNeighboursOnce) {
  EXPECT_EQ(edit_distance("trian", "train"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
}

TEST(Closest, PrefersTheNearestAndThenTheFirst) {
  EXPECT_EQ(closest("trian", {"tune", "train"}), "train");
  EXPECT_EQ(closest("bat", {"cat", "hat"}), "cat");
}

TEST(Closest, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(closest("xyz", {"train", "predict"}), "");
  EXPECT_EQ(closest("train", {}), "");
  EXPECT_EQ(closest("", {"a", "train"}), "");
  EXPECT_EQ(closest("x", {"q"}), "") << "replacing all of a word is no resemblance";
}

TEST(Closest, TakesABeginningOfThreeLetters) {
  EXPECT_EQ(closest("post", {"progress", "posteriors"}), "posteriors");
  EXPECT_EQ(closest("po", {"posteriors"}), "");
}

TEST(DidYouMean, QuotesWordsAndDashesOptions) {
  EXPECT_EQ(did_you_mean("trian", {"train"}), "; did you mean \"train\"?");
  EXPECT_EQ(did_you_mean("bema", {"beam"}, Quoting::kDashes), "; did you mean --beam?");
  EXPECT_EQ(did_you_mean("xyz", {"train"}), "");
}

}  // namespace
}  // namespace coppice

// Label sequences have keys that know their length, and numbers.
#include "chain/ngrams.h"

#include <gtest/gtest.h>

namespace coppice::chain {
namespace {

TEST(LabelKey, HoldsTheLastLabels) {
  LabelKey key = 0;
  for (const std::uint16_t label : {std::uint16_t{7}, std::uint16_t{0}, std::uint16_t{65533}}) {
    key = extended(key, label, 3);
  }
  EXPECT_EQ(key_length(key), 3u);
  EXPECT_EQ(last_label(key), 65533);
  EXPECT_EQ(key, extended(extended(extended(0, 7, 4), 0, 4), 65533, 4));
  EXPECT_EQ(key_length(extended(key, 1, 2)), 2u);
  EXPECT_EQ(extended(key, 1, 2), extended(extended(0, 65533, 1), 1, 2));
  EXPECT_EQ(key_length(extended(extended(key, 1, 4), 2, 4)), 4u);
}

TEST(LabelNgrams, NumbersKeysInTheOrderOfTheirFirstUse) {
  LabelNgrams ngrams;
  EXPECT_EQ(ngrams.find(1), LabelNgrams::kNone);
  for (LabelKey key = 1; key <= 5000; ++key) EXPECT_EQ(ngrams.add(key << 20), key - 1);
  for (LabelKey key = 1; key <= 5000; ++key) {
    EXPECT_EQ(ngrams.add(key << 20), key - 1);
    EXPECT_EQ(ngrams.find(key << 20), key - 1);
    EXPECT_EQ(ngrams.find((key << 20) + 1), LabelNgrams::kNone);
  }
  EXPECT_EQ(ngrams.size(), 5000u);
  EXPECT_EQ(ngrams.keys()[41], LabelKey{42} << 20);
}

}  // namespace
}  // namespace coppice::chain

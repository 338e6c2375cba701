// The sparse potential against a map from (feature, output) to weights.
#include "coppice/score/sparse_linear.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/base/random.h"

namespace coppice {
namespace {

using PairOf = std::pair<std::uint64_t, std::uint32_t>;

PartFeatures random_features(std::uint64_t seed) {
  Random random(seed, 3);
  PartFeatures features;
  for (std::size_t row = 0; row < 4; ++row) {
    features.add_row();
    for (std::size_t k = random.below(5); k > 0; --k) {
      features.add(random.below(12), static_cast<float>(1 + random.below(3)));
    }
  }
  for (std::size_t part = random.below(30); part > 0; --part) {
    features.add_part(static_cast<std::uint32_t>(random.below(4)),
                      static_cast<std::uint32_t>(random.below(40)));
  }
  return features;
}

std::vector<unsigned char> random_flags(std::uint64_t seed, std::size_t size) {
  Random random(seed, 8);
  std::vector<unsigned char> flags(size);
  for (auto& flag : flags) flag = static_cast<unsigned char>(random.below(2));
  return flags;
}

// How often each pair was shown.
std::map<PairOf, std::size_t> shown_pairs() {
  std::map<PairOf, std::size_t> shown;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PartFeatures features = random_features(seed);
    const auto wanted = random_flags(seed, features.num_parts());
    for (std::size_t part = 0; part < features.num_parts(); ++part) {
      const auto [row, output] = features.cells()[part];
      if (wanted[part] == 0) continue;
      for (const std::uint64_t key : features.keys(row)) ++shown[{key, output}];
    }
  }
  return shown;
}

SparseLinear build(std::size_t min_count, unsigned bucket_bits) {
  SparseLinear::Builder builder;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PartFeatures features = random_features(seed);
    builder.observe(features, random_flags(seed, features.num_parts()));
  }
  return std::move(builder).build(min_count, bucket_bits);
}

TEST(SparseLinear, HasTheHitsThatAMapHas) {
  const auto shown = shown_pairs();
  for (const std::size_t min_count : {1u, 2u, 3u}) {
    const SparseLinear linear = build(min_count, 0);
    std::size_t expected = 0;
    for (const auto& [pair, count] : shown) expected += count >= min_count ? 1 : 0;
    EXPECT_EQ(linear.num_features(), expected);
    std::map<PairOf, std::uint32_t> numbers;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed);
      const PartFeatures features = random_features(seed);
      std::vector<SparseLinear::Hit> hits;
      linear.find(features, hits);
      std::multiset<std::tuple<std::uint32_t, PairOf, float>> wanted;
      for (std::uint32_t part = 0; part < features.num_parts(); ++part) {
        const auto [row, output] = features.cells()[part];
        for (std::size_t k = 0; k < features.keys(row).size(); ++k) {
          const PairOf pair{features.keys(row)[k], output};
          const auto found = shown.find(pair);
          if (found == shown.end() || found->second < min_count) continue;
          for (const auto& entry : linear.entries(pair.first)) {
            if (entry.output == output) numbers[pair] = entry.parameter;
          }
          wanted.insert({part, pair, features.values(row)[k]});
        }
      }
      ASSERT_EQ(hits.size(), wanted.size());
      for (const auto& [part, pair, value] : wanted) {
        const auto is_it = [&, p = part, v = value, n = numbers.at(pair)](const auto& hit) {
          return hit.part == p && hit.parameter == n && hit.value == v;
        };
        EXPECT_TRUE(std::any_of(hits.begin(), hits.end(), is_it));
      }
    }
    std::set<std::uint32_t> distinct;
    for (const auto& [pair, number] : numbers) distinct.insert(number);
    EXPECT_EQ(distinct.size(), numbers.size());
  }
}

TEST(SparseLinear, SharesBucketsAmongPairsThatItWasNotShown) {
  const SparseLinear linear = build(1, 4);
  EXPECT_EQ(linear.num_parameters(), linear.num_features() + 16);
  const PartFeatures features = random_features(77);
  std::vector<SparseLinear::Hit> hits;
  linear.find(features, hits);
  std::size_t pairs = 0;
  for (const PartCell& cell : features.cells()) pairs += features.keys(cell.row).size();
  EXPECT_EQ(hits.size(), pairs);  // every pair has some weight
  for (const auto& hit : hits) EXPECT_LT(hit.parameter, linear.num_parameters());
}

TEST(SparseLinear, AddsScores) {
  const std::vector<SparseLinear::Hit> hits{{0, 1, 2.0f}, {2, 0, 1.0f}, {0, 0, -1.0f}};
  std::vector<float> scores{1, 1, 1};
  add_scores(hits, std::vector<float>{3, 5}, scores);
  EXPECT_EQ(scores, (std::vector<float>{8, 1, 4}));
}

TEST(SparseLinear, OfNothingKnowsNothing) {
  const SparseLinear linear = SparseLinear::Builder().build();
  std::vector<SparseLinear::Hit> hits;
  linear.find(random_features(3), hits);
  EXPECT_TRUE(hits.empty());
  linear.find(PartFeatures(), hits);
  EXPECT_TRUE(hits.empty());
  SparseLinear().find(random_features(3), hits);
  EXPECT_TRUE(hits.empty());
}

TEST(SparseLinear, RefusesTooManyBucketsAndRowsThatAreNotThere) {
  EXPECT_THROW(SparseLinear::Builder().build(1, 31), InvalidArgument);
  PartFeatures features;
  EXPECT_THROW(features.add_part(0, 0), InvalidArgument);
}

}  // namespace
}  // namespace coppice

// Attributes become the features they should, and tokens the bins they are in.
#include "coppice/score/tree_inputs.h"

#include <gtest/gtest.h>

#include <utility>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "score/design_builder.h"
#include "support/seeds.h"

namespace coppice {

namespace {

// Attributes 0, 1, 2 of template 0, one a token; 3, 4 of template 1, which gives two at once; 5 of
// template 2 with values; 6 brought by the data.
DesignMatrix design() {
  DesignMatrix made;
  made.num_attributes = 7;
  const auto add = [&](std::vector<std::pair<std::uint32_t, float>> token) {
    for (const auto& [attribute, value] : token) {
      made.attributes.push_back(attribute);
      made.values.push_back(value);
    }
    made.begin.push_back(static_cast<std::uint32_t>(made.attributes.size()));
  };
  add({{0, 1}, {3, 1}, {4, 1}, {5, 0.5f}});
  add({{1, 1}, {3, 1}, {5, 2}, {6, 1}});
  add({{2, 1}, {5, 1}});
  return made;
}

const std::vector<std::uint64_t> kKeys{70, 60, 50, 40, 30, 20, 10};
const std::vector<std::uint32_t> kGroups{0, 0, 0, 1, 1, 2, kNoGroup};

TEST(TreeInputs, GroupsBecomeCategoriesValuesBecomeThresholds) {
  const TreeInputs inputs(design(), kKeys, kGroups, {});
  const trees::Schema& schema = inputs.schema();
  EXPECT_EQ(schema.num_columns(), 2u);
  EXPECT_EQ(schema.kind(0), trees::FeatureKind::kCategorical);
  EXPECT_EQ(schema.bins(0).size(), 3u);
  EXPECT_EQ(schema.kind(1), trees::FeatureKind::kOrdered);
  EXPECT_EQ(schema.cuts(1).size(), 2u);
  EXPECT_EQ(schema.num_features(), 5u);  // and 3, 4, 6 for themselves
}

TEST(TreeInputs, EncodesTokensAsTheyWereInTraining) {
  const TreeInputs inputs(design(), kKeys, kGroups, {});
  const trees::ExampleTable table = inputs.encode(design(), kKeys);
  std::vector<std::uint32_t> bins;
  inputs.encode(std::vector<std::uint64_t>{10, 40, 60, 20}, std::vector<float>{1, 1, 1, 2}, bins);
  const auto row = table.view().rows.row(1);
  EXPECT_EQ(bins, std::vector<std::uint32_t>(row.begin(), row.end()));
  EXPECT_EQ(row.size(), 4u);
}

TEST(TreeInputs, KeepsOneBinOfAColumnAndPassesOverUnknownKeys) {
  const TreeInputs inputs(design(), kKeys, kGroups, {});
  std::vector<std::uint32_t> bins;
  inputs.encode(std::vector<std::uint64_t>{70, 60, 999}, {}, bins);
  EXPECT_EQ(bins.size(), 1u);
}

TEST(TreeInputs, LargeGroupsAreTakenAttributeByAttribute) {
  const TreeInputs inputs(design(), kKeys, kGroups, {.max_categories = 2});
  EXPECT_EQ(inputs.schema().num_columns(), 1u);
  EXPECT_EQ(inputs.schema().num_features(), 7u);
}

// What a bag gives in training, where the design has sums, and in prediction, key by key.
TEST(TreeInputs, SumsAttributesThatATokenHasSeveralTimes) {
  for (std::uint64_t seed = 0; seed < testing::seeds(40); ++seed) {
    Random random(seed);
    DesignBuilder builder;
    std::vector<std::vector<std::uint64_t>> keys(40);
    std::vector<std::vector<float>> values(40);
    for (std::size_t t = 0; t < keys.size(); ++t) {
      for (std::size_t left = random.below(8); left > 0; --left) {
        keys[t].push_back(random.below(4));
        values[t].push_back(seed % 2 == 0 ? 1.0f : static_cast<float>(random.below(5)) - 1.5f);
        builder.add(keys[t].back(), static_cast<double>(values[t].back()), 0);
      }
      builder.end_token();
    }
    const DesignBuilder::Result bags = std::move(builder).build(1);
    const TreeInputs inputs(bags.design, bags.keys, bags.groups, {});
    ASSERT_EQ(inputs.schema().num_columns(), 4u) << seed;
    ASSERT_EQ(inputs.schema().kind(0), trees::FeatureKind::kOrdered) << seed;
    const trees::ExampleTable table = inputs.encode(bags.design, bags.keys);
    for (std::size_t t = 0; t < keys.size(); ++t) {
      std::vector<std::uint32_t> bins;
      inputs.encode(keys[t], values[t], bins);
      const auto row = table.view().rows.row(t);
      EXPECT_EQ(bins, std::vector<std::uint32_t>(row.begin(), row.end())) << seed;
    }
  }
}

TEST(TreeInputs, RefusesEntriesThatDoNotFit) {
  const TreeInputs good(design(), kKeys, kGroups, {});
  const auto refuses = [&](auto damage) {
    std::vector<TreeInputs::Entry> entries(good.entries().begin(), good.entries().end());
    damage(entries);
    EXPECT_THROW(TreeInputs(good.schema(), entries), InvalidArgument);
  };
  refuses([](auto& entries) { std::swap(entries[0], entries[1]); });
  refuses([](auto& entries) { entries[0].feature = 99; });
  refuses([](auto& entries) { entries[0].bin = 0; });
  refuses([](auto& entries) { entries[1].bin = trees::kNoBin - 1; });
}

}  // namespace

}  // namespace coppice

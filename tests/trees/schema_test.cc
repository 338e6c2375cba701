#include "coppice/trees/schema.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coppice/base/error.h"

namespace coppice::trees {

namespace {

TEST(Schema, NumbersBinsThroughAllFeatures) {
  Schema schema;
  EXPECT_EQ(schema.add_categorical(3), 0u);
  EXPECT_EQ(schema.add_ordered(std::vector<double>{1.5, 2.5}), 1u);
  EXPECT_EQ(schema.add_binary(4), 2u);
  EXPECT_EQ(schema.num_features(), 6u);
  EXPECT_EQ(schema.num_bins(), 10u);
  EXPECT_EQ(schema.bins(1).begin, 3u);
  EXPECT_EQ(schema.bins(5).begin, 9u);
  for (std::uint32_t feature = 0; feature < 6; ++feature) {
    for (std::uint32_t bin = schema.bins(feature).begin; bin < schema.bins(feature).end; ++bin) {
      EXPECT_EQ(schema.feature_of(bin), feature);
    }
  }
}

TEST(Schema, ACutBelongsToTheBinBelowIt) {
  Schema schema;
  schema.add_ordered(std::vector<double>{1.5, 2.5});
  EXPECT_EQ(schema.bin_of(0, -1e300), 0u);
  EXPECT_EQ(schema.bin_of(0, 1.5), 0u);
  EXPECT_EQ(schema.bin_of(0, 1.6), 1u);
  EXPECT_EQ(schema.bin_of(0, 2.5), 1u);
  EXPECT_EQ(schema.bin_of(0, 1e300), 2u);
}

TEST(Schema, RefusesColumnsAfterBinaryFeaturesAndCutsOutOfOrder) {
  Schema schema;
  EXPECT_THROW(schema.add_ordered(std::vector<double>{2, 2}), InvalidArgument);
  EXPECT_THROW(schema.add_categorical(0), InvalidArgument);
  schema.add_binary();
  EXPECT_THROW(schema.add_categorical(2), InvalidArgument);
  EXPECT_THROW(schema.add_binary(std::size_t{1} << 31), InvalidArgument);
}

TEST(QuantileCuts, LieBetweenAllValuesWhenThereAreFew) {
  EXPECT_EQ(quantile_cuts({3, 1, 1, 2}, 8), (std::vector<double>{1.5, 2.5}));
  EXPECT_TRUE(quantile_cuts({7, 7}, 8).empty());
  EXPECT_TRUE(quantile_cuts({}, 8).empty());
  const double next = std::nextafter(1.0, 2.0);
  EXPECT_EQ(quantile_cuts({1, next}, 8), (std::vector<double>{1}));
}

TEST(QuantileCuts, ShareManyValuesOut) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(i);
  const auto cuts = quantile_cuts(values, 4);
  EXPECT_EQ(cuts, (std::vector<double>{249.5, 499.5, 749.5}));
  for (int i = 0; i < 900; ++i) values.push_back(-1);  // one value takes several shares
  EXPECT_LE(quantile_cuts(values, 4).size(), 3u);
}

}  // namespace

}  // namespace coppice::trees

// The largest weights, and what differs between two models.
#include "coppice/tag/weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tag/feature_names.h"
#include "tag/small_tagger.h"
#include "tag/tagger_state.h"

namespace coppice::tag {
namespace {

Tagger trained(double l2) {
  TaggerTrainingOptions settings = testing::options();
  settings.trainer.l2 = l2;
  const std::string bytes = testing::bytes_of(testing::trained(settings));
  return Tagger(ModelFile::from_bytes(std::as_bytes(std::span(bytes))));
}

TEST(LargestWeights, ComeFirstForEachLabel) {
  const Tagger tagger = trained(0.1);
  double largest = 0;
  std::vector<LinearPotential::Entry> row;
  for (const NamedFeature& feature : named_features(tagger)) {
    tagger.state().potential().read(*feature.slot, row);
    for (const auto& entry : row) {
      if (entry.label == 1) largest = std::max<double>(largest, std::abs(entry.weight));
    }
  }
  const auto of_one = largest_weights(tagger, 5, 1);
  ASSERT_EQ(of_one.size(), 5u);
  EXPECT_EQ(std::abs(of_one[0].weight), largest);
  for (std::size_t i = 0; i < of_one.size(); ++i) {
    EXPECT_EQ(of_one[i].label, tagger.label(1));
    if (i > 0) {
      EXPECT_LE(std::abs(of_one[i].weight), std::abs(of_one[i - 1].weight));
    }
  }
  EXPECT_EQ(largest_weights(tagger, 5).size(), 5 * tagger.num_labels());
}

TEST(LargestWeights, NameTheLabelBeforeOfFeaturesOfPairs) {
  TaggerTrainingOptions settings = testing::options();
  settings.templates = text::parse_templates("w[0]\ntransition: w[0]\n");
  const Tagger tagger = testing::reloaded(testing::trained(settings));
  const auto all = largest_weights(tagger, 1000);
  const auto found = std::find_if(all.begin(), all.end(), [](const NamedWeight& one) {
    return one.feature == "transition: w[0]=can after B-T" && one.label == "I-T";
  });
  ASSERT_NE(found, all.end());
  EXPECT_GT(found->weight, 0);
  EXPECT_TRUE(difference(tagger, tagger, 10).features.empty());
  const auto other = difference(tagger, trained(0.1), 1000).features;
  EXPECT_TRUE(std::any_of(other.begin(), other.end(), [&](const WeightDifference& one) {
    return one.feature == found->feature && one.label == "I-T" && one.first == found->weight;
  }));
}

TEST(Difference, IsNoneBetweenAModelAndItself) {
  const Tagger tagger = trained(0.1);
  const ModelDifference found = difference(tagger, tagger, 10);
  EXPECT_TRUE(found.labels_of_first.empty());
  EXPECT_TRUE(found.features.empty());
  EXPECT_TRUE(found.pairs.empty());
  EXPECT_EQ(found.features_of_first + found.features_of_second, 0u);
  EXPECT_EQ(found.common_features, named_features(tagger).size());
}

TEST(Difference, ListsTheLargestFirst) {
  const ModelDifference found = difference(trained(0.1), trained(10), 10);
  ASSERT_EQ(found.features.size(), 10u);
  EXPECT_FALSE(found.pairs.empty());
  for (std::size_t i = 1; i < found.features.size(); ++i) {
    EXPECT_GE(std::abs(found.features[i - 1].first - found.features[i - 1].second),
              std::abs(found.features[i].first - found.features[i].second));
  }
}

TEST(Difference, KnowsWhatOnlyOneModelHas) {
  TaggerTraining other(testing::options());
  for (const text::Sentence& sentence : testing::sentences("tin Z\ncan O\n\n")) other.add(sentence);
  other.begin();
  while (other.iterate(Threads(1))) {
  }
  const std::string bytes = testing::bytes_of(other);
  const Tagger second(ModelFile::from_bytes(std::as_bytes(std::span(bytes))));
  const ModelDifference found = difference(trained(0.1), second, 1000);
  EXPECT_EQ(found.labels_of_second, (std::vector<std::string>{"Z"}));
  EXPECT_EQ(found.labels_of_first.size(), 3u);
  EXPECT_GT(found.features_of_first, 0u);
  EXPECT_EQ(found.common_features + found.features_of_second, named_features(second).size());
}

}  // namespace
}  // namespace coppice::tag

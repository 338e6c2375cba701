#include "coppice/tag/encode.h"

#include <gtest/gtest.h>

#include <set>

#include "coppice/base/error.h"
#include "coppice/text/reader.h"
#include "tag/dataset_builder.h"

namespace coppice::tag {
namespace {

constexpr const char* kText = "a X\nb X\na Y\na X\n\nb Y\n\n";

DatasetBuilder::Result built(const std::string& templates, EncoderOptions options = {}) {
  DatasetBuilder builder(text::Extractor(text::parse_templates(templates)), std::move(options));
  text::ReaderOptions reading;
  reading.format = text::Format::kColumns;
  const auto reader = text::open_sentences(LineReader::over(kText, "<test>"), reading);
  for (text::Sentence sentence; reader->next(sentence);) builder.add(sentence);
  return std::move(builder).build();
}

TEST(DatasetBuilder, NumbersAttributesInTheOrderOfTheirFirstOccurrence) {
  const auto encoded = built("w[0]\n");
  EXPECT_EQ(encoded.data.design.attributes, (std::vector<std::uint32_t>{0, 1, 0, 0, 1}));
  EXPECT_TRUE(encoded.data.design.values.empty());
  EXPECT_EQ(encoded.data.gold, (std::vector<std::uint16_t>{0, 0, 1, 0, 1}));
  EXPECT_EQ(encoded.files, (std::vector<std::string>{"<test>"}));
  EXPECT_EQ(encoded.origins[1].line, 6u);
}

// The bag of the words on both sides has "a" twice at the second token of "a b a a".
TEST(DatasetBuilder, AddsUpWhatATokenHasTwice) {
  const auto encoded = built("outside omit\nnear: w[-1]\nnear: w[1]\n");
  const DesignMatrix& design = encoded.data.design;
  ASSERT_EQ(design.begin[2] - design.begin[1], 1u);
  EXPECT_EQ(design.values[design.begin[1]], 2.0f);
  for (std::size_t t = 0; t < design.num_tokens(); ++t) {
    std::set<std::uint32_t> seen;
    for (std::size_t k = design.begin[t]; k < design.begin[t + 1]; ++k) {
      EXPECT_TRUE(seen.insert(design.attributes[k]).second) << t;
    }
  }
}

TEST(DatasetBuilder, HasNoMoreAttributesThanTheHashHasBits) {
  const auto whole = built("w[-2..2]\nw[-1]|w[0]\n");
  EncoderOptions options;
  options.hash_bits = 2;
  const auto folded = built("w[-2..2]\nw[-1]|w[0]\n", options);
  EXPECT_GT(whole.keys.size(), 4u);
  EXPECT_LE(folded.keys.size(), 4u);
  for (const std::uint64_t key : folded.keys) EXPECT_LT(key, 4u);
  // Nothing is lost: the values of a token add up to as many attributes.
  const auto sum_of = [](const DesignMatrix& design, std::size_t t) {
    float sum = 0;
    for (std::size_t k = design.begin[t]; k < design.begin[t + 1]; ++k) {
      sum += design.values.empty() ? 1.0f : design.values[k];
    }
    return sum;
  };
  for (std::size_t t = 0; t < whole.data.num_tokens(); ++t) {
    EXPECT_EQ(sum_of(folded.data.design, t), sum_of(whole.data.design, t)) << t;
  }
  options.hash_bits = 33;
  EXPECT_THROW(built("w[0]\n", options), InvalidArgument);
}

}  // namespace
}  // namespace coppice::tag

// Names survive the model file, and lead back to the weights.
#include "tag/feature_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/front_coding.h"
#include "coppice/base/error.h"
#include "tag/small_tagger.h"
#include "tag/tagger_state.h"

namespace coppice::tag {
namespace {

Tagger tagger_with_names(const std::string& bytes) {
  return Tagger(ModelFile::from_bytes(std::as_bytes(std::span(bytes))));
}

std::string error_of(const Tagger& tagger) {
  try {
    named_features(tagger);
  } catch (const ModelError& error) {
    return error.code() + ' ' + error.what();
  }
  return "";
}

// The sections of a model with other names.
std::string with_names(const std::string& bytes, const std::string& names) {
  const ModelFile file = ModelFile::from_bytes(std::as_bytes(std::span(bytes)));
  ModelWriter writer("tag");
  for (const SectionInfo& section : file.sections()) {
    if (section.name == "names") continue;
    writer.add_section(section.name, std::string(file.text(section.name)), {});
  }
  writer.add_section("names", names, {.codec = Codec::kZstd, .hashed = false});
  std::ostringstream out;
  writer.write(out);
  return std::move(out).str();
}

TEST(FeatureNames, NameEveryFeatureThatHasWeights) {
  const std::string bytes = testing::bytes_of(testing::trained(testing::options()));
  const Tagger tagger = tagger_with_names(bytes);
  const std::vector<NamedFeature> features = named_features(tagger);
  EXPECT_TRUE(std::is_sorted(features.begin(), features.end()));
  const auto slots = tagger.state().potential().slots();
  const auto used = std::count_if(slots.begin(), slots.end(),
                                  [](const FrozenLinear::Slot& slot) { return slot.size != 0; });
  EXPECT_EQ(static_cast<std::size_t>(used), features.size());
  const auto has = [&](std::string_view name) {
    return std::any_of(features.begin(), features.end(),
                       [&](const NamedFeature& feature) { return feature.name == name; });
  };
  EXPECT_TRUE(has("w[0]=can"));
  EXPECT_TRUE(has("w[-1]=_BOS1_"));
}

TEST(FeatureNames, IncludeThoseThatTheDataBrings) {
  text::ReaderOptions reading;
  reading.format = text::Format::kJsonl;
  const auto reader =
      text::open_sentences(LineReader::over("{\"tokens\":[\"a\",\"b\"],\"tags\":[\"X\",\"Y\"],"
                                            "\"attributes\":[{\"w[0]=a\":1},{\"tab\\t\":2}]}\n",
                                            "<test>"),
                           reading);
  TaggerTraining training(testing::options());
  for (text::Sentence sentence; reader->next(sentence);) training.add(sentence);
  training.begin();
  while (training.iterate(Threads(1))) {
  }
  const std::string bytes = testing::bytes_of(training);
  const Tagger tagger = tagger_with_names(bytes);
  std::vector<std::string> of_data;
  for (const NamedFeature& feature : named_features(tagger)) {
    if (feature.of_data) of_data.push_back(feature.name);
  }
  EXPECT_EQ(of_data, (std::vector<std::string>{"tab\t", "w[0]=a"}));
}

TEST(FeatureNames, AreLeftOutWhenAskedAndChangeNothingElse) {
  TaggerTrainingOptions settings = testing::options();
  const TaggerTraining with = testing::trained(settings);
  settings.names = false;
  const TaggerTraining without = testing::trained(settings);
  EXPECT_EQ(with.model("{}").payload_digest(), without.model("{}").payload_digest());
  EXPECT_EQ(error_of(tagger_with_names(testing::bytes_of(without))),
            "E407 the model does not have the names of its features");
}

TEST(FeatureNames, RefuseASectionThatDoesNotFit) {
  const std::string bytes = testing::bytes_of(testing::trained(testing::options()));
  FrontCoder unknown;
  unknown.add("tw[0]=nowhere");
  FrontCoder kind;
  kind.add("xw[0]=can");
  EXPECT_EQ(error_of(tagger_with_names(with_names(bytes, unknown.bytes()))),
            "E404 section names: a name that nothing has");
  EXPECT_EQ(error_of(tagger_with_names(with_names(bytes, kind.bytes()))),
            "E404 section names: a name that nothing has");
  EXPECT_EQ(error_of(tagger_with_names(with_names(bytes, "\x05"))),
            "E404 section names: not a list of names");
}

}  // namespace
}  // namespace coppice::tag

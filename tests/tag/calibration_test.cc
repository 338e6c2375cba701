// Temperatures: what they do to probabilities, and the one that fits.
#include "coppice/tag/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "coppice/base/error.h"
#include "tag/small_tagger.h"
#include "tag/tagger_writer.h"

namespace coppice::tag {
namespace {

Tagger opened(const std::string& bytes) {
  return Tagger(ModelFile::from_bytes(std::as_bytes(std::span(bytes))));
}

// Half of the times "can" is not what the model thinks: it is too sure.
constexpr const char* kOther =
    "the O\ncan B-T\n\nthe O\ncan O\n\nwe O\ncan O\nswim O\n\nwe B-P\ncan O\nswim O\n\n"
    "tin O\ncan O\n\ntin B-T\ncan I-T\n\n";

Calibration calibration_of(const Tagger& tagger, const std::string& data) {
  Calibration calibration(tagger, FeatureCells({0}), 1);
  for (const text::Sentence& sentence : testing::sentences(data)) calibration.add(sentence);
  return calibration;
}

TEST(Calibration, DividesAllScoresByTheTemperature) {
  const Tagger tagger = testing::trained(testing::options()).tagger();
  const Tagger warm = tagger.at_temperature(2);
  TaggingSession cold_session(tagger), warm_session(warm);
  FeatureCells columns({0});
  const text::Sentence sentence = testing::sentences("the X\ncan X\nswim X\n\n")[0];
  cold_session.read(sentence, columns);
  warm_session.read(sentence, columns);
  std::vector<std::uint16_t> best, other;
  cold_session.best_labels(best);
  warm_session.best_labels(other);
  EXPECT_EQ(best, other);
  const auto sequences = cold_session.k_best(2);
  EXPECT_NEAR(warm_session.log_probability(sequences[0].labels) -
                  warm_session.log_probability(sequences[1].labels),
              (sequences[0].log_probability - sequences[1].log_probability) / 2, 1e-4);
  EXPECT_THROW(tagger.at_temperature(0), InvalidArgument);
}

TEST(Calibration, FindsTheTemperatureWithTheLeastLoss) {
  const Tagger tagger = testing::trained(testing::options()).tagger();
  const Calibration calibration = calibration_of(tagger, kOther);
  const Threads one(1);
  const double best = calibration.fit(one);
  EXPECT_GT(best, 1);  // the model is too sure
  const double least = calibration.measure(best, one).loss;
  for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0}) {
    EXPECT_LE(least, calibration.measure(best * factor, one).loss + 1e-9) << factor;
  }
  EXPECT_LT(calibration.measure(best, one).ece, calibration.measure(1, one).ece);
}

TEST(Calibration, MeasuresTheMeanLossOfTokens) {
  const Tagger tagger = testing::trained(testing::options()).tagger();
  const Calibration calibration = calibration_of(tagger, "the O\ncan NEW\n\n");
  EXPECT_EQ(calibration.num_tokens(), 2u);
  EXPECT_EQ(calibration.num_unknown(), 1u);
  TaggingSession session(tagger);
  FeatureCells columns({0});
  session.read(testing::sentences("the O\ncan NEW\n\n")[0], columns);
  std::size_t outside = 0;
  while (tagger.label(outside) != "O") ++outside;
  const CalibrationMeasures found = calibration.measure(1, Threads(1));
  EXPECT_NEAR(found.loss, -std::log(session.posteriors(0)[outside]), 1e-6);
  std::uint64_t counted = 0;
  for (const eval::ReliabilityBin& bin : found.bins) counted += bin.count;
  EXPECT_EQ(counted, 2u);
}

TEST(Calibration, DoesNotDependOnThreads) {
  const Tagger tagger = testing::trained(testing::options()).tagger();
  std::string data;
  for (int i = 0; i < 50; ++i) data += kOther;
  const Calibration calibration = calibration_of(tagger, data);
  EXPECT_EQ(calibration.measure(1.5, Threads(1)).loss, calibration.measure(1.5, Threads(3)).loss);
}

TEST(Calibration, RefusesDataWithoutKnownLabels) {
  const Tagger tagger = testing::trained(testing::options()).tagger();
  EXPECT_THROW(calibration_of(tagger, "the NEW\n\n").fit(Threads(1)), InvalidArgument);
}

TEST(Calibration, IsKeptByTheModelFile) {
  const std::string bytes = testing::bytes_of(testing::trained(testing::options()));
  const Tagger tagger = opened(bytes);
  std::ostringstream out;
  const Tagger warm = tagger.at_temperature(1.5);
  rewrite_tagger(warm, "{\"v\":1}").write(out);
  const std::string rewritten = std::move(out).str();
  const Tagger again = opened(rewritten);
  EXPECT_EQ(again.config().temperature, 1.5);
  EXPECT_EQ(again.file().text("card"), "{\"v\":1}");
  EXPECT_NE(again.file().payload_digest(), tagger.file().payload_digest());
  EXPECT_EQ(again.file().text("names"), tagger.file().text("names"));
  std::ostringstream back;
  rewrite_tagger(again.at_temperature(1), "{}").write(back);
  EXPECT_EQ(back.str(), bytes);
}

}  // namespace
}  // namespace coppice::tag

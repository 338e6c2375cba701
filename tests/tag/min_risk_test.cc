// Minimum-risk answers against enumeration of all label sequences.
#include "coppice/tag/min_risk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "chain/enumerate_chain.h"
#include "coppice/base/error.h"
#include "coppice/tag/tagger_training.h"
#include "coppice/text/reader.h"
#include "coppice/text/spans.h"
#include "coppice/text/template_defaults.h"

namespace coppice::tag {
namespace {

using Labels = std::vector<std::uint16_t>;

std::unique_ptr<text::SentenceReader> open(const std::string& content, text::Format format) {
  text::ReaderOptions options;
  options.format = format;
  return text::open_sentences(LineReader::over(content, "<test>"), options);
}

// A tagger of three labels, from a few sentences that contradict each other.
Tagger small_tagger() {
  TaggerTrainingOptions options;
  options.templates = text::default_templates(std::vector<std::string>{"form"});
  options.trainer.l2 = 0.5;
  TaggerTraining training(options);
  const std::string content =
      "a\tB-X\nb\tI-X\nc\tO\na\tO\n\nb\tB-X\na\tO\nc\tB-X\nb\tI-X\n\n"
      "a\tB-X\na\tI-X\nb\tO\n\nc\tO\nb\tB-X\na\tB-X\n\n";
  const auto reader = open(content, text::Format::kColumns);
  for (text::Sentence sentence; reader->next(sentence);) training.add(sentence);
  training.begin();
  const Threads threads(1);
  while (training.iterate(threads)) {
  }
  return training.tagger();
}

double expected_loss(TaggingSession& session, const Tagger& tagger, const Labels& answer,
                     const learn::ErrorCosts& costs) {
  const auto spans_of = [&](const Labels& labels) {
    std::vector<std::string_view> names;
    for (const std::uint16_t label : labels) names.push_back(tagger.label(label));
    return text::spans_of(names, tagger.config().scheme, text::Reading::kLenient);
  };
  const auto found = spans_of(answer);
  double loss = 0;
  chain::testing::each_sequence(session.length(), tagger.num_labels(), [&](const Labels& labels) {
    const auto gold = spans_of(labels);
    double right = 0;
    for (const auto& span : found) {
      right += static_cast<double>(std::count(gold.begin(), gold.end(), span));
    }
    loss += std::exp(session.log_probability(labels)) *
            (costs.false_positive * (static_cast<double>(found.size()) - right) +
             costs.false_negative * (static_cast<double>(gold.size()) - right));
  });
  return loss;
}

TEST(MinRiskDecoder, FindsTheSpansOfTheLeastExpectedCost) {
  const Tagger tagger = small_tagger();
  TaggingSession session(tagger);
  FeatureCells cells({0});
  const auto reader = open("a b c a\nb b a\nc a b a\n", text::Format::kText);
  for (text::Sentence sentence; reader->next(sentence);) {
    session.read(sentence, cells);
    for (const char* text : {"fn=1,fp=1", "fn=4,fp=1", "fn=1,fp=4"}) {
      SCOPED_TRACE(text);
      learn::TrainingObjective options{.loss = learn::LossName::kDecF1,
                                       .costs = learn::parse_costs(text)};
      const MinRiskDecoder decoder(tagger, options);
      Labels answer;
      decoder.decode(session, answer);
      const learn::ErrorCosts costs = options.costs[0].costs;
      const double found = expected_loss(session, tagger, answer, costs);
      chain::testing::each_sequence(
          session.length(), tagger.num_labels(), [&](const Labels& other) {
            ASSERT_LE(found, expected_loss(session, tagger, other, costs) + 1e-3);
          });
    }
  }
}

TEST(MinRiskDecoder, FindsTheLabelsOfTheLeastExpectedCost) {
  const Tagger tagger = small_tagger();
  TaggingSession session(tagger);
  FeatureCells cells({0});
  const auto reader = open("a b c a\n", text::Format::kText);
  text::Sentence sentence;
  ASSERT_TRUE(reader->next(sentence));
  session.read(sentence, cells);
  Labels answer;
  MinRiskDecoder(tagger, {}).decode(session, answer);
  const auto expected_right = [&](const Labels& labels) {
    double sum = 0;
    for (std::size_t t = 0; t < labels.size(); ++t) sum += session.posteriors(t)[labels[t]];
    return sum;
  };
  ASSERT_GT(session.log_probability(answer), -1e9);  // the constraints allow it
  chain::testing::each_sequence(session.length(), tagger.num_labels(), [&](const Labels& other) {
    if (!std::isfinite(session.log_probability(other))) return;
    ASSERT_GE(expected_right(answer), expected_right(other) - 1e-5);
  });
  EXPECT_THROW(MinRiskDecoder(tagger, {.loss = learn::LossName::kF}), InvalidArgument);
}

}  // namespace
}  // namespace coppice::tag

// Going on from an older model: TaggerTraining::start_from.
#include <gtest/gtest.h>

#include <cmath>

#include "coppice/base/error.h"
#include "coppice/tag/tagger_training.h"
#include "coppice/text/reader.h"
#include "coppice/text/template_defaults.h"
#include "tag/tagger_state.h"

namespace coppice::tag {
namespace {

constexpr const char* kOld =
    "we B-P\ncan O\nfish O\n\nthe O\ncan B-T\nrusts O\n\nwe B-P\nopen O\nthe O\ntin B-T\n"
    "can I-T\n\ntin B-T\ncan I-T\n\nfish B-P\nswim O\n\nthe O\nfish B-P\ncan O\nswim O\n\n";
constexpr const char* kNew = "they B-Q\nswim O\n\nthe O\nfish B-Q\n\n";

std::vector<text::Sentence> read_sentences(const std::string& content) {
  text::ReaderOptions options;
  options.format = text::Format::kColumns;
  const auto reader = text::open_sentences(LineReader::over(content, "<test>"), options);
  std::vector<text::Sentence> all;
  for (text::Sentence sentence; reader->next(sentence);) all.push_back(sentence);
  return all;
}

struct Outcome {
  TaggerTraining training;
  double first = 0;  // objective after the first iteration
  double last = 0;
};

Outcome run(const std::string& content, const Tagger* older, unsigned passes,
            std::size_t iterations, FeatureSet features = FeatureSet::kObserved) {
  TaggerTrainingOptions options;
  options.templates = text::default_templates(std::vector<std::string>{"w"});
  options.chain.features = features;
  options.trainer.l2 = 0.1;
  options.trainer.stochastic_passes = passes;
  options.trainer.batch = iterations > 0;
  options.trainer.stopping.max_iterations = iterations;
  Outcome result{TaggerTraining(options)};
  if (older != nullptr) result.training.start_from(*older);
  for (const text::Sentence& sentence : read_sentences(content)) result.training.add(sentence);
  result.training.begin();
  while (result.training.iterate(Threads(1))) {
    result.last = result.training.loop().progress().objective;
    if (result.first == 0) result.first = result.last;
  }
  return result;
}

TEST(StartFrom, TheOptimumStaysThere) {
  for (const FeatureSet features : {FeatureSet::kObserved, FeatureSet::kAllPairs}) {
    const Outcome old = run(kOld, nullptr, 4, 500, features);
    const Tagger tagger = old.training.tagger();
    const Outcome again = run(kOld, &tagger, 0, 1, features);
    EXPECT_NEAR(again.first, old.last, 1e-5 * old.last);
    EXPECT_LT(again.first, run(kOld, nullptr, 0, 1, features).first / 2) << "from 0";
    EXPECT_EQ(again.training.config().labels, tagger.config().labels);
    EXPECT_EQ(again.training.num_features(), old.training.num_features());
  }
}

// One iteration on data that says nothing about most of it.
TEST(StartFrom, UnitesLabelsAndFeatures) {
  const Tagger older = run(kOld, nullptr, 4, 500).training.tagger();
  const Outcome next = run(kNew, &older, 0, 1);
  const Tagger newer = next.training.tagger();
  ASSERT_EQ(newer.num_labels(), older.num_labels() + 1);
  for (std::size_t y = 0; y < older.num_labels(); ++y) EXPECT_EQ(newer.label(y), older.label(y));
  EXPECT_EQ(newer.label(older.num_labels()), "B-Q");
  // What occurs in the old data only has the weights that it had.
  std::size_t kept = 0;
  for (const auto& slot : older.state().potential().slots()) {
    if (slot.size == 0) continue;
    const auto* found = newer.state().potential().find(slot.key);
    ASSERT_NE(found, nullptr);
    std::vector<LinearPotential::Entry> old_row, new_row;
    older.state().potential().read(slot, old_row);
    newer.state().potential().read(*found, new_row);
    const auto same = [](const auto& a, const auto& b) {
      return a.label == b.label && a.weight == b.weight;
    };
    kept += std::equal(old_row.begin(), old_row.end(), new_row.begin(), new_row.end(), same);
  }
  EXPECT_GT(kept, 20u);
}

// Where nothing is trained at all, the model answers as the older one does.
TEST(StartFrom, GivesEveryScoreItHadBefore) {
  const Tagger older = run(kOld, nullptr, 4, 500).training.tagger();
  const Tagger same = run(kNew, &older, 0, 0).training.tagger();
  TaggingSession before(older), after(same);
  FeatureCells columns({0});
  for (const text::Sentence& sentence : read_sentences(kOld)) {
    before.read(sentence, columns);
    after.read(sentence, columns);
    for (std::size_t t = 0; t < sentence.num_tokens(); ++t) {
      for (std::size_t y = 0; y < older.num_labels(); ++y) {
        if (!std::isfinite(before.scores(t)[y])) continue;
        EXPECT_NEAR(before.scores(t)[y], after.scores(t)[y], 1e-5);
      }
    }
  }
  for (std::size_t u = 0; u < older.num_labels(); ++u) {
    for (std::size_t y = 0; y < older.num_labels(); ++y) {
      EXPECT_EQ(older.state().transitions().score(u, y), same.state().transitions().score(u, y));
    }
  }
}

TEST(StartFrom, RefusesAModelOfAnotherOrder) {
  const Tagger older = run(kOld, nullptr, 1, 1).training.tagger();
  TaggerTrainingOptions options;
  options.templates = text::default_templates(std::vector<std::string>{"w"});
  options.chain.order = 0;
  TaggerTraining training(options);
  EXPECT_THROW(training.start_from(older), InvalidArgument);
}

}  // namespace
}  // namespace coppice::tag

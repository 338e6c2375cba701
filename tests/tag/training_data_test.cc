// Sentences that are given train the model that a file with the same sentences does.
#include "coppice/tag/training_data.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "coppice/base/usage_error.h"
#include "coppice/tag/training_run.h"
#include "coppice/text/sentence_builder.h"
#include "support/temporary_directory.h"

namespace coppice::tag {
namespace {

using TrainingTokens = std::vector<std::array<std::string, 3>>;  // form, tag, label

std::vector<TrainingTokens> food_corpus() {
  std::vector<TrainingTokens> all;
  const std::vector<std::string> words{"two", "onions", "a", "cup", "of", "sugar", "salt"};
  for (std::size_t i = 0; i < 40; ++i) {
    TrainingTokens& tokens = all.emplace_back();
    for (std::size_t t = 0; t < 2 + i % 4; ++t) {
      const std::string& word = words[(3 * i + t * t) % words.size()];
      const bool is_food = word.size() > 3;
      tokens.push_back({word, is_food ? "N" : "D", is_food ? "B-FOOD" : "O"});
    }
  }
  return all;
}

std::string food_columns(const std::vector<TrainingTokens>& sentences) {
  std::string text;
  for (const TrainingTokens& tokens : sentences) {
    for (const auto& [form, tag, label] : tokens) text += form + '\t' + tag + '\t' + label + '\n';
    text += '\n';
  }
  return text;
}

std::vector<text::Sentence> built_sentences(const std::vector<TrainingTokens>& sentences) {
  std::vector<text::Sentence> all(sentences.size());
  text::SentenceBuilder builder;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].start({.file = "given", .number = i + 1});
    builder.start(all[i]);
    for (const auto& [form, tag, label] : sentences[i]) {
      builder.add_cell(form);
      builder.add_cell(tag);
      builder.end_token();
      builder.add_tag(label);
    }
    builder.finish({.line = i + 1, .num_columns = 2, .has_tags = true});
  }
  return all;
}

std::string trained_digest(TrainingRequest& request, std::optional<GivenSentences> given) {
  const Threads threads(2);
  ReadingListener nobody;
  TaggerRun run(request, read_training_data(request, threads, nobody, std::move(given)));
  while (run.iterate(threads)) {
  }
  return run.model(learn::training_card(run)).payload_digest();
}

class GivenSentencesTest : public ::testing::Test {
 protected:
  GivenSentencesTest() {
    from_file_.train = {path_};
    from_list_.train = {"given"};
    for (TrainingRequest* request : {&from_file_, &from_list_}) request->max_iterations = 3;
  }
  GivenSentences given() const {
    return {.columns = text::ColumnNames::defaults(3), .train = built_sentences(food_corpus())};
  }

  testing::TemporaryDirectory directory_;
  std::string path_ = directory_.write("train.conll", food_columns(food_corpus()));
  TrainingRequest from_file_, from_list_;
};

TEST_F(GivenSentencesTest, TrainTheModelOfAFile) {
  EXPECT_EQ(trained_digest(from_list_, given()), trained_digest(from_file_, {}));
}

TEST_F(GivenSentencesTest, AreHeldOutAsThoseOfAFile) {
  from_file_.dev_fraction = from_list_.dev_fraction = 0.3;
  EXPECT_EQ(trained_digest(from_list_, given()), trained_digest(from_file_, {}));
}

TEST_F(GivenSentencesTest, DevelopTheModelOfAFile) {
  from_file_.development = path_;
  from_list_.development = "dev";
  GivenSentences both = given();
  both.development = built_sentences(food_corpus());
  EXPECT_EQ(trained_digest(from_list_, std::move(both)), trained_digest(from_file_, {}));
}

TEST_F(GivenSentencesTest, GiveTheirWordsToClassesOfRawText) {
  from_file_.raw = from_list_.raw = {path_};
  EXPECT_EQ(trained_digest(from_list_, given()), trained_digest(from_file_, {}));
}

TEST_F(GivenSentencesTest, ThatHoldOutNothingAreRefused) {
  from_list_.dev_fraction = 0.0001;
  EXPECT_THROW(trained_digest(from_list_, given()), UsageError);
}

}  // namespace
}  // namespace coppice::tag

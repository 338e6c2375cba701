// Model files of aligners: what is written aligns as the training did, and damage is refused.
#include "coppice/align/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "align/random_bitext.h"
#include "support/expect_error.h"

namespace coppice::align {

namespace {

using testing::error_of;
using testing::random_bitext;

SentencePair pair_of(const Bitext& bitext, std::size_t k) {
  SentencePair pair;
  for (const std::uint32_t word : bitext.source[k])
    pair.source.push_back(bitext.source.words[SymbolId{word}]);
  for (const std::uint32_t word : bitext.target[k])
    pair.target.push_back(bitext.target.words[SymbolId{word}]);
  return pair;
}

ModelFile file_of(const ModelWriter& writer) {
  std::ostringstream out;
  writer.write(out);
  const std::string bytes = out.str();
  return ModelFile::from_bytes(std::as_bytes(std::span(bytes)), "m.cop");
}

struct Trained {
  Bitext bitext;
  std::unique_ptr<AlignmentTraining> training;
  std::vector<Links> links;
};

std::unique_ptr<Trained> train(Method method) {
  Random random(8);
  auto trained = std::make_unique<Trained>();
  trained->bitext = random_bitext(random, {.pairs = 80, .longest = 7, .words = 15});
  trained->training = make_training(trained->bitext, {.method = method});
  const Threads threads(1);
  while (trained->training->num_done() < trained->training->num_steps())
    trained->training->step(threads);
  trained->training->align(threads, {},
                           [&](const AlignedPair& pair) { trained->links.push_back(pair.links); });
  return trained;
}

TEST(AlignmentModel, AlignsTheTrainingDataAsTrainingDid) {
  for (const Method method : {Method::kIbm1, Method::kHmm, Method::kDiagonal, Method::kGibbs}) {
    const auto trained = train(method);
    const AlignmentModel model(file_of(write_model(*trained->training, trained->bitext, "{}")));
    EXPECT_EQ(model.method(), method);
    // Samples differ where links are about as probable; those that are sure come back.
    const double sure = method == Method::kGibbs ? 0.9 : 0;
    double same = 0, all = 0;
    for (std::size_t k = 0; k < trained->bitext.size(); ++k) {
      const AlignedPair pair = choose_links(model.align(pair_of(trained->bitext, k), 1, k), {});
      for (const text::AlignmentLink& link : trained->links[k]) {
        if (link.probability < sure) continue;
        const auto is_link = [&](const auto& other) { return link.same_words(other); };
        same += std::ranges::any_of(pair.links, is_link) ? 1 : 0;
        ++all;
      }
    }
    EXPECT_GT(all, 80) << to_string(method);
    EXPECT_GE(same / all, method == Method::kGibbs ? 0.95 : 1.0) << to_string(method);
  }
}

TEST(AlignmentModel, AlignsUnknownWords) {
  for (const Method method : {Method::kIbm1, Method::kHmm, Method::kDiagonal, Method::kGibbs}) {
    const auto trained = train(method);
    const AlignmentModel model(file_of(write_model(*trained->training, trained->bitext, "{}")));
    std::vector<std::string_view> source(30, "s1"), target(30, "t1");
    source[7] = "new";
    target[7] = "neuf";
    const PairPosteriors posteriors = model.align({source, target}, 1, 1);
    for (std::size_t j = 0; j < 30; ++j) {
      double sum = 0;
      for (const double p : posteriors.forward.row(j)) sum += p;
      EXPECT_NEAR(sum, 1, 1e-9) << to_string(method);
    }
    EXPECT_EQ(choose_links(model.align({}, 1, 1), {}).links.size(), 0u);
  }
}

// A model whose sections are right but for one.
std::string error_with(Method method, const std::string& section, const std::string& content) {
  const auto trained = train(method);
  const ModelFile good = file_of(write_model(*trained->training, trained->bitext, "{}"));
  ModelWriter writer("align");
  for (const SectionInfo& info : good.sections())
    writer.add_section(info.name,
                       info.name == section ? content : std::string(good.text(info.name)));
  const ModelFile file = file_of(writer);
  return error_of([&] { AlignmentModel model(file); });
}

TEST(AlignmentModel, RefusesDamage) {
  EXPECT_EQ(error_with(Method::kGibbs, "source.words", "a\nb"),
            "E404 m.cop: section source.words: no last line end");
  EXPECT_EQ(error_with(Method::kGibbs, "target.words", "a\na\n"),
            "E404 m.cop: section target.words: a word comes twice");
  EXPECT_EQ(error_with(Method::kGibbs, "source.words", "a\n"),
            "E404 m.cop: section forward.links: a word that is not there");
  EXPECT_EQ(error_with(Method::kGibbs, "config", R"({"method":"none"})"),
            "E404 m.cop: no method of alignment is called \"none\"");
  EXPECT_TRUE(
      error_with(Method::kGibbs, "config", "{").starts_with("E404 m.cop: section config: "));
  EXPECT_EQ(error_with(Method::kGibbs, "forward.jumps", std::string(8, '\0')),
            "E404 m.cop: section forward.jumps: an even number of counts");
  EXPECT_EQ(error_with(Method::kGibbs, "backward.fertilities", ""),
            "E404 m.cop: section backward.fertilities: not one for each word");
  EXPECT_EQ(error_with(Method::kDiagonal, "forward.positions", std::string(16, '\0')),
            "E404 m.cop: the tension must be from 0.1 to 20, not 0");
  EXPECT_EQ(error_with(Method::kHmm, "forward.positions", ""),
            "E404 m.cop: section forward.positions: no parameters");
  EXPECT_EQ(error_of([] { AlignmentModel model(file_of(ModelWriter("tag"))); }).substr(0, 4),
            "E406");
}

}  // namespace

}  // namespace coppice::align

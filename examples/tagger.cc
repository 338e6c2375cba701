// Trains a tagger on column files, with development data, and labels a sentence with posteriors.
//
//     example_tagger data/recipes
#include <cstdio>
#include <string>
#include <vector>

#include "coppice/base/threads.h"
#include "coppice/tag/tagger_training.h"
#include "coppice/text/reader.h"
#include "coppice/text/template_defaults.h"

using namespace coppice;

int main(int argc, char** argv) {
  const std::string data = argc > 1 ? argv[1] : "data/recipes";
  tag::TaggerTrainingOptions options;
  options.templates = text::default_templates(std::vector<std::string>{"form", "pos"});
  options.encoder = {.feature_columns = {0, 1}, .label_column = 2};
  options.trainer.l2 = 0.5;
  tag::TaggerTraining training(options);

  text::Sentence sentence;
  for (auto reader = text::open_sentences(data + "/train.conll"); reader->next(sentence);) {
    training.add(sentence);
  }
  for (auto reader = text::open_sentences(data + "/dev.conll"); reader->next(sentence);) {
    training.add_development(sentence);
  }
  training.begin();
  const Threads threads;
  while (training.iterate(threads)) continue;
  std::printf("iteration %d kept: dev F1 %.2f\n",
              static_cast<int>(training.loop().kept_iteration()),
              100 * training.loop().kept_score());

  const tag::Tagger tagger = training.tagger();
  text::open_sentences(data + "/test.conll")->next(sentence);
  tag::TaggingSession session(tagger);
  tag::FeatureCells columns({0, 1});
  session.read(sentence, columns);
  std::vector<std::uint16_t> labels;
  session.best_labels(labels);
  for (std::size_t t = 0; t < sentence.num_tokens(); ++t) {
    const std::string word(sentence.cell(t, 0));
    std::printf("%-12s %-8s %.2f\n", word.c_str(), tagger.config().labels[labels[t]].c_str(),
                session.posteriors(t)[labels[t]]);
  }
  return 0;
}

// A tagger trained on a handful of sentences, for tests of what can be asked of one.
#pragma once

#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "coppice/tag/tagger_training.h"
#include "coppice/text/reader.h"
#include "coppice/text/template_defaults.h"

namespace coppice::tag::testing {

// "can" is a thing after "the" and "tin", and nothing after people.
inline constexpr const char* kTrain =
    "we B-P\ncan O\nfish O\n\nthe O\ncan B-T\nrusts O\n\nwe B-P\nopen O\nthe O\ntin B-T\ncan "
    "I-T\n\n"
    "tin B-T\ncan I-T\n\nfish B-P\nswim O\n\nthe O\nfish B-P\ncan O\nswim O\n\n";

inline std::vector<text::Sentence> sentences(const std::string& content) {
  text::ReaderOptions options;
  options.format = text::Format::kColumns;
  const auto reader = text::open_sentences(LineReader::over(content, "<test>"), options);
  std::vector<text::Sentence> all;
  for (text::Sentence sentence; reader->next(sentence);) all.push_back(sentence);
  return all;
}

inline TaggerTrainingOptions options(unsigned order = 1, double prune = 0) {
  TaggerTrainingOptions options;
  options.chain.order = order;
  options.chain.prune = prune;
  options.templates = text::default_templates(std::vector<std::string>{"w"});
  options.trainer.l2 = 0.1;
  return options;
}

inline TaggerTraining trained(const TaggerTrainingOptions& settings, unsigned threads = 1) {
  TaggerTraining training(settings);
  for (const text::Sentence& sentence : sentences(kTrain)) training.add(sentence);
  training.begin();
  while (training.iterate(Threads(threads))) {
  }
  return training;
}

inline std::string bytes_of(const TaggerTraining& training) {
  std::ostringstream out;
  training.model("{}").write(out);
  return std::move(out).str();
}

// The tagger as a model file gives it, names and all.
inline Tagger reloaded(const TaggerTraining& training) {
  const std::string bytes = bytes_of(training);
  return Tagger(ModelFile::from_bytes(std::as_bytes(std::span(bytes))));
}

}  // namespace coppice::tag::testing

#include "coppice/text/class_learning.h"

#include <string_view>
#include <vector>

#include "coppice/base/error.h"
#include "text/class_tree.h"

namespace coppice::text {

void ClassLearning::read(const std::string& path, const DataOptions& data, Format fallback) {
  LabelledReader reader(path, data, fallback);
  read(reader);
}

void ClassLearning::read(LabelledReader& reader) {
  std::vector<std::string_view> words;
  while (reader.next()) {
    const Sentence& sentence = reader.sentence();
    if (!sentence.form_column()) {
      throw ParseError("the data has no words to learn classes of",
                       {.code = "E146", .where = sentence.where()});
    }
    words.clear();
    for (std::size_t row = 0; row < sentence.num_tokens(); ++row) {
      words.push_back(sentence.cell(row, *sentence.form_column()));
    }
    counter_.add(words);
  }
  require_sentences(reader.reader());
  if (at_end_) at_end_(reader.reader());
}

WordBigrams ClassLearning::bigrams() const {
  WordBigrams bigrams = counter_.bigrams(counts_.min_count);
  require(bigrams.num_words() > 0, "no word occurs ", counts_.min_count,
          " times: there is nothing to learn classes of");
  return bigrams;
}

std::string ClassLearning::learn(const WordBigrams& bigrams, const Threads& threads,
                                 Progress& progress, const InterruptPoll& poll) const {
  return learn_classes(bigrams, {.classes = counts_.classes}, threads, progress, poll);
}

}  // namespace coppice::text

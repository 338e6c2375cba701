#include "cli/class_learning.h"

#include "cli/human.h"
#include "coppice/base/error.h"

namespace coppice::cli {

void ClassLearning::read(const std::string& path, const DataOptions& data, text::Format fallback) {
  LabelledReader reader(path, data, fallback);
  std::vector<std::string_view> words;
  while (reader.next()) {
    const text::Sentence& sentence = reader.sentence();
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
  text::require_sentences(reader.reader());
  skipped_ = report_skipped(reader.reader(), context_) || skipped_;
}

std::string ClassLearning::learn(const Threads& threads) {
  const text::WordBigrams bigrams = counter_.bigrams(counts_.min_count);
  require(bigrams.num_words() > 0, "no word occurs ", counts_.min_count,
          " times: there is nothing to learn classes of");
  context_.talk("raw     {} sent {} tok, {} words that occur {} times or more",
                thousands(counter_.num_sentences()), thousands(counter_.num_tokens()),
                thousands(bigrams.num_words()), counts_.min_count);
  return text::learn_classes(bigrams, {.classes = counts_.classes}, threads, context_.progress(),
                             context_.interrupt_poll());
}

}  // namespace coppice::cli

// Small random texts, and language models of them.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coppice/base/random.h"
#include "coppice/lm/arpa.h"
#include "coppice/lm/model.h"
#include "coppice/lm/training.h"

namespace coppice::lm::testing {

using Words = std::vector<std::string>;
using Text = std::vector<Words>;

// Up to 12 sentences of up to 7 words; the words are letters, the early ones more frequent.
inline Text random_text(Random& random) {
  const std::uint64_t vocabulary = 1 + random.below(6);
  Text text(1 + random.below(12));
  for (Words& sentence : text) {
    sentence.resize(1 + random.below(7));
    for (std::string& word : sentence)
      word = std::string(1, static_cast<char>('a' + random.below(1 + random.below(vocabulary))));
  }
  return text;
}

inline Estimate estimate_of(const Text& text, const TrainingOptions& options,
                            unsigned threads = 1) {
  Training training(options);
  for (const Words& sentence : text)
    training.add(std::vector<std::string_view>(sentence.begin(), sentence.end()));
  return training.estimate(Threads(threads));
}

inline std::string bytes_of(const BinaryModel& model) {
  std::ostringstream out;
  model.writer.write(out);
  return std::move(out).str();
}

inline Model opened(const std::string& bytes) {
  return Model(ModelFile::from_bytes(std::as_bytes(std::span(bytes)), "memory"));
}

inline Model model_of(const Ngrams& ngrams, Storage storage) {
  return opened(bytes_of(binary_model(ngrams, storage)));
}

inline std::string arpa_of(const Ngrams& ngrams) {
  std::ostringstream out;
  write_arpa(ngrams, out);
  return std::move(out).str();
}

inline Ngrams from_arpa(const std::string& text, ArpaNotes* notes = nullptr) {
  return read_arpa(LineReader::over(text, "x.arpa"), {}, notes);
}

// All words that a context can predict, and one that no text has.
inline Words words_to_predict(const Text& text) {
  Words words = {"</s>", "<unk>"};
  for (const Words& sentence : text)
    for (const std::string& word : sentence)
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  return words;
}

// Contexts of up to `length` words: all of those, also behind <s>.
inline std::vector<Words> contexts_of(const Words& words, std::size_t length) {
  std::vector<Words> contexts = {{}, {"<s>"}};
  for (std::size_t begin = 0, round = 1; round <= length; ++round) {
    const std::size_t end = contexts.size();
    for (; begin < end; ++begin)
      for (const std::string& word : words) {
        if (word == "</s>") continue;
        Words longer = contexts[begin];
        longer.push_back(word);
        if (longer.size() <= length) contexts.push_back(std::move(longer));
      }
  }
  return contexts;
}

// The state after a context.
inline State state_after(const Model& model, const Words& context) {
  State state = model.no_context();
  for (const std::string& word : context) {
    if (word == "<s>")
      state = model.sentence_begin();
    else
      model.score(state, model.vocabulary().find(word), state);
  }
  return state;
}

}  // namespace coppice::lm::testing

// Language models to ask: a memory-mapped file that answers what a word's probability is after
// those before it.
//
//     const Model model = Model::open("en.lm");
//     State state = model.sentence_begin();
//     double sum = 0;
//     for (std::string_view word : sentence)
//       sum += model.score(state, model.vocabulary().find(word), state).log10_prob;
//     sum += model.score(state, kSentenceEnd, state).log10_prob;
//
// Two kinds of files answer alike, bit for bit: hash tables are faster, a trie is half their size.
// docs/language-models.md says what is in them.
//
// What a decoder needs: states are minimised to the right (two equal ones are one hypothesis), a
// Score says whether words further left can still change it, and extend_left adds those words
// later. fragment.h puts these together for pieces of sentences.
//
// Cost: a query is a look-up for each word of context that matches, plus one.
// Threads: const functions may be called at the same time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coppice/base/model_file.h"
#include "coppice/lm/ngrams.h"
#include "coppice/lm/state.h"
#include "coppice/lm/vocabulary.h"

namespace coppice::lm {

// The task of a model file.
inline constexpr const char* kTask = "lm";

enum class Storage : std::uint8_t { kHash, kTrie };

// "hash" or "trie". Throws InvalidArgument for other names.
Storage parse_storage(std::string_view name);
const char* to_string(Storage storage) noexcept;

// A model that is ready to be written: `model.writer.write(path, ...)`.
struct BinaryModel {
  ModelWriter writer;
  std::vector<std::shared_ptr<const void>> tables{};  // what the writer shows
};

// A model file of these n-grams, whose section `card` is `card` if that is not empty. Tables that
// the workspace has no memory for are put together in a mapped file. Throws InvalidArgument when
// n-grams of one length have no 32-bit numbers, IoError.
BinaryModel binary_model(const Ngrams& ngrams, Storage storage, const std::string& card = "",
                         const Workspace& workspace = {});

// What extend_left gives for a word of context: the backoffs of the contexts that the n-gram is
// itself, with one, two, ... of the new words before it.
struct LeftExtension {
  Score score;                                  // log10_prob: what must be added to the old one
  std::array<float, kMaxOrder - 1> backoffs{};  // [i]: with i + 1 more words
  std::uint8_t length = 0;                      // so many of the new words can matter further on
};

class Model {
 public:
  // Throws ModelError (base/model_file.h), E406 for another kind of model, E404 also when sections
  // do not fit one another; IoError.
  static Model open(const std::string& path);
  explicit Model(ModelFile file);
  ~Model();
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  unsigned order() const noexcept;
  Storage storage() const noexcept;
  const Vocabulary& vocabulary() const noexcept;
  const ModelFile& file() const noexcept;

  // After <s>, and after nothing that is known.
  State sentence_begin() const noexcept;
  State no_context() const noexcept { return {}; }

  // The probability of a word after a context, and the context of the next word; `in` and `out` may
  // be one object, at the price of a copy. Requires a word of the vocabulary and a state of this
  // model.
  Score score(const State& in, WordId word, State& out) const noexcept;

  // Words to the left of an n-gram whose score was extends_left become known. `ngram` has `length`
  // words, 1 <= length < order(); `context` are the new words, nearest first, and context_backoffs
  // those of the contexts that begin behind the n-gram's first word: of context[0..i] with the
  // first length - 1 words of the n-gram. For length 1 they are the backoffs of a State.
  LeftExtension extend_left(NgramId ngram, unsigned length, std::span<const WordId> context,
                            std::span<const float> context_backoffs) const noexcept;

  // All n-grams of the model, for write_arpa and binary_model. Throws ModelError (E404).
  Ngrams ngrams(const Workspace& workspace = {}) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace coppice::lm

// N-grams in hash tables with linear probing, one for each length.
//
// An n-gram is the number of its suffix (one word less) and its first word: the key is exact, and
// n-grams can be listed again. The number of an n-gram is its slot; that of a single word is the
// word. The tables lie in the model's file as they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/base/model_file.h"
#include "coppice/base/random.h"
#include "coppice/lm/model.h"
#include "coppice/lm/ngrams.h"
#include "lm/ngram_sorter.h"
#include "lm/weights.h"

namespace coppice::lm {

// A slot is free when its word is kFreeWord, which no vocabulary has.
inline constexpr Word kFreeWord = 0xffffffff;

struct MiddleEntry {
  Word suffix;
  Word word;
  Weights weights;
};
struct LongestEntry {
  Word suffix;
  Word word;
  float prob;
};

// The hash of an n-gram follows from its words alone, so that all the places that a query may look
// at are known, and on their way to the processor, before the first is read.
inline std::uint64_t hash_of_unigram(Word word) noexcept {
  return (std::uint64_t{word} + 1) * 0x9e3779b97f4a7c15U;
}
inline std::uint64_t hash_with(std::uint64_t hash, Word word) noexcept {
  hash = (hash ^ (std::uint64_t{word} + 1)) * 0xd6e8feb86659fd93U;
  return hash ^ (hash >> 32);
}
inline std::size_t home_of(std::uint64_t hash, std::size_t slots) noexcept {
  hash *= 0x9e3779b97f4a7c15U;
  return static_cast<std::size_t>((static_cast<coppice::detail::Uint128>(hash) * slots) >> 64);
}

// The slot of an n-gram, or the free one where it belongs. Requires a free slot.
template <class Entry>
std::size_t slot_of(std::span<const Entry> entries, std::size_t home, Word suffix,
                    Word word) noexcept {
  std::size_t at = home;
  while (entries[at].word != kFreeWord &&
         (entries[at].word != word || entries[at].suffix != suffix)) {
    if (++at == entries.size()) at = 0;
  }
  return at;
}

class HashTables {
 public:
  HashTables() = default;
  // Throws ModelError (E404) when the sections do not fit `num_words`.
  HashTables(const ModelFile& file, unsigned order, std::size_t num_words);

  unsigned order() const noexcept { return order_; }
  const Weights& unigram(Word word) const noexcept { return unigrams_[word]; }

  // An n-gram that grows to the left, and where the next ones would lie.
  struct Path {
    Word ngram;
    std::array<std::size_t, kMaxOrder> homes;  // [n - 2] for length n
  };
  // From an n-gram of a length below order, to be extended by words of context, nearest first.
  template <class Id>
  Path path(unsigned length, Word ngram, std::span<const Id> context) const noexcept {
    Path path;
    path.ngram = ngram;
    std::uint64_t hash = length == 1 ? hash_of_unigram(ngram) : hash_of_ngram(length, ngram);
    for (std::size_t i = 0; i < context.size() && length < order_; ++i) {
      hash = hash_with(hash, static_cast<Word>(context[i]));
      ++length;
      path.homes[length - 2] =
          length < order_ ? prefetch(middle_[length - 2], hash) : prefetch(longest_, hash);
    }
    return path;
  }

  // Finds the n-gram of a length from 2 to order - 1 that puts `word`, the next of the context,
  // before that of the path. False when it is not there.
  bool find(unsigned length, Path& path, Word word, Weights& found) const noexcept {
    const std::span<const MiddleEntry> entries = middle_[length - 2];
    const std::size_t slot = slot_of(entries, path.homes[length - 2], path.ngram, word);
    if (entries[slot].word == kFreeWord) return false;
    path.ngram = static_cast<Word>(slot);
    found = entries[slot].weights;
    return true;
  }
  // The same for the longest n-grams.
  bool find_longest(const Path& path, Word word, float& found) const noexcept {
    const std::size_t slot = slot_of(longest_, path.homes[order_ - 2], path.ngram, word);
    if (longest_[slot].word == kFreeWord) return false;
    found = longest_[slot].prob;
    return true;
  }
  // Requires a length from 1 to order - 1 and an n-gram of it.
  const Weights& weights(unsigned length, Word ngram) const noexcept {
    return length == 1 ? unigrams_[ngram] : middle_[length - 2][ngram].weights;
  }

  // Calls visit(words, prob, backoff) for every n-gram of a length, in any order. Throws ModelError
  // (E404) when an entry names what is not there.
  template <class Visit>
  void for_each(unsigned length, const Visit& visit) const {
    std::array<Word, kMaxOrder> words{};
    const auto each = [&](const auto& entries, const auto& weights_of) {
      for (std::size_t slot = 0; slot < entries.size(); ++slot) {
        if (entries[slot].word == kFreeWord) continue;
        words_of(length, entries[slot].suffix, entries[slot].word, words);
        const Weights found = weights_of(entries[slot]);
        visit(words.data(), log10_of(found.prob), found.backoff);
      }
    };
    if (length == 1) {
      for (words[0] = 0; words[0] < unigrams_.size(); ++words[0])
        visit(words.data(), log10_of(unigrams_[words[0]].prob), unigrams_[words[0]].backoff);
    } else if (length < order_) {
      each(middle_[length - 2], [](const MiddleEntry& entry) { return entry.weights; });
    } else {
      each(longest_, [](const LongestEntry& entry) { return Weights{entry.prob, kNoBackoff}; });
    }
  }

  // Adds the sections of these n-grams. Throws InvalidArgument when those of a length have no
  // 32-bit numbers.
  static void add_sections(BinaryModel& model, const Ngrams& ngrams, const Workspace& workspace);

 private:
  template <class Entry>
  static std::size_t prefetch(std::span<const Entry> entries, std::uint64_t hash) noexcept {
    const std::size_t home = home_of(hash, entries.size());
    __builtin_prefetch(&entries[home]);
    return home;
  }
  std::uint64_t hash_of_ngram(unsigned length, Word ngram) const noexcept;
  void words_of(unsigned length, Word suffix, Word word, std::array<Word, kMaxOrder>& words) const;

  unsigned order_ = 0;
  std::span<const Weights> unigrams_;
  std::array<std::span<const MiddleEntry>, kMaxOrder> middle_{};  // [n - 2] for length n
  std::span<const LongestEntry> longest_;
};

}  // namespace coppice::lm

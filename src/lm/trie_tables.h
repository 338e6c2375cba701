// N-grams as a trie over reversed n-grams: below each one the words that stand before it, sorted.
//
// The n-grams of a length are numbered in suffix order, so that those with a common suffix follow
// one another; each n-gram says where those that it ends begin. Words and these places are packed
// in as few bits as hold them, words apart from the rest, so that a search reads little. About half
// the size of hash tables, and slower by a search for each word of context.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "coppice/base/model_file.h"
#include "coppice/lm/model.h"
#include "coppice/lm/ngrams.h"
#include "lm/ngram_sorter.h"
#include "lm/packed_array.h"
#include "lm/weights.h"

namespace coppice::lm {

// The position of `word` among sorted words [begin, end), or end.
std::uint32_t find_packed(const PackedView& words, std::uint32_t begin, std::uint32_t end,
                          Word word) noexcept;

class TrieTables {
 public:
  TrieTables() = default;
  // Throws ModelError (E404) when the sections do not fit one another.
  TrieTables(const ModelFile& file, unsigned order, std::size_t num_words);

  unsigned order() const noexcept { return order_; }
  Weights unigram(Word word) const noexcept { return levels_[0].records.weights(word); }

  // As in HashTables.
  struct Path {
    Word ngram;
  };
  template <class Id>
  Path path(unsigned /*length*/, Word ngram, std::span<const Id> /*context*/) const noexcept {
    return {ngram};
  }
  bool find(unsigned length, Path& path, Word word, Weights& found) const noexcept {
    if (!search(length, path.ngram, word)) return false;
    found = levels_[length - 1].records.weights(path.ngram);
    return true;
  }
  bool find_longest(Path& path, Word word, float& found) const noexcept {
    if (!search(order_, path.ngram, word)) return false;
    found = longest_[path.ngram];
    return true;
  }
  Weights weights(unsigned length, Word ngram) const noexcept {
    return levels_[length - 1].records.weights(ngram);
  }

  // Calls visit(words, prob, backoff) for every n-gram of a length, in suffix order.
  template <class Visit>
  void for_each(unsigned length, const Visit& visit) const {
    std::array<Word, kMaxOrder> words{};
    std::array<std::uint32_t, kMaxOrder> at{};  // the n-gram of each shorter length
    for (std::uint32_t i = 0; i < levels_[length - 1].size; ++i) {
      at[length - 1] = i;
      for (unsigned n = length - 1; n > 0; --n)
        while (levels_[n - 1].records.begin(at[n - 1] + std::uint64_t{1}) <= at[n]) ++at[n - 1];
      for (unsigned n = 1; n < length; ++n) words[n] = levels_[n].words[at[n]];
      words[0] = at[0];
      if (length == order_ && length > 1)
        visit(words.data(), log10_of(longest_[i]), kNoBackoff);
      else
        visit(words.data(), log10_of(weights(length, i).prob), weights(length, i).backoff);
    }
  }

  // Adds the sections of these n-grams. Throws InvalidArgument when those of a length have no
  // 32-bit numbers.
  static void add_sections(BinaryModel& model, const Ngrams& ngrams, const Workspace& workspace);

 private:
  friend class TrieBuilder;
  struct Level {
    std::uint32_t size = 0;
    PackedView words{};    // not of single words: those are their numbers
    RecordView records{};  // size + 1, the last one with the end only; not of the longest
  };

  bool search(unsigned length, Word& ngram, Word word) const noexcept {
    const RecordView& above = levels_[length - 2].records;
    const std::uint32_t begin = above.begin(ngram);
    const std::uint32_t end = above.begin(std::uint64_t{ngram} + 1);
    // Most lists are short: what is found is near their beginning.
    if (length == order_)
      __builtin_prefetch(longest_.data() + begin);
    else
      levels_[length - 1].records.prefetch(begin);
    const std::uint32_t found = find_packed(levels_[length - 1].words, begin, end, word);
    if (found == end) return false;
    ngram = found;
    return true;
  }

  unsigned order_ = 0;
  std::array<Level, kMaxOrder> levels_{};  // [n - 1] for length n
  std::span<const float> longest_;
};

}  // namespace coppice::lm

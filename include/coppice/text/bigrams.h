// Counts of words and of neighbouring words in raw text.
//
// Words get ids by falling frequency, ties by their bytes, so that the ids do not depend on the
// order of the sentences. Two ids are reserved: kBoundaryWord stands before and after every
// sentence, kRareWord for every word that occurs less often than asked (and for words with a tab or
// a line end, which a file of classes could not hold). Every occurrence of a word thus has one
// neighbour on each side, and
//
//     sum over v of n(w, v)  =  sum over u of n(u, w)  =  count(w).
//
// Memory: four bytes a token of text while counting, twelve a distinct pair on each side after.
// Cost: that of sorting the tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/symbols.h"

namespace coppice::text {

using WordId = std::uint32_t;

inline constexpr WordId kBoundaryWord = 0;
inline constexpr WordId kRareWord = 1;
inline constexpr WordId kFirstWord = 2;

class WordBigrams {
 public:
  struct Neighbour {
    WordId word;
    std::uint32_t count;
  };

  // Ids below this one; the words proper are [kFirstWord, size()).
  std::size_t size() const noexcept { return counts_.size(); }
  std::size_t num_words() const noexcept { return size() - kFirstWord; }

  // Requires kFirstWord <= id < size().
  std::string_view word(WordId id) const noexcept { return words_[id - kFirstWord]; }
  // Of kBoundaryWord, the number of sentences.
  std::uint64_t count(WordId id) const noexcept { return counts_[id]; }
  // n(id, v) and n(u, id), by ascending id; only those above 0.
  std::span<const Neighbour> successors(WordId id) const noexcept { return after_.of(id); }
  std::span<const Neighbour> predecessors(WordId id) const noexcept { return before_.of(id); }

 private:
  friend class BigramCounter;

  struct Lists {
    std::vector<std::size_t> begin;
    std::vector<Neighbour> neighbours;

    std::span<const Neighbour> of(WordId id) const noexcept {
      return std::span(neighbours).subspan(begin[id], begin[id + 1] - begin[id]);
    }
  };

  // Sorted pairs (first << 32 | second), with repetitions.
  static Lists lists_of(std::span<const std::uint64_t> pairs, std::size_t size);

  std::vector<std::string> words_;
  std::vector<std::uint64_t> counts_;
  Lists after_, before_;
};

class BigramCounter {
 public:
  // A sentence without words counts for nothing. Throws InvalidArgument beyond 2^31 tokens.
  void add(std::span<const std::string_view> sentence);

  std::uint64_t num_tokens() const noexcept { return text_.size() - num_sentences_; }
  std::uint64_t num_sentences() const noexcept { return num_sentences_; }

  // Words that occur at least `min_count` times get an id of their own.
  WordBigrams bigrams(std::uint64_t min_count) const;

 private:
  std::vector<WordId> ids_of_symbols(WordBigrams& out, std::uint64_t min_count) const;

  Symbols symbols_;
  std::vector<std::uint64_t> counts_;  // by symbol
  std::vector<std::uint32_t> text_;    // symbols; 2^32 - 1 after each sentence
  std::uint64_t num_sentences_ = 0;
};

}  // namespace coppice::text

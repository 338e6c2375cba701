// What a language model remembers of the words before, and what a query answers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "coppice/lm/ngrams.h"
#include "coppice/lm/vocabulary.h"

namespace coppice::lm {

// The context of the next word, minimised: only as many words as some n-gram of the model
// continues. Two states that are equal give every continuation the same probability, so a decoder
// may recombine what ends in them. A plain value of fixed size.
struct State {
  std::array<WordId, kMaxOrder - 1> words{};    // the last word first
  std::array<float, kMaxOrder - 1> backoffs{};  // [i]: of the context of the last i + 1 words
  std::uint8_t length = 0;

  // Backoffs follow from words, and what lies beyond the length means nothing.
  friend bool operator==(const State& a, const State& b) noexcept {
    return a.length == b.length &&
           std::memcmp(a.words.data(), b.words.data(), a.length * sizeof(WordId)) == 0;
  }
};

// A hash of what == compares.
inline std::size_t hash_of(const State& state) noexcept {
  std::uint64_t hash = state.length;
  for (std::size_t i = 0; i < state.length; ++i) {
    hash = (hash ^ static_cast<std::uint32_t>(state.words[i])) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32;
  }
  return static_cast<std::size_t>(hash);
}

// An n-gram's place in a model, among those of its length; for extend_left.
enum class NgramId : std::uint32_t {};

struct Score {
  float log10_prob = 0;     // of the word after its context
  std::uint8_t length = 0;  // words of the longest n-gram that matched; 1: no context was used
  // All of the context matched, and some n-gram of the model has more words before it. If not,
  // words further left can only add backoffs of the contexts that they make longer.
  bool extends_left = false;
  NgramId ngram{};  // the one that matched
};

}  // namespace coppice::lm

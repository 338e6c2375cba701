// Pieces of sentences whose left context is not known yet, scored and joined: what a decoder keeps
// of a hypothesis.
//
//     FragmentScorer rule(model);            // a rule's right side: the X of Y
//     rule.word(the);
//     rule.fragment(x.fragment);
//     rule.word(of);
//     rule.fragment(y.fragment);
//     const double change = rule.finish(joined);      // on top of the scores of x and y
//
// The score of a fragment gives its first words the probability that they have without any context;
// joining corrects them as words to their left become known. Of a fragment only that is kept which
// can still matter (Heafield 2011, Li and Khudanpur 2008): at most order - 1 n-grams at its left
// end, none beyond the one that no n-gram of the model extends to the left, and the minimised state
// at its right end. Two equal fragments get the same score in every sentence.
//
// A sentence is begun with begin_sentence() and ended with word(kSentenceEnd); the sum of all
// scores is then that of Model::score word by word, but for rounding.
#pragma once

#include <array>
#include <cstdint>

#include "coppice/lm/model.h"
#include "coppice/lm/state.h"

namespace coppice::lm {

struct Fragment {
  // [i]: the n-gram of the first i + 1 words, which words to the left can still extend.
  std::array<NgramId, kMaxOrder - 1> left{};
  std::uint8_t left_length = 0;
  // No n-gram reaches from beyond the left end to words further right: of what stands to the left
  // they need at most backoffs.
  bool is_left_complete = false;
  State right{};

  friend bool operator==(const Fragment& a, const Fragment& b) noexcept {
    // The last n-gram has the others in it.
    return a.left_length == b.left_length && a.is_left_complete == b.is_left_complete &&
           (a.left_length == 0 || a.left[a.left_length - 1U] == b.left[b.left_length - 1U]) &&
           a.right == b.right;
  }
};

// A hash of what == compares.
std::size_t hash_of(const Fragment& fragment) noexcept;

// Builds one fragment from left to right. Requires that the model outlives it.
class FragmentScorer {
 public:
  explicit FragmentScorer(const Model& model) noexcept : model_(&model) {}

  // Only first.
  void begin_sentence() noexcept;
  void word(WordId word) noexcept;
  // Adds another fragment; its own score is not counted again.
  void fragment(const Fragment& next) noexcept;

  // Sets what was built; returns log10 of the probability of the words added, plus what the
  // fragments' own scores change by. The scorer is then as new.
  double finish(Fragment& built) noexcept;

 private:
  void take_left(const Score& score) noexcept;
  void append(const Fragment& next) noexcept;

  const Model* model_;
  Fragment built_{};
  double sum_ = 0;
};

}  // namespace coppice::lm

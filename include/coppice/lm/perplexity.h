// How well a language model predicts a text.
//
//     perplexity  =  10 ^ (- sum of log10 p / number of tokens)
//
// over the words of every sentence and its </s>; either with the words that the model does not
// know, which get the probability of <unk>, or without them (they still stand in the contexts of
// others).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "coppice/lm/model.h"

namespace coppice::lm {

struct Perplexity {
  double log10_sum = 0;          // of all tokens
  double log10_sum_unknown = 0;  // of unknown words
  std::uint64_t sentences = 0;
  std::uint64_t tokens = 0;  // words and one </s> for each sentence
  std::uint64_t unknown = 0;

  // NaN for no tokens.
  double with_unknown() const { return perplexity_of(log10_sum, tokens); }
  double without_unknown() const {
    return perplexity_of(log10_sum - log10_sum_unknown, tokens - unknown);
  }

 private:
  static double perplexity_of(double sum, std::uint64_t count) {
    return std::pow(10.0, -sum / static_cast<double>(count));
  }
};

// What is said of a token of a sentence that is scored.
struct TokenScore {
  WordId word;
  Score score;
};

// Scores sentences one after the other. Requires that the model outlives it.
class SentenceScorer {
 public:
  explicit SentenceScorer(const Model& model) : model_(&model) {}

  void begin() noexcept { states_[current_] = model_->sentence_begin(); }
  // The next word; its number is kUnknownWord when the model does not know it.
  TokenScore word(std::string_view text) noexcept { return token(model_->vocabulary().find(text)); }
  TokenScore end() noexcept {
    ++total_.sentences;
    return token(kSentenceEnd);
  }

  // Of all that was scored.
  const Perplexity& total() const noexcept { return total_; }

 private:
  TokenScore token(WordId word) noexcept {
    const Score score = model_->score(states_[current_], word, states_[1 - current_]);
    current_ = 1 - current_;
    ++total_.tokens;
    total_.log10_sum += static_cast<double>(score.log10_prob);
    if (word == kUnknownWord) {
      ++total_.unknown;
      total_.log10_sum_unknown += static_cast<double>(score.log10_prob);
    }
    return {word, score};
  }

  const Model* model_;
  std::array<State, 2> states_{};  // before and after a word, in turn
  std::size_t current_ = 0;
  Perplexity total_{};
};

}  // namespace coppice::lm

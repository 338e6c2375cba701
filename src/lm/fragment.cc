#include "coppice/lm/fragment.h"

#include <algorithm>
#include <utility>

namespace coppice::lm {

std::size_t hash_of(const Fragment& fragment) noexcept {
  std::uint64_t hash = hash_of(fragment.right);
  hash =
      hash * 31 + std::uint64_t{fragment.left_length} * 2 + (fragment.is_left_complete ? 1U : 0U);
  if (fragment.left_length > 0)
    hash = hash * 0x9e3779b97f4a7c15U +
           static_cast<std::uint32_t>(fragment.left[fragment.left_length - 1U]);
  return static_cast<std::size_t>(hash ^ (hash >> 32));
}

void FragmentScorer::begin_sentence() noexcept {
  built_.right = model_->sentence_begin();
  built_.is_left_complete = true;
}

// Counts a score; it ends the left side unless more words to the left could change it.
void FragmentScorer::take_left(const Score& score) noexcept {
  sum_ += static_cast<double>(score.log10_prob);
  if (built_.is_left_complete) return;
  if (score.extends_left)
    built_.left[built_.left_length++] = score.ngram;
  else
    built_.is_left_complete = true;
}

void FragmentScorer::word(WordId word) noexcept {
  const std::uint8_t context = built_.right.length;
  take_left(model_->score(built_.right, word, built_.right));
  // Where the context has been cut, words further left can say nothing more.
  if (built_.right.length != context + 1) built_.is_left_complete = true;
}

void FragmentScorer::fragment(const Fragment& next) noexcept {
  if (next.left_length == 0) {
    if (!next.is_left_complete) return;  // no words at all
    // All of what stands here was counted on without any of this context.
    const State& right = built_.right;
    for (std::size_t i = 0; i < right.length; ++i) sum_ += static_cast<double>(right.backoffs[i]);
    built_.is_left_complete = true;
    built_.right = next.right;
    return;
  }
  if (built_.right.length > 0) {
    append(next);
  } else if (built_.is_left_complete || built_.left_length > 0) {
    built_.is_left_complete = true;
    built_.right = next.right;
  } else {
    built_ = next;
  }
}

// Extends the left n-grams of `next`, one after the other, by the words of the right state.
void FragmentScorer::append(const Fragment& next) noexcept {
  State& right = built_.right;
  std::array<float, kMaxOrder - 1> backoffs = right.backoffs;
  std::uint8_t usable = right.length;  // words of the state that still matter
  for (unsigned length = 1; length <= next.left_length; ++length) {
    const LeftExtension extension =
        model_->extend_left(next.left[length - 1], length, std::span(right.words).first(usable),
                            std::span(backoffs).first(usable));
    take_left(extension.score);
    backoffs = extension.backoffs;
    usable = extension.length;
    if (usable != right.length) built_.is_left_complete = true;
    if (usable == 0) {
      right = next.right;
      return;
    }
  }
  if (next.is_left_complete) {
    for (std::size_t i = 0; i < usable; ++i) sum_ += static_cast<double>(backoffs[i]);
    built_.is_left_complete = true;
    right = next.right;
    return;
  }
  // The right state was cut within `next`: it depends on nothing further left.
  if (next.right.length < next.left_length) {
    right = next.right;
    return;
  }
  State joined = next.right;
  for (std::size_t i = 0; i < usable; ++i) {
    joined.words[next.right.length + i] = right.words[i];
    joined.backoffs[next.right.length + i] = backoffs[i];
  }
  joined.length = static_cast<std::uint8_t>(next.right.length + usable);
  right = joined;
}

double FragmentScorer::finish(Fragment& built) noexcept {
  if (built_.left_length + 1U >= model_->order()) built_.is_left_complete = true;
  built = std::exchange(built_, Fragment{});
  return std::exchange(sum_, 0);
}

}  // namespace coppice::lm

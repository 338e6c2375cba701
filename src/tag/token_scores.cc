#include "tag/token_scores.h"

#include <algorithm>
#include <span>

namespace coppice::tag {

namespace {

// Keys ahead of the one at hand: far enough for memory to answer, near enough to stay in L1.
constexpr std::size_t kAhead = 12;
constexpr std::size_t kWordsAhead = 4;
constexpr std::size_t kPhrasesAhead = 8;

}  // namespace

TokenScores::TokenScores(const FrozenLinear& potential, const text::Extractor& extractor,
                         const TokenScoresOptions& options)
    : potential_(&potential),
      extractor_(extractor),
      max_words_(options.word_bytes / (sizeof(float) * potential.stride() *
                                       std::max<std::size_t>(extractor.num_word_places(), 1))),
      epoch_(extractor_.word_epoch()),
      places_(extractor_.num_word_places()),
      phrases_(potential.stride(), options.phrase_bytes),
      spare_row_(potential.stride()) {}

void TokenScores::score(const text::Cells& cells, const text::Sentence& sentence,
                        AlignedVector<float>& scores) {
  extractor_.extract_joint(cells, attributes_);
  if (extractor_.word_epoch() != epoch_) {
    places_.assign(places_.size(), {});
    epoch_ = extractor_.word_epoch();
  }
  find_joint();
  scores.assign(cells.rows() * potential_->stride(), 0.0f);
  for (std::size_t place = 0; place < places_.size(); ++place) add_words(place, scores.data());
  if (extractor_.num_phrase_places() > 0) add_phrases(scores.data());
  for (const Hit& hit : hits_) {
    potential_->add(*hit.slot, hit.value, scores.data() + hit.token * potential_->stride());
  }
  if (sentence.has_attributes()) add_own(sentence, scores.data());
}

void TokenScores::add_words(std::size_t place, float* scores) {
  const std::size_t stride = potential_->stride();
  const std::span<const std::uint32_t> words = extractor_.words(place);
  for (std::size_t t = 0; t < words.size(); ++t, scores += stride) {
    const std::size_t ahead = words[std::min(t + kWordsAhead, words.size() - 1)];
    if (ahead < places_[place].known.size()) {
      const float* row = places_[place].rows.data() + ahead * stride;
      __builtin_prefetch(row);
      __builtin_prefetch(row + stride - 1);
    }
    const float* row = row_of(place, words[t]);
    for (std::size_t y = 0; y < stride; ++y) scores[y] += row[y];
  }
}

const float* TokenScores::row_of(std::size_t place, std::uint32_t word) {
  WordRows& words = places_[place];
  const std::size_t stride = potential_->stride();
  if (word < words.known.size() && words.known[word] != 0) return words.rows.data() + word * stride;
  if (word >= max_words_) {
    sum_word(place, word, spare_row_.data());
    return spare_row_.data();
  }
  if (word >= words.known.size()) {
    const std::size_t size = std::min(max_words_, std::size_t{word} + word / 2 + 64);
    words.known.resize(size, 0);
    words.rows.resize(size * stride);
  }
  float* row = words.rows.data() + word * stride;
  sum_word(place, word, row);
  words.known[word] = 1;
  return row;
}

void TokenScores::sum_word(std::size_t place, std::uint32_t word, float* row) {
  extractor_.word_keys(place, word, keys_);
  sum_keys(row);
}

void TokenScores::add_phrases(float* scores) {
  const std::size_t places = extractor_.num_phrase_places(), stride = potential_->stride();
  const std::span<const std::uint64_t> numbers = extractor_.phrases();
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const std::uint64_t number = numbers[k];
    const float* row = nullptr;
    if (phrases_.has_room()) {
      phrases_.prefetch(numbers[std::min(k + kPhrasesAhead, numbers.size() - 1)]);
      row = phrases_.find(number);
    }
    if (row == nullptr) {
      extractor_.phrase_keys(k % places, k / places, keys_);
      float* sums = phrases_.has_room() ? phrases_.add(number) : spare_row_.data();
      sum_keys(sums);
      row = sums;
    }
    float* out = scores + k / places * stride;
    for (std::size_t y = 0; y < stride; ++y) out[y] += row[y];
  }
}

void TokenScores::sum_keys(float* row) const {
  for (const std::uint64_t key : keys_) potential_->prefetch(key);
  std::fill_n(row, potential_->stride(), 0.0f);
  for (const std::uint64_t key : keys_) {
    if (const auto* slot = potential_->find(key)) potential_->add(*slot, 1.0f, row);
  }
}

void TokenScores::find_joint() {
  const text::AttributeList& states = attributes_.states;
  const std::size_t size = states.keys.size();
  hits_.resize(size);
  for (std::size_t k = 0; k < std::min(kAhead, size); ++k) potential_->prefetch(states.keys[k]);
  std::size_t found = 0;
  for (std::size_t t = 0; t + 1 < states.offsets.size(); ++t) {
    for (std::size_t k = states.offsets[t]; k < states.offsets[t + 1]; ++k) {
      potential_->prefetch(states.keys[std::min(k + kAhead, size - 1)]);
      const FrozenLinear::Slot* slot = potential_->find(states.keys[k]);
      if (slot == nullptr) continue;
      potential_->prefetch(*slot);
      hits_[found++] = {slot, states.values.empty() ? 1.0f : states.values[k],
                        static_cast<std::uint32_t>(t)};
    }
  }
  hits_.resize(found);
}

void TokenScores::add_own(const text::Sentence& sentence, float* scores) const {
  for (std::size_t t = 0; t < sentence.num_tokens(); ++t) {
    for (std::size_t i = 0; i < sentence.num_attributes(t); ++i) {
      const text::Attribute attribute = sentence.attribute(t, i);
      if (const auto* slot = potential_->find(text::key_of_name(attribute.name))) {
        potential_->add(*slot, static_cast<float>(attribute.value),
                        scores + t * potential_->stride());
      }
    }
  }
}

}  // namespace coppice::tag

#include "coppice/lm/ngrams.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "coppice/base/error.h"
#include "lm/ngram_store.h"

namespace coppice::lm {

Ngrams::Ngrams(Symbols words, std::unique_ptr<NgramStore> store)
    : words_(std::move(words)), store_(std::move(store)) {}
Ngrams::~Ngrams() = default;
Ngrams::Ngrams(Ngrams&&) noexcept = default;
Ngrams& Ngrams::operator=(Ngrams&&) noexcept = default;

unsigned Ngrams::order() const noexcept { return static_cast<unsigned>(store_->lengths.size()); }
std::uint64_t Ngrams::count(unsigned length) const { return store_->lengths.at(length - 1).count; }
std::uint64_t Ngrams::num_blanks(unsigned length) const {
  return store_->lengths.at(length - 1).num_blanks;
}

struct Ngrams::Reader::State {
  State(const NgramsOfLength& ngrams, unsigned ngram_length)
      : length(ngram_length),
        weights(ngrams.weights.read()),
        contexts(ngrams.contexts.read()),
        context(contexts.next()) {}

  // The backoff of a record, after what is said of it as a context.
  float backoff_of(const Word* record, float known) {
    int order = -1;
    while (context != nullptr && (order = compare(context, record)) < 0) context = contexts.next();
    if (context == nullptr || order != 0) return known;
    const float backoff = FloatPair::at(context + length).first;
    return (std::isnan(backoff) ? known : backoff) + 0.0F;  // a context's is never kNoBackoff
  }

  int compare(const Word* a, const Word* b) const {
    const auto [x, y] = std::mismatch(a, a + length, b);
    return x == a + length ? 0 : *x < *y ? -1 : 1;
  }

  unsigned length;
  SortedNgrams::Reader weights;
  SortedNgrams::Reader contexts;
  const Word* context;  // the next one; null at the end
};

Ngrams::Reader::Reader(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Ngrams::Reader::~Reader() = default;
Ngrams::Reader::Reader(Reader&&) noexcept = default;
Ngrams::Reader& Ngrams::Reader::operator=(Reader&&) noexcept = default;

bool Ngrams::Reader::next(WeightedNgram& ngram) {
  const Word* const record = state_->weights.next();
  if (record == nullptr) return false;
  const FloatPair weights = FloatPair::at(record + state_->length);
  ngram = {record, weights.first, state_->backoff_of(record, weights.second)};
  return true;
}

Ngrams::Reader Ngrams::read(unsigned length) const {
  require(length >= 1 && length <= order(), "there are no n-grams of length ", length);
  return Reader(std::make_unique<Reader::State>(store_->lengths[length - 1], length));
}

}  // namespace coppice::lm

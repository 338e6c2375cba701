#include <algorithm>
#include <cmath>
#include <limits>

#include "chain/token_scores.h"
#include "coppice/chain/forest.h"
#include "coppice/chain/tagger.h"
#include "coppice/forest/inside.h"
#include "coppice/forest/kbest.h"
#include "coppice/forest/sample.h"
#include "coppice/semiring/log.h"

namespace coppice::chain {

namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

}  // namespace

TaggingSession::TaggingSession(const Tagger& tagger)
    : tagger_(tagger),
      token_scores_(std::make_unique<TokenScores>(tagger.potential(), tagger.extractor())),
      stride_(row_stride(tagger.num_labels())) {}
TaggingSession::~TaggingSession() = default;
TaggingSession::TaggingSession(TaggingSession&&) noexcept = default;

void TaggingSession::read(const text::Sentence& sentence, FeatureCells& columns) {
  token_scores_->score(columns.of(sentence), sentence, scores_);
  length_ = sentence.num_tokens();
  has_tempered_ = has_posteriors_ = has_messages_ = false;
  for (std::size_t y = 0; length_ > 0 && y < tagger_.num_labels(); ++y) {
    if (!tagger_.may_begin(y)) scores_[y] = kForbidden;
    if (!tagger_.may_end(y)) scores_[(length_ - 1) * stride_ + y] = kForbidden;
  }
}

double TaggingSession::best_labels(std::vector<std::uint16_t>& labels) {
  labels.resize(length_);
  return chain::best_labels(scores_.data(), length_, tagger_.transitions(), workspace_, labels);
}

const float* TaggingSession::tempered() {
  if (!has_tempered_) {
    const auto temperature = static_cast<float>(tagger_.config().temperature);
    tempered_ = scores_;
    for (float& score : tempered_) score /= temperature;
    has_tempered_ = true;
  }
  return tempered_.data();
}

std::span<const float> TaggingSession::posteriors() {
  if (!has_posteriors_) {
    posteriors_.assign(tempered(), tempered() + length_ * stride_);
    log_z_ =
        marginals(posteriors_.data(), length_, tagger_.tempered_transitions(), workspace_, nullptr);
    has_posteriors_ = true;
  }
  return posteriors_;
}

std::span<const float> TaggingSession::posteriors(std::size_t token) {
  return posteriors().subspan(token * stride_, tagger_.num_labels());
}

double TaggingSession::log_partition() {
  posteriors();
  return log_z_;
}

double TaggingSession::log_probability(std::span<const std::uint16_t> labels) {
  double score = -log_partition();
  for (std::size_t t = 0; t < length_; ++t) {
    score += tempered_[t * stride_ + labels[t]];
    if (t > 0) score += tagger_.tempered_transitions().score(labels[t - 1], labels[t]);
  }
  return score;
}

void TaggingSession::posterior_labels(std::vector<std::uint16_t>& labels) {
  posteriors();
  labels.resize(length_);
  for (std::size_t t = 0; t < length_; ++t) {
    const auto row = posteriors(t);
    labels[t] = static_cast<std::uint16_t>(std::max_element(row.begin(), row.end()) - row.begin());
  }
}

const Messages& TaggingSession::messages() {
  if (!has_messages_) messages_.compute(tempered(), length_, tagger_.tempered_transitions());
  has_messages_ = true;
  return messages_;
}

double TaggingSession::segment_probability(std::size_t begin,
                                           std::span<const std::uint16_t> labels) {
  return chain::segment_probability(messages(), tempered(), tagger_.tempered_transitions(), begin,
                                    labels);
}

double TaggingSession::span_probability(const text::LabelledSpan& span) {
  if (!spans_) spans_.emplace(tagger_.config().labels);
  return spans_->probability(span, tempered(), tagger_.tempered_transitions(), messages());
}

std::vector<LabelSequence> TaggingSession::k_best(std::size_t k) {
  const double log_z = log_partition();
  const ChainForest packed =
      chain_forest(tempered_.data(), length_, tagger_.tempered_transitions());
  std::vector<LabelSequence> sequences;
  for (const Derivation& derivation : coppice::k_best(packed.forest, packed.scores, k)) {
    sequences.push_back({packed.sequence(derivation.edges), derivation.score - log_z});
  }
  return sequences;
}

std::vector<LabelSequence> TaggingSession::samples(std::size_t count, Random& random) {
  const double log_z = log_partition();
  const ChainForest packed =
      chain_forest(tempered_.data(), length_, tagger_.tempered_transitions());
  const auto chart = inside<LogSemiring>(packed.forest, packed.scores);
  std::vector<LabelSequence> sequences;
  while (sequences.size() < count) {
    const auto derivation = sample_derivation(packed.forest, packed.scores, chart, random);
    if (!derivation) break;
    sequences.push_back({packed.sequence(derivation->edges), derivation->score - log_z});
  }
  return sequences;
}

}  // namespace coppice::chain

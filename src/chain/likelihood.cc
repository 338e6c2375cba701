#include "coppice/chain/likelihood.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "coppice/base/error.h"

namespace coppice::chain {

namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();
// Tokens in a chunk: enough to share, few enough that float sums of pairs stay good to 1e-5.
constexpr std::size_t kChunkTokens = 4096;

}  // namespace

struct Likelihood::Scratch {
  Workspace workspace;
  AlignedVector<float> pairs;           // of the chunk, divided by the transitions' weights
  AlignedVector<float> sentence_pairs;  // of one sentence, where it has to be weighted
  AlignedVector<float> gold_scores;     // of one partly labelled sentence
  AlignedVector<float> gold_pairs;
};

Likelihood::Likelihood(Dataset data, Constraints constraints, LikelihoodOptions options)
    : data_(std::move(data)),
      constraints_(std::move(constraints)),
      options_(options),
      potential_(data_.design, data_.labels(), data_.num_labels, options.features),
      complete_(data_.num_sentences(), 1) {
  data_.design = {};  // the potential has its own copy, laid out better
  find_partial();
  check_gold();
  mask_.assign(potential_.mask().begin(), potential_.mask().end());
  multiplicity_.assign(potential_.multiplicity().begin(), potential_.multiplicity().end());
  if (options_.order == Order::kFirst) count_gold_pairs();
  cut_chunks();
  scores_.resize(data_.num_tokens() * potential_.stride());
}

void Likelihood::find_partial() {
  for (std::size_t i = 0; i < data_.num_sentences(); ++i) {
    for (std::size_t t = data_.sentence_begin[i]; t < data_.sentence_begin[i + 1]; ++t) {
      if (data_.gold_of(t).size() != 1) complete_[i] = 0;
    }
  }
}

void Likelihood::check_gold() const {
  const auto gold = [&](std::size_t t) { return data_.gold_of(t)[0]; };
  for (std::size_t i = 0; i < data_.num_sentences(); ++i) {
    const std::size_t begin = data_.sentence_begin[i], end = data_.sentence_begin[i + 1];
    if (complete_[i] == 0 || begin == end) continue;
    bool valid = constraints_.may_begin(gold(begin)) && constraints_.may_end(gold(end - 1));
    for (std::size_t t = begin + 1; t < end && valid; ++t) {
      valid = constraints_.allows(gold(t - 1), gold(t), data_.num_labels);
    }
    require(valid, "the labels of sentence ", i + 1, " break the constraints");
  }
}

// Which label pairs are features, and how often the annotation has each.
void Likelihood::count_gold_pairs() {
  const std::size_t labels = data_.num_labels, stride = potential_.stride();
  num_pairs_ = labels * stride;
  gold_pairs_.assign(num_pairs_, 0.0);
  std::vector<unsigned char> seen(num_pairs_, options_.features == FeatureSet::kAllPairs ? 1 : 0);
  for (std::size_t i = 0; i < data_.num_sentences(); ++i) {
    for (std::size_t t = data_.sentence_begin[i] + 1; t < data_.sentence_begin[i + 1]; ++t) {
      for (const std::size_t previous : data_.gold_of(t - 1)) {
        for (const std::size_t next : data_.gold_of(t)) {
          seen[previous * stride + next] = 1;
          if (complete_[i] != 0) gold_pairs_[previous * stride + next] += data_.weight_of(i);
        }
      }
    }
  }
  for (std::size_t u = 0; u < labels; ++u) {
    for (std::size_t y = 0; y < stride; ++y) {
      const bool feature =
          y < labels && seen[u * stride + y] != 0 && constraints_.allows(u, y, labels);
      mask_.push_back(feature ? 1 : 0);
      multiplicity_.push_back(1.0f);
    }
  }
}

void Likelihood::cut_chunks() {
  chunks_.push_back(0);
  std::size_t tokens = 0;
  for (std::uint32_t i = 0; i < data_.num_sentences(); ++i) {
    tokens += data_.sentence_begin[i + 1] - data_.sentence_begin[i];
    if (tokens >= kChunkTokens || i + 1 == data_.num_sentences()) {
      chunks_.push_back(i + 1);
      tokens = 0;
    }
  }
}

std::size_t Likelihood::num_features() const noexcept {
  const auto pairs = std::span(mask_).subspan(potential_.num_parameters());
  return potential_.num_features() +
         static_cast<std::size_t>(std::count(pairs.begin(), pairs.end(), 1));
}

// The kernel writes four rows at a time.
std::size_t Likelihood::pairs_size() const noexcept {
  return (data_.num_labels + 3) / 4 * 4 * potential_.stride();
}

Transitions Likelihood::transitions(std::span<const float> weights) const {
  const std::size_t labels = data_.num_labels;
  if (options_.order == Order::kIndependent) return Transitions(labels);
  const auto pairs = weights.subspan(potential_.num_parameters());
  std::vector<float> scores(pairs.begin(), pairs.end());
  for (std::size_t u = 0; u < labels; ++u) {
    for (std::size_t y = 0; y < labels; ++y) {
      if (!constraints_.allows(u, y, labels)) scores[u * potential_.stride() + y] = kForbidden;
    }
  }
  return Transitions(labels, scores);
}

void Likelihood::forbid_ends(std::size_t sentence) {
  const std::size_t stride = potential_.stride();
  float* first = scores_.data() + data_.sentence_begin[sentence] * stride;
  float* last = scores_.data() + (data_.sentence_begin[sentence + 1] - 1) * stride;
  for (std::size_t y = 0; y < data_.num_labels; ++y) {
    if (!constraints_.may_begin(y)) first[y] = kForbidden;
    if (!constraints_.may_end(y)) last[y] = kForbidden;
  }
}

double Likelihood::infer_complete(std::size_t sentence, const Transitions& transitions,
                                  Scratch& scratch, float* pairs) {
  const std::size_t stride = potential_.stride();
  const std::size_t begin = data_.sentence_begin[sentence];
  const std::size_t end = data_.sentence_begin[sentence + 1];
  const auto gold = [&](std::size_t t) { return data_.gold[data_.gold_begin[t]]; };
  double score = 0;
  for (std::size_t t = begin; t < end; ++t) {
    score += scores_[t * stride + gold(t)];
    if (t > begin) score += transitions.score(gold(t - 1), gold(t));
  }
  const double log_z = marginals(scores_.data() + begin * stride, end - begin, transitions,
                                 scratch.workspace, pairs);
  for (std::size_t t = begin; t < end; ++t) scores_[t * stride + gold(t)] -= 1;
  return log_z - score;
}

double Likelihood::infer_partial(std::size_t sentence, const Transitions& transitions,
                                 Scratch& scratch, float* pairs) {
  const std::size_t stride = potential_.stride();
  const std::size_t begin = data_.sentence_begin[sentence];
  const std::size_t length = data_.sentence_begin[sentence + 1] - begin;
  float* scores = scores_.data() + begin * stride;
  AlignedVector<float>& gold = scratch.gold_scores;
  gold.assign(scores, scores + length * stride);
  for (std::size_t t = 0; t < length; ++t) {
    const auto allowed = data_.gold_of(begin + t);
    if (allowed.empty()) continue;
    for (std::size_t y = 0; y < data_.num_labels; ++y) {
      if (std::find(allowed.begin(), allowed.end(), y) == allowed.end()) {
        gold[t * stride + y] = kForbidden;
      }
    }
  }
  scratch.gold_pairs.assign(pairs == nullptr ? 0 : pairs_size(), 0.0f);
  const double gold_z = marginals(gold.data(), length, transitions, scratch.workspace,
                                  pairs == nullptr ? nullptr : scratch.gold_pairs.data());
  const double log_z = marginals(scores, length, transitions, scratch.workspace, pairs);
  for (std::size_t k = 0; k < gold.size(); ++k) scores[k] -= gold[k];
  for (std::size_t k = 0; k < scratch.gold_pairs.size(); ++k) pairs[k] -= scratch.gold_pairs[k];
  return log_z - gold_z;
}

double Likelihood::infer_sentence(std::size_t sentence, const Transitions& transitions,
                                  Scratch& scratch) {
  const std::size_t stride = potential_.stride();
  const std::size_t begin = data_.sentence_begin[sentence];
  const std::size_t end = data_.sentence_begin[sentence + 1];
  if (begin == end) return 0;
  forbid_ends(sentence);
  const float weight = data_.weight_of(sentence);
  const bool weighted = weight != 1.0f && !transitions.none();
  if (weighted) scratch.sentence_pairs.assign(pairs_size(), 0.0f);
  float* pairs = weighted ? scratch.sentence_pairs.data() : scratch.pairs.data();
  if (transitions.none()) pairs = nullptr;
  const double value = complete_[sentence] != 0
                           ? infer_complete(sentence, transitions, scratch, pairs)
                           : infer_partial(sentence, transitions, scratch, pairs);
  if (!std::isfinite(value)) {
    throw Error(concat("the objective is not finite at sentence ", sentence + 1),
                {.code = "E310", .help = "check real-valued features for very large numbers"});
  }
  if (weighted) {
    for (std::size_t k = 0; k < pairs_size(); ++k) scratch.pairs[k] += weight * pairs[k];
  }
  if (weight != 1.0f) {
    for (std::size_t k = begin * stride; k < end * stride; ++k) scores_[k] *= weight;
  }
  return weight * value;
}

double Likelihood::infer(std::span<const float> weights, const Transitions& transitions,
                         const Threads& threads, std::vector<double>& pairs) {
  const std::size_t chunks = chunks_.size() - 1;
  std::vector<double> values(chunks, 0.0);
  std::vector<AlignedVector<float>> chunk_pairs(chunks);
  std::vector<Scratch> scratch(threads.size());
  threads.for_chunks(chunks, [&](std::size_t c, unsigned worker) {
    const std::size_t first = chunks_[c], last = chunks_[c + 1];
    potential_.score(weights, data_.sentence_begin[first], data_.sentence_begin[last],
                     scores_.data());
    scratch[worker].pairs.assign(transitions.none() ? 0 : pairs_size(), 0.0f);
    for (std::size_t i = first; i < last; ++i) {
      values[c] += infer_sentence(i, transitions, scratch[worker]);
    }
    chunk_pairs[c] = scratch[worker].pairs;
  });
  double value = 0;
  pairs.assign(num_pairs_, 0.0);
  for (std::size_t c = 0; c < chunks; ++c) {
    value += values[c];
    for (std::size_t k = 0; k < num_pairs_; ++k) pairs[k] += chunk_pairs[c][k];
  }
  for (std::size_t k = 0; k < num_pairs_; ++k) pairs[k] *= transitions.weights()[k];
  return value;
}

double Likelihood::operator()(std::span<const float> weights, std::span<float> gradient,
                              const Threads& threads) {
  std::vector<double> pairs;
  const double value = infer(weights, transitions(weights), threads, pairs);
  threads.for_chunks(potential_.num_blocks(), [&](std::size_t block, unsigned) {
    potential_.gradient(scores_.data(), block, gradient);
  });
  const std::size_t first = potential_.num_parameters();
  for (std::size_t k = 0; k < num_pairs_; ++k) {
    gradient[first + k] =
        mask_[first + k] != 0 ? static_cast<float>(pairs[k] - gold_pairs_[k]) : 0.0f;
  }
  return value;
}

// One step on the label pairs for a batch: expected minus gold counts.
void Likelihood::step_pairs(std::span<const std::uint32_t> batch, const Transitions& transitions,
                            const Scratch& scratch, PairAdaGrad& pairs,
                            std::span<float> weights) const {
  const std::size_t stride = potential_.stride();
  std::vector<float> gradient(num_pairs_);
  for (std::size_t k = 0; k < num_pairs_; ++k) {
    gradient[k] = scratch.pairs[k] * transitions.weights()[k];
  }
  for (const std::uint32_t i : batch) {
    if (complete_[i] == 0) continue;  // its gold counts have been subtracted already
    for (std::size_t t = data_.sentence_begin[i] + 1; t < data_.sentence_begin[i + 1]; ++t) {
      gradient[data_.gold_of(t - 1)[0] * stride + data_.gold_of(t)[0]] -= data_.weight_of(i);
    }
  }
  float* w = weights.data() + potential_.num_parameters();
  const unsigned char* mask = mask_.data() + potential_.num_parameters();
  for (std::size_t k = 0; k < num_pairs_; ++k) {
    if (mask[k] == 0) continue;
    pairs.sums[k] += gradient[k] * gradient[k];
    w[k] -= static_cast<float>(pairs.step) * gradient[k] / std::sqrt(pairs.sums[k]);
  }
}

double Likelihood::stochastic_pass(std::span<const std::uint32_t> order, RowAdaGrad& rows,
                                   PairAdaGrad& pairs, std::span<float> weights) {
  constexpr std::size_t batch_size = 8;  // sentences between steps on the label pairs
  const std::size_t stride = potential_.stride();
  pairs.sums.resize(num_pairs_, 1e-3f);
  Scratch scratch;
  double value = 0;
  for (std::size_t at = 0; at < order.size(); at += batch_size) {
    const auto batch = order.subspan(at, std::min(batch_size, order.size() - at));
    const Transitions table = transitions(weights);
    scratch.pairs.assign(table.none() ? 0 : pairs_size(), 0.0f);
    for (const std::uint32_t i : batch) {
      const std::size_t begin = data_.sentence_begin[i], end = data_.sentence_begin[i + 1];
      potential_.score(weights, begin, end, scores_.data());
      value += infer_sentence(i, table, scratch);
      for (std::size_t t = begin; t < end; ++t) {
        rows.update(t, scores_.data() + t * stride, weights);
      }
    }
    if (!table.none()) step_pairs(batch, table, scratch, pairs, weights);
  }
  return value;
}

void Likelihood::curvature(std::span<const float> weights, std::span<float> diagonal,
                           const Threads& threads) {
  const std::size_t labels = data_.num_labels, stride = potential_.stride();
  std::vector<double> pairs;
  infer(weights, transitions(weights), threads, pairs);
  std::vector<double> expected(labels, 1e-6), variance(labels, 0.0);
  for (std::size_t i = 0; i < data_.num_sentences(); ++i) {
    for (std::size_t t = data_.sentence_begin[i]; t < data_.sentence_begin[i + 1]; ++t) {
      float* row = scores_.data() + t * stride;
      if (complete_[i] != 0) row[data_.gold_of(t)[0]] += data_.weight_of(i);
      for (std::size_t y = 0; y < labels; ++y) {
        const float p = std::clamp(row[y], 0.0f, 1.0f);
        row[y] = p * (1 - p);
        expected[y] += p;
        variance[y] += row[y];
      }
    }
  }
  threads.for_chunks(potential_.num_blocks(), [&](std::size_t block, unsigned) {
    potential_.gradient(scores_.data(), block, diagonal);
  });
  // A pair is taken to be as uncertain as its second label is on average.
  const std::size_t first = potential_.num_parameters();
  for (std::size_t k = 0; k < num_pairs_; ++k) {
    const std::size_t y = k % stride;
    const double share = y < labels ? variance[y] / expected[y] : 0;
    diagonal[first + k] = static_cast<float>(std::abs(pairs[k]) * share);
  }
}

}  // namespace coppice::chain

#include "coppice/chain/corpus_objective.h"

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

struct CorpusObjective::Scratch {
  Workspace workspace;
  PairDerivatives pairs;           // of the chunk or batch
  PairDerivatives sentence_pairs;  // of one sentence, where it has to be weighted
};

CorpusObjective::CorpusObjective(Dataset data, Constraints constraints, ChainOptions options,
                                 std::unique_ptr<SentenceObjective> objective,
                                 std::unique_ptr<SentenceObjective> start)
    : data_(std::move(data)),
      constraints_(std::move(constraints)),
      options_(options),
      objective_(std::move(objective)),
      start_(std::move(start)),
      potential_(data_.design, data_.labels(), data_.num_labels, options.features),
      complete_(data_.num_sentences(), 1) {
  data_.design = {};  // the potential has its own copy, laid out better
  require(!objective_->looks_ahead() || data_.weight.empty(),
          "an objective of the whole corpus does not go with weights of sentences");
  find_partial();
  check_gold();
  mask_.assign(potential_.mask().begin(), potential_.mask().end());
  multiplicity_.assign(potential_.multiplicity().begin(), potential_.multiplicity().end());
  if (options_.order == Order::kFirst) find_pairs();
  cut_chunks();
  scores_.resize(data_.num_tokens() * potential_.stride());
}

void CorpusObjective::find_partial() {
  for (std::size_t i = 0; i < data_.num_sentences(); ++i) {
    for (std::size_t t = data_.sentence_begin[i]; t < data_.sentence_begin[i + 1]; ++t) {
      if (data_.gold_of(t).size() != 1) complete_[i] = 0;
    }
  }
}

void CorpusObjective::check_gold() const {
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

// Which label pairs are features.
void CorpusObjective::find_pairs() {
  const std::size_t labels = data_.num_labels, stride = potential_.stride();
  num_pairs_ = labels * stride;
  std::vector<unsigned char> seen(num_pairs_, options_.features == FeatureSet::kAllPairs ? 1 : 0);
  for (std::size_t i = 0; i < data_.num_sentences(); ++i) {
    for (std::size_t t = data_.sentence_begin[i] + 1; t < data_.sentence_begin[i + 1]; ++t) {
      for (const std::size_t previous : data_.gold_of(t - 1)) {
        for (const std::size_t next : data_.gold_of(t)) seen[previous * stride + next] = 1;
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

void CorpusObjective::cut_chunks() {
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

std::size_t CorpusObjective::num_features() const noexcept {
  const auto pairs = std::span(mask_).subspan(potential_.num_parameters());
  return potential_.num_features() +
         static_cast<std::size_t>(std::count(pairs.begin(), pairs.end(), 1));
}

Transitions CorpusObjective::transitions(std::span<const float> weights) const {
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

Annotation CorpusObjective::annotation(std::size_t sentence) const noexcept {
  const std::size_t begin = data_.sentence_begin[sentence];
  const std::size_t length = data_.sentence_begin[sentence + 1] - begin;
  return {std::span(data_.gold_begin).subspan(begin, length + 1), data_.gold,
          complete_[sentence] != 0};
}

float* CorpusObjective::scores_of(std::size_t sentence) noexcept {
  return scores_.data() + data_.sentence_begin[sentence] * potential_.stride();
}

void CorpusObjective::forbid_ends(std::size_t sentence) {
  float* first = scores_of(sentence);
  float* last = scores_of(sentence + 1) - potential_.stride();
  for (std::size_t y = 0; y < data_.num_labels; ++y) {
    if (!constraints_.may_begin(y)) first[y] = kForbidden;
    if (!constraints_.may_end(y)) last[y] = kForbidden;
  }
}

// Lets `infer` replace the sentence's scores and add to pairs, and multiplies both by its weight.
template <class Infer>
double CorpusObjective::weigh(std::size_t sentence, const Transitions& transitions,
                              Scratch& scratch, const Infer& infer) {
  forbid_ends(sentence);
  const float weight = data_.weight_of(sentence);
  const Example example{scores_of(sentence), transitions, annotation(sentence), sentence};
  if (weight == 1.0f) return infer(example, scratch.pairs);
  scratch.sentence_pairs.reset(transitions);
  const double value = infer(example, scratch.sentence_pairs);
  scratch.sentence_pairs.finish(transitions);
  scratch.pairs.add(scratch.sentence_pairs, weight);
  for (float* score = scores_of(sentence); score != scores_of(sentence + 1); ++score) {
    *score *= weight;
  }
  return weight * value;
}

double CorpusObjective::evaluate_sentence(const SentenceObjective& objective, std::size_t sentence,
                                          const Transitions& transitions, Scratch& scratch) {
  return weigh(sentence, transitions, scratch, [&](const Example& example, PairDerivatives& pairs) {
    const double value = objective.evaluate(example, pairs, scratch.workspace);
    if (std::isfinite(value)) return value;
    throw Error(concat("the objective is not finite at sentence ", sentence + 1),
                {.code = "E310", .help = "check real-valued features for very large numbers"});
  });
}

template <class Infer>
double CorpusObjective::sweep(std::span<const float> weights, const Transitions& transitions,
                              const Threads& threads, std::vector<double>& pairs,
                              const Infer& infer) {
  const std::size_t chunks = chunks_.size() - 1;
  std::vector<double> values(chunks, 0.0);
  std::vector<AlignedVector<float>> chunk_pairs(chunks);
  std::vector<Scratch> scratch(threads.size());
  threads.for_chunks(chunks, [&](std::size_t c, unsigned worker) {
    const std::size_t first = chunks_[c], last = chunks_[c + 1];
    potential_.score(weights, data_.sentence_begin[first], data_.sentence_begin[last],
                     scores_.data());
    scratch[worker].pairs.reset(transitions);
    for (std::size_t i = first; i < last; ++i) {
      if (data_.sentence_begin[i] != data_.sentence_begin[i + 1]) {
        values[c] += infer(i, scratch[worker]);
      }
    }
    const auto sums = scratch[worker].pairs.finish(transitions);
    chunk_pairs[c].assign(sums.begin(), sums.end());
  });
  double value = 0;
  pairs.assign(num_pairs_, 0.0);
  for (std::size_t c = 0; c < chunks; ++c) {
    value += values[c];
    for (std::size_t k = 0; k < num_pairs_; ++k) pairs[k] += chunk_pairs[c][k];
  }
  return value;
}

void CorpusObjective::look_ahead(std::span<const float> weights, const Transitions& transitions,
                                 const Threads& threads) {
  std::vector<double> pairs;
  objective_->begin_look(data_.num_sentences());
  sweep(weights, transitions, threads, pairs, [&](std::size_t sentence, Scratch& scratch) {
    forbid_ends(sentence);
    objective_->look({scores_of(sentence), transitions, annotation(sentence), sentence},
                     scratch.workspace);
    return 0.0;
  });
  objective_->end_look();
}

double CorpusObjective::operator()(std::span<const float> weights, std::span<float> gradient,
                                   const Threads& threads) {
  std::vector<double> pairs;
  const Transitions table = transitions(weights);
  if (objective_->looks_ahead()) look_ahead(weights, table, threads);
  const double value =
      sweep(weights, table, threads, pairs, [&](std::size_t sentence, Scratch& scratch) {
        return evaluate_sentence(*objective_, sentence, table, scratch);
      });
  threads.for_chunks(potential_.num_blocks(), [&](std::size_t block, unsigned) {
    potential_.gradient(scores_.data(), block, gradient);
  });
  const std::size_t first = potential_.num_parameters();
  for (std::size_t k = 0; k < num_pairs_; ++k) {
    gradient[first + k] = mask_[first + k] != 0 ? static_cast<float>(pairs[k]) : 0.0f;
  }
  return value;
}

// One step on the label pairs for a batch.
void CorpusObjective::step_pairs(const Transitions& transitions, Scratch& scratch,
                                 PairAdaGrad& pairs, std::span<float> weights) const {
  const auto gradient = scratch.pairs.finish(transitions);
  float* w = weights.data() + potential_.num_parameters();
  const unsigned char* mask = mask_.data() + potential_.num_parameters();
  for (std::size_t k = 0; k < num_pairs_; ++k) {
    if (mask[k] == 0) continue;
    pairs.sums[k] += gradient[k] * gradient[k];
    w[k] -= static_cast<float>(pairs.step) * gradient[k] / std::sqrt(pairs.sums[k]);
  }
}

double CorpusObjective::stochastic_pass(std::span<const std::uint32_t> order, RowAdaGrad& rows,
                                        PairAdaGrad& pairs, std::span<float> weights) {
  constexpr std::size_t batch_size = 8;  // sentences between steps on the label pairs
  const std::size_t stride = potential_.stride();
  pairs.sums.resize(num_pairs_, 1e-3f);
  Scratch scratch;
  double value = 0;
  for (std::size_t at = 0; at < order.size(); at += batch_size) {
    const Transitions table = transitions(weights);
    scratch.pairs.reset(table);
    for (const std::uint32_t i : order.subspan(at, std::min(batch_size, order.size() - at))) {
      const std::size_t begin = data_.sentence_begin[i], end = data_.sentence_begin[i + 1];
      if (begin == end) continue;
      potential_.score(weights, begin, end, scores_.data());
      value += evaluate_sentence(start_ ? *start_ : *objective_, i, table, scratch);
      for (std::size_t t = begin; t < end; ++t) {
        rows.update(t, scores_.data() + t * stride, weights);
      }
    }
    step_pairs(table, scratch, pairs, weights);
  }
  return value;
}

void CorpusObjective::curvature(std::span<const float> weights, std::span<float> diagonal,
                                const Threads& threads) {
  const std::size_t labels = data_.num_labels, stride = potential_.stride();
  std::vector<double> pairs;
  const Transitions table = transitions(weights);
  sweep(weights, table, threads, pairs, [&](std::size_t sentence, Scratch& scratch) {
    return weigh(sentence, table, scratch, [&](const Example& example, PairDerivatives& sums) {
      return marginals(example.scores, example.length(), table, scratch.workspace,
                       sums.by_weight());
    });
  });
  std::vector<double> expected(labels, 1e-6), variance(labels, 0.0);
  for (std::size_t t = 0; t < data_.num_tokens(); ++t) {
    float* row = scores_.data() + t * stride;
    for (std::size_t y = 0; y < labels; ++y) {
      const float p = std::clamp(row[y], 0.0f, 1.0f);
      row[y] = p * (1 - p);
      expected[y] += p;
      variance[y] += row[y];
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

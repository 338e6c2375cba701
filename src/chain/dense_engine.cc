// The engine of rows and transitions: dense kernels, and the item graph where they do not suffice.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "chain/count_kernel.h"
#include "chain/engine.h"
#include "chain/item_graph.h"
#include "chain/sentence_counts.h"
#include "chain/span_kernel.h"
#include "coppice/base/error.h"
#include "learn/logistic.h"

namespace coppice::chain {

namespace {

Transitions scaled(const Transitions& transitions, double scale) {
  if (transitions.none()) return Transitions(transitions.labels());
  std::vector<float> scores(transitions.scores(),
                            transitions.scores() + transitions.labels() * transitions.stride());
  for (float& score : scores) score *= static_cast<float>(scale);
  return Transitions(transitions.labels(), scores);
}

// Turns scores into probabilities; returns the log of their sum.
double soften(std::vector<double>& scores) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double score : scores) largest = std::max(largest, score);
  if (largest == -std::numeric_limits<double>::infinity()) return largest;
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - largest);
  for (double& score : scores) score /= sum;
  return largest + std::log(sum);
}

}  // namespace

double DenseEngine::posteriors() {
  return marginals(scores_, length(), transitions_, workspace_, pairs_.by_weight());
}

double DenseEngine::gold_score() const {
  const std::span<const std::uint16_t> gold = gold_labels();
  double score = 0;
  for (std::size_t t = 0; t < gold.size(); ++t) score += scores_[t * stride() + gold[t]];
  if (transitions_.none()) return score;
  const float* pairs = transitions_.scores();
  for (std::size_t t = 1; t < gold.size(); ++t) score += pairs[gold[t - 1] * stride() + gold[t]];
  return score;
}

void DenseEngine::subtract_gold() {
  const std::span<const std::uint16_t> gold = gold_labels();
  for (std::size_t t = 0; t < gold.size(); ++t) scores_[t * stride() + gold[t]] -= 1;
  if (transitions_.none() || pairs_.none()) return;
  for (std::size_t t = 1; t < gold.size(); ++t) pairs_.add(gold[t - 1], gold[t], -1);
}

// Posteriors twice; the second time over what the annotation allows.
double DenseEngine::partial_likelihood() {
  AlignedVector<float> allowed = gold().restricted(scores_, transitions_.labels());
  PairDerivatives allowed_pairs;
  allowed_pairs.reset(transitions_, pairs_.num_longer());
  DenseEngine right(allowed.data(), transitions_, target_, allowed_pairs, workspace_);
  const double gold_z = right.posteriors();
  const double log_z = posteriors();
  for (std::size_t k = 0; k < allowed.size(); ++k) scores_[k] -= allowed[k];
  allowed_pairs.finish(transitions_);
  pairs_.add(allowed_pairs, -1);
  return log_z - gold_z;
}

double DenseEngine::complete_pseudo_likelihood() {
  const std::size_t labels = transitions_.labels();
  const std::span<const std::uint16_t> gold = gold_labels();
  std::vector<double> conditional(labels);
  double value = 0;
  for (std::size_t t = 0; t < gold.size(); ++t) {
    float* scores = scores_ + t * stride();
    const bool has_left = t > 0 && !transitions_.none();
    const bool has_right = t + 1 < gold.size() && !transitions_.none();
    for (std::size_t y = 0; y < labels; ++y) {
      conditional[y] = scores[y];
      if (has_left) conditional[y] += transitions_.score(gold[t - 1], y);
      if (has_right) conditional[y] += transitions_.score(y, gold[t + 1]);
    }
    const double right = conditional[gold[t]];
    value += soften(conditional) - right;
    conditional[gold[t]] -= 1;
    for (std::size_t y = 0; y < labels; ++y) {
      const auto derivative = static_cast<float>(conditional[y]);
      scores[y] = derivative;
      if (has_left) pairs_.add(gold[t - 1], y, derivative);
      if (has_right) pairs_.add(y, gold[t + 1], derivative);
    }
  }
  return value;
}

void DenseEngine::add_costs(const CostRows& costs) {
  for (std::size_t t = 0; t < length(); ++t) costs.add(gold().at(t), scores_ + t * stride());
}

double DenseEngine::teacher() {
  const SoftTargets& soft = target_.soft;
  require(!soft.empty(), "the teacher objective needs soft targets, and the sentence has none");
  const std::size_t labels = transitions_.labels();
  double expected = 0;
  for (std::size_t t = 0; t < length(); ++t) {
    for (std::size_t y = 0; y < labels; ++y) {
      expected += learn::expected_score(soft.of(t, y), scores_[t * stride() + y]);
    }
  }
  const double log_z = posteriors();
  for (std::size_t t = 0; t < length(); ++t) {
    for (std::size_t y = 0; y < labels; ++y) {
      scores_[t * stride() + y] -= static_cast<float>(soft.of(t, y));
    }
  }
  for (std::size_t t = 1; !transitions_.none() && t < length(); ++t) {
    for (std::size_t u = 0; u < labels; ++u) {
      for (std::size_t v = 0; v < labels; ++v) {
        const double count = soft.of(t, u, v);
        if (count == 0) continue;
        expected += learn::expected_score(count, transitions_.score(u, v));
        pairs_.add(u, v, static_cast<float>(-count));
      }
    }
  }
  return log_z - expected;
}

double DenseEngine::parts() {
  const std::size_t labels = transitions_.labels();
  std::vector<float> before(scores_, scores_ + length() * stride());
  std::fill_n(scores_, before.size(), 0.0f);
  double value = 0;
  for (std::size_t t = 0; t < length(); ++t) {
    const bool has_pairs = t > 0 && !transitions_.none();
    for (std::size_t u = 0; u < (has_pairs ? labels : 1); ++u) {
      for (std::size_t y = 0; y < labels; ++y) {
        const double pair = has_pairs ? static_cast<double>(transitions_.score(u, y)) : 0.0;
        const double score = static_cast<double>(before[t * stride() + y]) + pair;
        if (score == -std::numeric_limits<double>::infinity()) continue;
        const bool is_gold = gold().allows(t, y) && (!has_pairs || gold().allows(t - 1, u));
        const learn::LogLoss loss = learn::log_loss(score, is_gold);
        value += loss.value;
        scores_[t * stride() + y] += static_cast<float>(loss.derivative);
        if (has_pairs) pairs_.add(u, y, static_cast<float>(loss.derivative));
      }
    }
  }
  return value;
}

std::optional<double> DenseEngine::lay_out(double scale, const GoldItems* gold, ItemGraph& graph) {
  AlignedVector<float> scores(scores_, scores_ + length() * stride());
  std::optional<Transitions> sharpened;
  if (scale != 1) {
    for (float& score : scores) score *= static_cast<float>(scale);
    sharpened = scaled(transitions_, scale);
  }
  const Transitions& transitions = sharpened ? *sharpened : transitions_;
  AlignedVector<float> posteriors = scores;
  const double log_z = marginals(posteriors.data(), length(), transitions, workspace_, nullptr);
  if (!std::isfinite(log_z)) return std::nullopt;
  const ItemGraphInput input{scores.data(), posteriors.data(), length(), transitions};
  graph = build_item_graph(input, loss().rules(), gold, kLeastPosterior);
  if (!std::isfinite(normalise(graph))) return std::nullopt;
  return log_z;
}

void DenseEngine::write(const ItemGraph& graph, std::span<const double> gradient, double factor) {
  std::fill_n(scores_, length() * stride(), 0.0f);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const EdgeLabels& labels = graph.steps[i].labels;
    if (labels.label == kNoLabel) continue;
    const auto derivative = static_cast<float>(factor * gradient[i]);
    scores_[labels.token * stride() + labels.label] += derivative;
    if (labels.previous != kNoLabel && !pairs_.none()) {
      pairs_.add(labels.previous, labels.label, derivative);
    }
  }
}

std::optional<double> DenseEngine::dense_margin() {
  if (const SpanFactors* factors = loss().span_factors()) {
    const double right = gold_score();
    const double log_sum = span_marginals(scores_, gold_labels(), transitions_, *factors,
                                          workspace_, pairs_.by_weight());
    if (!std::isnan(log_sum)) {
      subtract_gold();
      return log_sum - right;
    }
  }
  return by_counts(true);
}

std::optional<double> DenseEngine::dense_risk() { return by_counts(false); }

std::optional<double> DenseEngine::by_counts(bool is_margin) {
  if (loss().count_rules() == nullptr) return std::nullopt;
  const GoldItems gold(loss().rules(), gold_labels());
  const double right = gold_score();
  SentenceCounts counts(scores_, transitions_, *loss().count_rules(), gold, workspace_);
  if (!counts.possible()) return std::nullopt;
  std::vector<double> losses;
  for (const CountProbability& entry : counts.table()) {
    losses.push_back(loss().of_counts(entry.counts, gold.number));
  }
  const GoalValues goal =
      is_margin ? goal_margin(counts.table(), losses) : goal_risk(counts.table(), losses);
  if (!counts.write(goal.derivatives, pairs_)) return std::nullopt;
  statistics_ = counts.statistics();
  if (!is_margin) return goal.value;
  subtract_gold();
  return counts.log_partition() + goal.value - right;
}

std::optional<learn::CountDistribution> DenseEngine::dense_counts(const GoldItems& gold) {
  if (loss().count_rules() == nullptr) return std::nullopt;
  const SentenceCounts counts(scores_, transitions_, *loss().count_rules(), gold, workspace_);
  if (!counts.possible()) return std::nullopt;
  statistics_ = counts.statistics();
  return counts.table();
}

std::optional<double> DenseEngine::write_dense_counts(const GoldItems& gold,
                                                      std::span<const double> losses,
                                                      bool is_margin) {
  if (loss().count_rules() == nullptr) return std::nullopt;
  SentenceCounts counts(scores_, transitions_, *loss().count_rules(), gold, workspace_);
  if (!counts.possible()) return std::nullopt;
  const GoalValues goal =
      is_margin ? goal_margin(counts.table(), losses) : goal_risk(counts.table(), losses);
  if (!counts.write(goal.derivatives, pairs_)) return std::nullopt;
  return counts.log_partition();
}

}  // namespace coppice::chain

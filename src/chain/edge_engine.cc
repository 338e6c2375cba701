// The engine of label pairs that are scored token by token.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "chain/engine.h"
#include "chain/forbidden.h"
#include "chain/item_graph.h"
#include "coppice/base/error.h"
#include "learn/logistic.h"

namespace coppice::chain {

template <class Visit>
void EdgeEngine::for_pairs(const Visit& visit) const {
  for (std::size_t t = 0; t < length(); ++t) {
    for (std::size_t state = shape_.first_state(t); state < shape_.last_state(t); ++state) {
      for (std::size_t y = 0; y < shape_.labels; ++y) visit(t, state, y, shape_.place(t, state, y));
    }
  }
}

std::size_t EdgeEngine::gold_place(std::size_t t) const {
  const std::size_t previous = t > 0 ? gold().at(t - 1)[0] : 0;
  return shape_.place(t, shape_.state_after(t, previous), gold().at(t)[0]);
}

double EdgeEngine::posteriors() {
  return edge_marginals(shape_, scores_, scores_, workspace_.edges);
}

double EdgeEngine::gold_score() const {
  gold_labels();  // throws where they are not all there
  double score = 0;
  for (std::size_t t = 0; t < length(); ++t) score += static_cast<double>(scores_[gold_place(t)]);
  return score;
}

void EdgeEngine::subtract_gold() {
  for (std::size_t t = 0; t < length(); ++t) scores_[gold_place(t)] -= 1;
}

double EdgeEngine::partial_likelihood() {
  std::vector<float> allowed(scores_.begin(), scores_.end());
  for_pairs([&](std::size_t t, std::size_t, std::size_t y, std::size_t place) {
    if (!gold().allows(t, y)) allowed[place] = kForbidden;
  });
  const double gold_z = edge_marginals(shape_, allowed, allowed, workspace_.edges);
  const double log_z = posteriors();
  for (std::size_t i = 0; i < scores_.size(); ++i) scores_[i] -= allowed[i];
  return log_z - gold_z;
}

double EdgeEngine::complete_pseudo_likelihood() {
  const std::vector<float> scores(scores_.begin(), scores_.end());
  std::fill(scores_.begin(), scores_.end(), 0.0f);
  std::vector<double> p(shape_.labels);
  double value = 0;
  for (std::size_t t = 0; t < length(); ++t) {
    const std::size_t right = gold().at(t)[0];
    const std::size_t state = shape_.state_after(t, t > 0 ? gold().at(t - 1)[0] : 0);
    const bool is_followed = shape_.has_pairs() && t + 1 < length();
    // Where a candidate v meets the token after: its pair (v, y_{t+1}).
    const auto onward = [&](std::size_t v) { return shape_.place(t + 1, v, gold().at(t + 1)[0]); };
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < shape_.labels; ++v) {
      p[v] = static_cast<double>(scores[shape_.place(t, state, v)]);
      if (is_followed) p[v] += static_cast<double>(scores[onward(v)]);
      largest = std::max(largest, p[v]);
    }
    double sum = 0;
    const double right_score = p[right];
    for (double& one : p) sum += one = std::exp(one - largest);
    value += largest + std::log(sum) - right_score;
    for (std::size_t v = 0; v < shape_.labels; ++v) {
      const auto slope = static_cast<float>(p[v] / sum - (v == right ? 1 : 0));
      scores_[shape_.place(t, state, v)] += slope;
      if (is_followed) scores_[onward(v)] += slope;
    }
  }
  return value;
}

void EdgeEngine::add_costs(const CostRows& costs) {
  for (std::size_t t = 0; t < length(); ++t) {
    for (std::size_t state = shape_.first_state(t); state < shape_.last_state(t); ++state) {
      costs.add(gold().at(t), &scores_[shape_.place(t, state, 0)]);
    }
  }
}

double EdgeEngine::teacher() {
  require(!target_.soft.empty(),
          "the teacher objective needs soft targets, and the sentence has none");
  std::vector<double> counts(scores_.size(), 0.0);
  double expected = 0;
  for_pairs([&](std::size_t t, std::size_t state, std::size_t y, std::size_t place) {
    const bool has_pair = shape_.has_pairs() && t > 0;
    counts[place] = has_pair ? target_.soft.of(t, state, y) : target_.soft.of(t, y);
    expected += learn::expected_score(counts[place], static_cast<double>(scores_[place]));
  });
  const double log_z = posteriors();
  for (std::size_t i = 0; i < counts.size(); ++i) scores_[i] -= static_cast<float>(counts[i]);
  return log_z - expected;
}

double EdgeEngine::parts() {
  const std::vector<float> scores(scores_.begin(), scores_.end());
  std::fill(scores_.begin(), scores_.end(), 0.0f);  // also where a token has no such pair
  double value = 0;
  for_pairs([&](std::size_t t, std::size_t state, std::size_t y, std::size_t place) {
    const auto score = static_cast<double>(scores[place]);
    if (score == -std::numeric_limits<double>::infinity()) return;
    const bool has_pair = shape_.has_pairs() && t > 0;
    const bool is_gold = gold().allows(t, y) && (!has_pair || gold().allows(t - 1, state));
    const learn::LogLoss loss = learn::log_loss(score, is_gold);
    value += loss.value;
    scores_[place] = static_cast<float>(loss.derivative);
  });
  return value;
}

std::optional<double> EdgeEngine::lay_out(double scale, const GoldItems* gold, ItemGraph& graph) {
  std::vector<float> scores(scores_.begin(), scores_.end()), p(scores.size());
  if (scale != 1) {
    for (float& score : scores) score *= static_cast<float>(scale);
  }
  EdgeWorkspace workspace;
  const double log_z = edge_marginals(shape_, scores, p, workspace);
  if (!std::isfinite(log_z)) return std::nullopt;
  const Transitions none(shape_.labels);
  const std::size_t stride = none.stride();
  std::vector<float> posteriors(length() * stride, 0.0f);
  for (std::size_t t = 0; t < length(); ++t) {
    edge_posterior(shape_, p, t, std::span(posteriors).subspan(t * stride, shape_.labels));
  }
  const ItemGraphInput input{nullptr, posteriors.data(), length(), none, shape_, scores};
  graph = build_item_graph(input, loss().rules(), gold, kLeastPosterior);
  if (!std::isfinite(normalise(graph))) return std::nullopt;
  return log_z;
}

void EdgeEngine::write(const ItemGraph& graph, std::span<const double> gradient, double factor) {
  std::fill(scores_.begin(), scores_.end(), 0.0f);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const EdgeLabels& labels = graph.steps[i].labels;
    if (labels.label == kNoLabel) continue;
    const std::size_t state = shape_.state_after(labels.token, labels.previous);
    scores_[shape_.place(labels.token, state, labels.label)] +=
        static_cast<float>(factor * gradient[i]);
  }
}

}  // namespace coppice::chain

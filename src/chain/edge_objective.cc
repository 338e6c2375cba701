#include "coppice/chain/edge_objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "chain/forbidden.h"

namespace coppice::chain {

namespace {

// The scores with all labels forbidden that the annotation does not allow.
void restrict_to_gold(const EdgeExample& example, std::vector<float>& scores) {
  const EdgeShape& shape = example.shape;
  scores.assign(example.scores.begin(), example.scores.end());
  for (std::size_t t = 0; t < example.gold.length(); ++t) {
    for (std::size_t v = 0; v < shape.labels; ++v) {
      if (example.gold.allows(t, v)) continue;
      for (std::size_t state = shape.first_state(t); state < shape.last_state(t); ++state) {
        scores[shape.place(t, state, v)] = kForbidden;
      }
    }
  }
}

// The place of a token's gold pair. Requires a complete annotation.
std::size_t gold_place(const EdgeExample& example, std::size_t t) {
  const std::size_t previous = t > 0 ? example.gold.at(t - 1)[0] : 0;
  return example.shape.place(t, example.shape.state_after(t, previous), example.gold.at(t)[0]);
}

// The example for an objective of sentences, which may write to its scores.
Example as_sentence(const EdgeExample& example, std::span<float> scores, const Transitions& none) {
  Example sentence{nullptr, none, example.gold};
  sentence.sentence = example.sentence;
  sentence.edge_shape = example.shape;
  sentence.edges = scores;
  return sentence;
}

}  // namespace

double edge_likelihood(const EdgeExample& example, std::span<float> derivatives,
                       EdgeWorkspace& workspace) {
  const EdgeShape& shape = example.shape;
  if (!example.gold.complete) {
    std::vector<float> right;
    restrict_to_gold(example, right);
    const double gold_z = edge_marginals(shape, right, right, workspace);
    const double log_z = edge_marginals(shape, example.scores, derivatives, workspace);
    for (std::size_t i = 0; i < derivatives.size(); ++i) derivatives[i] -= right[i];
    return log_z - gold_z;
  }
  double score = 0;
  for (std::size_t t = 0; t < example.gold.length(); ++t) {
    score += static_cast<double>(example.scores[gold_place(example, t)]);
  }
  const double log_z = edge_marginals(shape, example.scores, derivatives, workspace);
  for (std::size_t t = 0; t < example.gold.length(); ++t) {
    derivatives[gold_place(example, t)] -= 1;
  }
  return log_z - score;
}

double EdgeLikelihood::evaluate(const EdgeExample& example, std::span<float> derivatives,
                                EdgeObjectiveWorkspace& workspace) const {
  return edge_likelihood(example, derivatives, workspace.sentence.edges);
}

double EdgePseudoLikelihood::evaluate(const EdgeExample& example, std::span<float> derivatives,
                                      EdgeObjectiveWorkspace& workspace) const {
  if (!example.gold.complete) {
    return edge_likelihood(example, derivatives, workspace.sentence.edges);
  }
  const EdgeShape& shape = example.shape;
  const std::size_t length = example.gold.length();
  std::fill(derivatives.begin(), derivatives.end(), 0.0f);
  std::vector<double> p(shape.labels);
  double value = 0;
  for (std::size_t t = 0; t < length; ++t) {
    const std::size_t gold = example.gold.at(t)[0];
    const std::size_t state = shape.state_after(t, t > 0 ? example.gold.at(t - 1)[0] : 0);
    const bool is_followed = shape.has_pairs() && t + 1 < length;
    // Where a candidate v meets the token after: its pair (v, y_{t+1}).
    const auto onward = [&](std::size_t v) {
      return shape.place(t + 1, v, example.gold.at(t + 1)[0]);
    };
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < shape.labels; ++v) {
      p[v] = static_cast<double>(example.scores[shape.place(t, state, v)]);
      if (is_followed) p[v] += static_cast<double>(example.scores[onward(v)]);
      largest = std::max(largest, p[v]);
    }
    double sum = 0;
    const double gold_score = p[gold];
    for (double& one : p) sum += one = std::exp(one - largest);
    value += largest + std::log(sum) - gold_score;
    for (std::size_t v = 0; v < shape.labels; ++v) {
      const auto slope = static_cast<float>(p[v] / sum - (v == gold ? 1 : 0));
      derivatives[shape.place(t, state, v)] += slope;
      if (is_followed) derivatives[onward(v)] += slope;
    }
  }
  return value;
}

double SentenceEdgeObjective::evaluate(const EdgeExample& example, std::span<float> derivatives,
                                       EdgeObjectiveWorkspace& workspace) const {
  std::copy(example.scores.begin(), example.scores.end(), derivatives.begin());
  const Transitions none(example.shape.labels);
  workspace.pairs.reset(none);
  return objective_->evaluate(as_sentence(example, derivatives, none), workspace.pairs,
                              workspace.sentence);
}

void SentenceEdgeObjective::look(const EdgeExample& example, EdgeObjectiveWorkspace& workspace) {
  workspace.scores.assign(example.scores.begin(), example.scores.end());
  const Transitions none(example.shape.labels);
  objective_->look(as_sentence(example, workspace.scores, none), workspace.sentence);
}

double ForestEdgeObjective::evaluate(const EdgeExample& example, std::span<float> derivatives,
                                     EdgeObjectiveWorkspace& /*workspace*/) const {
  const ChainForest chain = edge_forest(example.shape, example.scores);
  learn::Target target;
  for (const EdgeId edge : chain.forest.edges()) {
    const EdgeParts& parts = chain.parts[edge];
    const bool is_right = parts.label == kNoLabel || example.gold.allows(parts.token, parts.label);
    target.gold.push_back(is_right ? 1 : 0);
    target.losses.push_back(is_right ? 0 : 1);
  }
  const EdgeGradient result = function_(chain.forest, chain.scores, target);
  std::fill(derivatives.begin(), derivatives.end(), 0.0f);
  for (const EdgeId edge : chain.forest.edges()) {
    const EdgeParts& parts = chain.parts[edge];
    if (parts.label == kNoLabel) continue;
    const std::size_t state = example.shape.state_after(parts.token, parts.previous);
    derivatives[example.shape.place(parts.token, state, parts.label)] +=
        static_cast<float>(result.gradient[edge]);
  }
  return result.value;
}

}  // namespace coppice::chain

#include "chain/edge_kernel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chain/edge_exponentials.h"
#include "chain/forbidden.h"

namespace coppice::chain {

namespace {

// exp(score - largest) of a token's pairs; returns the largest.
double exponentials(const EdgeShape& shape, std::span<const float> scores, std::size_t token,
                    double* weights) {
  const std::size_t begin = shape.place(token, shape.first_state(token), 0);
  const std::size_t end = shape.place(token, shape.last_state(token), 0);
  const float largest = *std::max_element(scores.begin() + static_cast<std::ptrdiff_t>(begin),
                                          scores.begin() + static_cast<std::ptrdiff_t>(end));
  if (std::isinf(largest)) return kLogZero;
  edge_exponentials(scores.data() + begin, end - begin, largest,
                    weights + (begin - token * shape.block()));
  return largest;
}

// forward[v] = sum over rows of before[row] * weights[row][v], scaled to sum to one; returns the
// sum. `before` is null where rows do not come from labels.
double step_forward(const EdgeShape& shape, std::size_t token, const double* weights,
                    const double* before, double* forward) {
  std::fill_n(forward, shape.labels, 0.0);
  for (std::size_t state = shape.first_state(token); state < shape.last_state(token); ++state) {
    const double from = before == nullptr ? 1.0 : before[state];
    const double* row = weights + state * shape.labels;
    for (std::size_t v = 0; v < shape.labels; ++v) forward[v] += from * row[v];
  }
  double sum = 0;
  for (std::size_t v = 0; v < shape.labels; ++v) sum += forward[v];
  for (std::size_t v = 0; v < shape.labels && sum > 0; ++v) forward[v] /= sum;
  return sum;
}

// Fills the workspace; returns ln Z.
double run_forward(const EdgeShape& shape, std::span<const float> scores,
                   EdgeWorkspace& workspace) {
  const std::size_t length = scores.size() / shape.block(), labels = shape.labels;
  workspace.weights.resize(scores.size());
  workspace.forward.resize(length * labels);
  workspace.scale.resize(length);
  double log_z = 0;
  for (std::size_t t = 0; t < length; ++t) {
    double* weights = workspace.weights.data() + t * shape.block();
    const double largest = exponentials(shape, scores, t, weights);
    const bool follows = shape.has_pairs() && t > 0;
    const double* before = follows ? workspace.forward.data() + (t - 1) * labels : nullptr;
    const double sum = std::isinf(largest) ? 0
                                           : step_forward(shape, t, weights, before,
                                                          workspace.forward.data() + t * labels);
    if (sum <= 0) return kLogZero;
    workspace.scale[t] = sum;
    log_z += std::log(sum) + largest;
  }
  return log_z;
}

}  // namespace

void fill_edges(const EdgeShape& shape, const float* labels, const Transitions& transitions,
                std::span<float> edges) {
  const std::size_t length = edges.size() / shape.block();
  std::fill(edges.begin(), edges.end(), 0.0f);
  for (std::size_t t = 0; t < length; ++t, labels += transitions.stride()) {
    for (std::size_t state = shape.first_state(t); state < shape.last_state(t); ++state) {
      float* row = edges.data() + shape.place(t, state, 0);
      for (std::size_t y = 0; y < shape.labels; ++y) {
        row[y] = labels[y] + (t > 0 ? transitions.score(state, y) : 0.0f);
      }
    }
  }
}

double edge_marginals(const EdgeShape& shape, std::span<const float> scores, std::span<float> p,
                      EdgeWorkspace& workspace) {
  const double log_z = run_forward(shape, scores, workspace);
  std::fill(p.begin(), p.end(), 0.0f);
  if (std::isinf(log_z)) return log_z;
  const std::size_t length = scores.size() / shape.block(), labels = shape.labels;
  std::vector<double>& backward = workspace.backward;
  backward.assign(2 * labels, 1.0);
  double* after = backward.data();            // of this token
  double* before = backward.data() + labels;  // of the one before
  for (std::size_t t = length; t-- > 0;) {
    const double* weights = workspace.weights.data() + t * shape.block();
    const bool follows = shape.has_pairs() && t > 0;
    for (std::size_t state = shape.first_state(t); state < shape.last_state(t); ++state) {
      const double from = follows ? workspace.forward[(t - 1) * labels + state] : 1.0;
      const double* row = weights + state * labels;
      float* out = p.data() + shape.place(t, state, 0);
      double sum = 0;
      for (std::size_t v = 0; v < labels; ++v) {
        const double onward = row[v] * after[v] / workspace.scale[t];
        out[v] = static_cast<float>(from * onward);
        sum += onward;
      }
      if (follows) before[state] = sum;
    }
    if (follows) std::swap(after, before);
  }
  return log_z;
}

double edge_best_labels(const EdgeShape& shape, std::span<const float> scores,
                        std::vector<std::uint16_t>& labels) {
  const std::size_t length = scores.size() / shape.block(), count = shape.labels;
  labels.assign(length, 0);
  std::vector<double> best(count, 0.0), next(count);
  std::vector<std::uint16_t> from(length * count, 0);
  for (std::size_t t = 0; t < length; ++t) {
    const bool follows = shape.has_pairs() && t > 0;
    double level = 0;  // of a chain of order 0: labels do not depend on the one before
    if (!shape.has_pairs() && t > 0) level = *std::max_element(best.begin(), best.end());
    const auto leader =
        static_cast<std::uint16_t>(std::max_element(best.begin(), best.end()) - best.begin());
    for (std::size_t v = 0; v < count; ++v) {
      next[v] = kLogZero;
      if (!shape.has_pairs()) from[t * count + v] = leader;
      for (std::size_t state = shape.first_state(t); state < shape.last_state(t); ++state) {
        const double score =
            (follows ? best[state] : level) + static_cast<double>(scores[shape.place(t, state, v)]);
        if (score <= next[v]) continue;
        next[v] = score;
        if (follows) from[t * count + v] = static_cast<std::uint16_t>(state);
      }
    }
    std::swap(best, next);
  }
  const auto last = std::max_element(best.begin(), best.end());
  if (length == 0 || std::isinf(*last)) return length == 0 ? 0 : kLogZero;
  labels[length - 1] = static_cast<std::uint16_t>(last - best.begin());
  for (std::size_t t = length - 1; t > 0; --t) labels[t - 1] = from[t * count + labels[t]];
  return *last;
}

void edge_posterior(const EdgeShape& shape, std::span<const float> p, std::size_t token,
                    std::span<float> posterior) {
  std::fill(posterior.begin(), posterior.end(), 0.0f);
  for (std::size_t state = shape.first_state(token); state < shape.last_state(token); ++state) {
    for (std::size_t v = 0; v < shape.labels; ++v) posterior[v] += p[shape.place(token, state, v)];
  }
}

double edge_score(const EdgeShape& shape, std::span<const float> scores,
                  std::span<const std::uint16_t> labels) {
  double score = 0;
  for (std::size_t t = 0; t < labels.size(); ++t) {
    const std::size_t state = shape.state_after(t, t > 0 ? labels[t - 1] : 0);
    score += static_cast<double>(scores[shape.place(t, state, labels[t])]);
  }
  return score;
}

ChainForest edge_forest(const EdgeShape& shape, std::span<const float> scores) {
  const std::size_t length = scores.size() / shape.block(), labels = shape.labels;
  ForestBuilder builder;
  ChainForest chain;
  const auto add_edge = [&](NodeId head, std::span<const NodeId> tails, EdgeLabels of_edge,
                            double score) {
    if (score == kLogZero) return;
    builder.add_edge(head, tails);
    chain.scores.push_back(score);
    chain.labels.push_back(of_edge);
  };
  const auto node_at = [&](std::size_t t, std::size_t y) {
    return static_cast<NodeId>(t * labels + y);
  };
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t y = 0; y < labels; ++y) {
      const NodeId node = builder.add_node();
      EdgeLabels pair{static_cast<std::uint32_t>(t), static_cast<std::uint16_t>(y)};
      if (t == 0) add_edge(node, {}, pair, scores[shape.place(0, shape.state_after(0, 0), y)]);
      for (std::size_t u = 0; t > 0 && u < labels; ++u) {
        const NodeId previous = node_at(t - 1, u);
        pair.previous = static_cast<std::uint16_t>(u);
        add_edge(node, std::span(&previous, 1), pair,
                 scores[shape.place(t, shape.state_after(t, u), y)]);
      }
    }
  }
  const NodeId root = builder.add_node();
  if (length == 0) add_edge(root, {}, {}, 0);
  for (std::size_t y = 0; length > 0 && y < labels; ++y) {
    const NodeId last = node_at(length - 1, y);
    add_edge(root, std::span(&last, 1), {}, 0);
  }
  chain.forest = std::move(builder).build(root);
  return chain;
}

}  // namespace coppice::chain

#include "chain/sentence_paths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "coppice/base/error.h"

namespace coppice::chain {

namespace {

Transitions scaled(const Transitions& transitions, double scale) {
  if (transitions.none()) return Transitions(transitions.labels());
  std::vector<float> scores(transitions.scores(),
                            transitions.scores() + transitions.labels() * transitions.stride());
  for (float& score : scores) score *= static_cast<float>(scale);
  return Transitions(transitions.labels(), scores);
}

}  // namespace

SentencePaths::SentencePaths(const Example& example, const ItemRules& rules, const GoldItems* gold,
                             double scale, const PathLimits& limits, Workspace& workspace)
    : example_(example) {
  if (!example.edges.empty()) {
    start_from_edges(rules, gold, scale, limits);
    return;
  }
  if (example.lattice != nullptr) {
    start_from_states(rules, gold, scale, limits, workspace);
    return;
  }
  const std::size_t size = example.length() * example.transitions.stride();
  AlignedVector<float> scores(example.scores, example.scores + size);
  std::optional<Transitions> sharpened;
  if (scale != 1) {
    for (float& score : scores) score *= static_cast<float>(scale);
    sharpened = scaled(example.transitions, scale);
  }
  const Transitions& transitions = sharpened ? *sharpened : example.transitions;
  AlignedVector<float> posteriors = scores;
  log_z_ = marginals(posteriors.data(), example.length(), transitions, workspace, nullptr);
  if (!std::isfinite(log_z_)) return;
  const LatticeInput input{scores.data(), posteriors.data(), example.length(), transitions};
  lattice_ = build_lattice(input, rules, gold, limits.least_posterior);
  possible_ = std::isfinite(normalise(lattice_));
}

void SentencePaths::start_from_edges(const ItemRules& rules, const GoldItems* gold, double scale,
                                     const PathLimits& limits) {
  const EdgeShape& shape = example_.edge_shape;
  std::vector<float> scores(example_.edges.begin(), example_.edges.end()), p(scores.size());
  if (scale != 1) {
    for (float& score : scores) score *= static_cast<float>(scale);
  }
  EdgeWorkspace workspace;
  log_z_ = edge_marginals(shape, scores, p, workspace);
  if (!std::isfinite(log_z_)) return;
  const std::size_t stride = example_.transitions.stride();
  std::vector<float> posteriors(example_.length() * stride, 0.0f);
  for (std::size_t t = 0; t < example_.length(); ++t) {
    edge_posterior(shape, p, t, std::span(posteriors).subspan(t * stride, shape.labels));
  }
  const LatticeInput input{
      nullptr, posteriors.data(), example_.length(), example_.transitions, shape, scores};
  lattice_ = build_lattice(input, rules, gold, limits.least_posterior);
  possible_ = std::isfinite(normalise(lattice_));
}

void SentencePaths::start_from_states(const ItemRules& rules, const GoldItems* gold, double scale,
                                      const PathLimits& limits, Workspace& workspace) {
  LatticeScores scores = example_.lattice_scores();
  AlignedVector<float> labels, parts, edges;
  if (scale != 1) {
    labels.assign(scores.labels, scores.labels + example_.length() * scores.stride);
    parts.assign(scores.parts.begin(), scores.parts.end());
    edges.assign(scores.edges.begin(), scores.edges.end());
    for (auto* values : {&labels, &parts, &edges}) {
      for (float& score : *values) score *= static_cast<float>(scale);
    }
    scores.labels = labels.data();
    scores.parts = parts;
    scores.edges = edges;
  }
  log_z_ = marginals(*example_.lattice, scores, workspace.lattice);
  if (!std::isfinite(log_z_)) return;
  lattice_ =
      build_lattice(StateLatticeInput{*example_.lattice, scores, workspace.lattice.posterior},
                    rules, gold, limits.least_posterior);
  possible_ = std::isfinite(normalise(lattice_));
}

void SentencePaths::write_states(std::span<const double> gradient, double factor,
                                 PairDerivatives& pairs) const {
  clear_derivatives(example_);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const EdgeParts& labels = lattice_.parts[i].labels;
    if (labels.label == kNoLabel) continue;
    add_derivative(example_, labels.token, labels.lattice_edge,
                   static_cast<float>(factor * gradient[i]), pairs);
  }
}

void SentencePaths::write_edges(std::span<const double> gradient, double factor) const {
  const EdgeShape& shape = example_.edge_shape;
  std::fill(example_.edges.begin(), example_.edges.end(), 0.0f);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const EdgeParts& labels = lattice_.parts[i].labels;
    if (labels.label == kNoLabel) continue;
    const std::size_t state = shape.state_after(labels.token, labels.previous);
    example_.edges[shape.place(labels.token, state, labels.label)] +=
        static_cast<float>(factor * gradient[i]);
  }
}

void SentencePaths::write(std::span<const double> gradient, double factor,
                          PairDerivatives& pairs) const {
  if (!example_.edges.empty()) return write_edges(gradient, factor);
  if (example_.lattice != nullptr) return write_states(gradient, factor, pairs);
  const std::size_t stride = example_.transitions.stride();
  std::fill_n(example_.scores, example_.length() * stride, 0.0f);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const EdgeParts& labels = lattice_.parts[i].labels;
    if (labels.label == kNoLabel) continue;
    const auto derivative = static_cast<float>(factor * gradient[i]);
    example_.scores[labels.token * stride + labels.label] += derivative;
    if (labels.previous != kNoLabel && !pairs.none()) {
      pairs.add(labels.previous, labels.label, derivative);
    }
  }
}

std::span<const std::uint16_t> gold_labels(const Annotation& gold) {
  if (!gold.complete) {
    throw InvalidArgument("a sentence is annotated in part; a loss needs all its labels",
                          {.code = "E313"});
  }
  return gold.labels.subspan(gold.begin[0], gold.length());
}

namespace {

// The place of a token's gold pair. Requires a complete annotation.
std::size_t gold_edge(const Example& example, std::size_t t) {
  const EdgeShape& shape = example.edge_shape;
  const std::size_t previous = t > 0 ? example.gold.at(t - 1)[0] : 0;
  return shape.place(t, shape.state_after(t, previous), example.gold.at(t)[0]);
}

}  // namespace

std::vector<std::uint32_t> gold_path(const Example& example) {
  std::vector<std::uint16_t> labels(example.length());
  for (std::size_t t = 0; t < labels.size(); ++t) labels[t] = example.gold.at(t)[0];
  return path_of(*example.lattice, labels);
}

void clear_derivatives(const Example& example) {
  std::fill_n(example.scores, example.length() * example.stride(), 0.0f);
  std::fill(example.lattice_edges.begin(), example.lattice_edges.end(), 0.0f);
}

void add_derivative(const Example& example, std::size_t token, std::size_t edge, float derivative,
                    PairDerivatives& pairs) {
  if (!example.lattice_edges.empty()) {
    example.lattice_edges[edge] += derivative;
    return;
  }
  const LabelLattice& lattice = *example.lattice;
  example.scores[token * example.stride() + lattice.label[edge]] += derivative;
  for (const std::uint32_t part : lattice.parts_of(edge)) {
    if (part != LabelLattice::kNoPart) pairs.add_part(part, derivative);
  }
}

namespace {

double gold_state_score(const Example& example) {
  const std::vector<std::uint32_t> path = gold_path(example);
  if (path.empty()) return -std::numeric_limits<double>::infinity();
  double score = 0;
  for (std::size_t t = 0; t < path.size(); ++t) {
    score += example.lattice_scores().of(*example.lattice, t, path[t]);
  }
  return score;
}

}  // namespace

double gold_score(const Example& example) {
  double score = 0;
  for (std::size_t t = 0; !example.edges.empty() && t < example.length(); ++t) {
    score += static_cast<double>(example.edges[gold_edge(example, t)]);
  }
  if (!example.edges.empty()) return score;
  if (example.lattice != nullptr) return gold_state_score(example);
  const std::span<const std::uint16_t> gold = gold_labels(example.gold);
  const std::size_t stride = example.stride();
  for (std::size_t t = 0; t < gold.size(); ++t) score += example.scores[t * stride + gold[t]];
  if (example.transitions.none()) return score;
  const float* pairs = example.transitions.scores();
  for (std::size_t t = 1; t < gold.size(); ++t) score += pairs[gold[t - 1] * stride + gold[t]];
  return score;
}

void subtract_gold(const Example& example, PairDerivatives& pairs) {
  for (std::size_t t = 0; !example.edges.empty() && t < example.length(); ++t) {
    example.edges[gold_edge(example, t)] -= 1;
  }
  if (!example.edges.empty()) return;
  if (example.lattice != nullptr) {
    const std::vector<std::uint32_t> path = gold_path(example);
    for (std::size_t t = 0; t < path.size(); ++t) add_derivative(example, t, path[t], -1, pairs);
    return;
  }
  const std::span<const std::uint16_t> gold = gold_labels(example.gold);
  const std::size_t stride = example.stride();
  for (std::size_t t = 0; t < gold.size(); ++t) example.scores[t * stride + gold[t]] -= 1;
  if (example.transitions.none() || pairs.none()) return;
  for (std::size_t t = 1; t < gold.size(); ++t) pairs.add(gold[t - 1], gold[t], -1);
}

std::vector<double> edge_values(const Paths& paths, const Forward& swept,
                                std::span<const double> part_losses,
                                std::span<const double> goal_losses, double temperature) {
  std::vector<double> values(paths.edges.size(), 0.0);
  const std::size_t first_goal = paths.edges.size() - goal_losses.size();
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (e >= first_goal) {
      values[e] = goal_losses[e - first_goal];
    } else if (!part_losses.empty()) {
      values[e] = part_losses[paths.edges[e].part];
    }
    if (temperature != 0 && swept.conditional[e] > 0) {
      values[e] += temperature * std::log(swept.conditional[e]);
    }
  }
  return values;
}

PartGradient margin_of_goal(SplitPaths& split, std::span<const double> goal_losses,
                            std::size_t num_parts) {
  const auto goal = split.goal_edges();
  double largest = -std::numeric_limits<double>::infinity();
  for (const double loss : goal_losses) largest = std::max(largest, loss);
  for (std::size_t i = 0; i < goal.size(); ++i) {
    goal[i].weight = std::exp(goal_losses[i] - largest);
  }
  const Forward swept = forward(split.paths);
  return {largest + std::log(swept.total), part_marginals(split.paths, swept, num_parts)};
}

}  // namespace coppice::chain

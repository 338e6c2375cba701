#include "coppice/chain/pseudo_likelihood.h"

#include <cmath>
#include <limits>
#include <vector>

#include "chain/sentence_paths.h"
#include "coppice/chain/edge_objective.h"

namespace coppice::chain {

namespace {

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

// Of scores of label pairs, or of a lattice's edges, that differ from token to token.
double edge_pseudo_likelihood(const Example& example) {
  const bool has_lattice = !example.lattice_edges.empty();
  const std::span<float> edges = has_lattice ? example.lattice_edges : example.edges;
  const std::vector<float> scores(edges.begin(), edges.end());
  const EdgeShape shape =
      has_lattice ? EdgeShape{.labels = example.transitions.labels()} : example.edge_shape;
  EdgeObjectiveWorkspace workspace;
  return EdgePseudoLikelihood().evaluate(
      {shape, scores, example.gold, example.sentence, example.lattice}, edges, workspace);
}

// Of a lattice whose edges score what their labels' parts do together.
double lattice_pseudo_likelihood(const Example& example, PairDerivatives& pairs) {
  gold_labels(example.gold);  // throws where they are not all there
  const LabelLattice& lattice = *example.lattice;
  const LatticeScores parts = example.lattice_scores();
  std::vector<float> scores(lattice.num_edges()), derivatives(lattice.num_edges());
  const auto for_each_edge = [&](const auto& visit) {
    for (std::size_t t = 0; t < lattice.length(); ++t) {
      for (std::size_t e = lattice.first_edge(t); e < lattice.first_edge(t + 1); ++e) visit(t, e);
    }
  };
  for_each_edge([&](std::size_t t, std::size_t e) {
    scores[e] = static_cast<float>(parts.of(lattice, t, e));
  });
  EdgeObjectiveWorkspace workspace;
  const double value =
      EdgePseudoLikelihood().evaluate({EdgeShape{.labels = example.transitions.labels()}, scores,
                                       example.gold, example.sentence, &lattice},
                                      derivatives, workspace);
  clear_derivatives(example);
  for_each_edge([&](std::size_t t, std::size_t e) {
    if (derivatives[e] != 0) add_derivative(example, t, e, derivatives[e], pairs);
  });
  return value;
}

}  // namespace

double PseudoLikelihood::evaluate(const Example& example, PairDerivatives& pairs,
                                  Workspace& /*workspace*/) const {
  if (!example.edges.empty() || !example.lattice_edges.empty()) {
    return edge_pseudo_likelihood(example);
  }
  if (example.lattice != nullptr) return lattice_pseudo_likelihood(example, pairs);
  const Transitions& transitions = example.transitions;
  const std::size_t stride = transitions.stride(), labels = transitions.labels();
  const std::span<const std::uint16_t> gold = gold_labels(example.gold);
  std::vector<double> conditional(labels);
  double value = 0;
  for (std::size_t t = 0; t < gold.size(); ++t) {
    float* scores = example.scores + t * stride;
    const bool has_left = t > 0 && !transitions.none();
    const bool has_right = t + 1 < gold.size() && !transitions.none();
    for (std::size_t y = 0; y < labels; ++y) {
      conditional[y] = scores[y];
      if (has_left) conditional[y] += transitions.score(gold[t - 1], y);
      if (has_right) conditional[y] += transitions.score(y, gold[t + 1]);
    }
    const double right = conditional[gold[t]];
    value += soften(conditional) - right;
    conditional[gold[t]] -= 1;
    for (std::size_t y = 0; y < labels; ++y) {
      const auto derivative = static_cast<float>(conditional[y]);
      scores[y] = derivative;
      if (has_left) pairs.add(gold[t - 1], y, derivative);
      if (has_right) pairs.add(y, gold[t + 1], derivative);
    }
  }
  return value;
}

}  // namespace coppice::chain

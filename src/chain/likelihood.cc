#include "coppice/chain/likelihood.h"

#include <algorithm>
#include <vector>

#include "chain/sentence_paths.h"
#include "coppice/chain/edge_objective.h"

namespace coppice::chain {

namespace {

// Adds the posteriors of edges to their parts.
void add_posteriors(const Example& example, const LabelLattice& lattice,
                    const std::vector<double>& posteriors, PairDerivatives& pairs) {
  for (std::size_t t = 0; t < lattice.length(); ++t) {
    for (std::size_t e = lattice.first_edge(t); e < lattice.first_edge(t + 1); ++e) {
      const auto derivative = static_cast<float>(posteriors[e]);
      if (derivative != 0) add_derivative(example, t, e, derivative, pairs);
    }
  }
}

double lattice_posteriors(const Example& example, PairDerivatives& pairs,
                          LatticeWorkspace& workspace) {
  const double log_z = marginals(*example.lattice, example.lattice_scores(), workspace);
  clear_derivatives(example);
  add_posteriors(example, *example.lattice, workspace.posterior, pairs);
  return log_z;
}

double lattice_likelihood(const Example& example, PairDerivatives& pairs,
                          LatticeWorkspace& workspace) {
  const double score = gold_score(example);
  const double log_z = lattice_posteriors(example, pairs, workspace);
  subtract_gold(example, pairs);
  return log_z - score;
}

double dense_likelihood(const Example& example, PairDerivatives& pairs, Workspace& workspace) {
  const double score = gold_score(example);
  const double log_z = marginals(example.scores, example.length(), example.transitions, workspace,
                                 pairs.by_weight());
  subtract_gold(example, pairs);
  return log_z - score;
}

// Posteriors twice; the second time over what the annotation allows.
double partial_likelihood(const Example& example, PairDerivatives& pairs, Workspace& workspace) {
  const Transitions& transitions = example.transitions;
  AlignedVector<float> allowed = example.gold.restricted(example.scores, transitions.labels());
  std::vector<float> allowed_edges(example.lattice_edges.begin(), example.lattice_edges.end());
  Example right = example;
  right.scores = allowed.data();
  right.lattice_edges = allowed_edges;
  PairDerivatives right_pairs;
  right_pairs.reset(transitions, pairs.num_longer());
  const double gold_z = posteriors(right, right_pairs, workspace);
  const double log_z = posteriors(example, pairs, workspace);
  for (std::size_t k = 0; k < allowed.size(); ++k) example.scores[k] -= allowed[k];
  for (std::size_t e = 0; e < allowed_edges.size(); ++e) {
    example.lattice_edges[e] -= allowed_edges[e];
  }
  right_pairs.finish(transitions);
  pairs.add(right_pairs, -1);
  return log_z - gold_z;
}

}  // namespace

double posteriors(const Example& example, PairDerivatives& pairs, Workspace& workspace) {
  if (!example.edges.empty()) {
    return edge_marginals(example.edge_shape, example.edges, example.edges, workspace.edges);
  }
  if (example.lattice != nullptr) return lattice_posteriors(example, pairs, workspace.lattice);
  return marginals(example.scores, example.length(), example.transitions, workspace,
                   pairs.by_weight());
}

double Likelihood::evaluate(const Example& example, PairDerivatives& pairs,
                            Workspace& workspace) const {
  if (!example.edges.empty()) {
    return edge_likelihood({example.edge_shape, example.edges, example.gold}, example.edges,
                           workspace.edges);
  }
  if (!example.gold.complete) return partial_likelihood(example, pairs, workspace);
  if (example.lattice != nullptr) return lattice_likelihood(example, pairs, workspace.lattice);
  return dense_likelihood(example, pairs, workspace);
}

}  // namespace coppice::chain

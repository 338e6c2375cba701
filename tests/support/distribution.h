// The distribution over derivations that scores give, listed: the reference for every expectation.
// And central differences, the reference for every gradient.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "coppice/forest/edge_gradient.h"
#include "coppice/forest/forest.h"
#include "support/enumerate.h"
#include "support/random_forest.h"

namespace coppice::testing {

// r(d): what `values` add up to over a derivation's edges.
inline double total(const EdgeList& derivation, const EdgeMap<double>& values) {
  double sum = 0;
  for (EdgeId edge : derivation) sum += values[edge];
  return sum;
}

inline double count(const EdgeList& derivation, EdgeId edge) {
  double n = 0;
  for (EdgeId used : derivation) n += used == edge;
  return n;
}

struct Distribution {
  std::vector<EdgeList> support;  // derivations of positive weight
  std::vector<double> probability;
  double log_partition = -std::numeric_limits<double>::infinity();

  // sum of probability times f(derivation)
  template <class F>
  double expected(F f) const {
    double sum = 0;
    for (std::size_t i = 0; i < support.size(); ++i) sum += probability[i] * f(support[i]);
    return sum;
  }
  template <class F, class G>
  double covariance(F f, G g) const {
    const double mean_f = expected(f), mean_g = expected(g);
    return expected([&](const EdgeList& d) { return (f(d) - mean_f) * (g(d) - mean_g); });
  }
};

inline Distribution distribution(const Forest& forest, const EdgeMap<double>& scores) {
  Distribution listed;
  if (forest.empty()) return listed;
  double sum = 0;
  for (const EdgeList& derivation : derivations(forest, forest.root())) {
    const double weight = std::exp(total(derivation, scores));
    if (weight == 0) continue;
    listed.support.push_back(derivation);
    listed.probability.push_back(weight);
    sum += weight;
  }
  for (double& p : listed.probability) p /= sum;
  listed.log_partition = std::log(sum);
  return listed;
}

// How many derivations the root has, which may be too many to list.
inline double num_derivations(const Forest& forest) {
  NodeMap<double> counts(forest.num_nodes(), 0.0);
  for (NodeId node : forest.nodes()) {
    for (EdgeId edge : forest.incoming(node)) {
      double product = 1;
      for (NodeId tail : forest.tails(edge)) product *= counts[tail];
      counts[node] += product;
    }
  }
  return forest.empty() ? 0 : counts[forest.root()];
}

// A random forest with scores, some of them -infinity, and the distribution they give, which is
// left empty when there are too many derivations.
struct Example {
  explicit Example(std::uint64_t seed)
      : forest(random_forest(seed, {.nodes = 6, .max_edges_per_node = 3, .max_tails = 3})),
        scores(random_scores(forest, seed)),
        values(random_scores(forest, seed + 1'000'000)),
        other_values(random_scores(forest, seed + 2'000'000)) {
    Random random(seed, 7);
    for (EdgeId edge : forest.edges()) {
      if (random.below(10) == 0) scores[edge] = -std::numeric_limits<double>::infinity();
    }
    if (num_derivations(forest) <= 200) listed = distribution(forest, scores);
  }
  bool has_derivation() const { return !listed.support.empty(); }

  Forest forest;
  EdgeMap<double> scores;
  EdgeMap<double> values, other_values;  // additive quantities
  Distribution listed;
};

// Calls check(example) for hundreds of examples that have a derivation, with the seed traced.
template <class Check>
void for_each_example(Check check) {
  std::size_t checked = 0;
  for (std::uint64_t seed = 0; checked < 300; ++seed) {
    Example example(seed);
    if (!example.has_derivation()) continue;
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    check(example);
    if (::testing::Test::HasFatalFailure()) return;
    ++checked;
  }
}

// `value(scores)` against the gradient at `scores`; edges of score -infinity must have 0.
template <class Value>
void expect_central_differences(const EdgeMap<double>& scores, const EdgeMap<double>& gradient,
                                Value value) {
  constexpr double kStep = 1e-5;
  for (EdgeId edge : IdRange<EdgeId>(scores.size())) {
    if (std::isinf(scores[edge])) {
      ASSERT_EQ(gradient[edge], 0.0) << "edge " << index(edge);
      continue;
    }
    EdgeMap<double> moved = scores;
    moved[edge] = scores[edge] + kStep;
    const double above = value(moved);
    moved[edge] = scores[edge] - kStep;
    const double below = value(moved);
    ASSERT_NEAR(gradient[edge], (above - below) / (2 * kStep), 1e-6 * (1 + std::fabs(above)))
        << "edge " << index(edge);
  }
}

}  // namespace coppice::testing

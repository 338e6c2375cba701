// The label sequences of a sentence that a model finds possible at all, as a small acyclic graph
// that counts items: the engine behind losses of chains.
//
// A node is a label at a token (or a state of a chain of higher order) with the bit "still
// matching" (chain/items.h); there is a source before the first token and a root after the last.
// Labels whose posterior is below a limit are left out, so that a trained model has one or two
// nodes a token. Edges carry probabilities-to-be: weights are scaled so that forward sums at each
// token are 1. Splitting by counts gives the same graph with nodes that know (n, d), and a goal
// with an edge from each pair of counts.
//
// The generic algorithms on forests (forest/split.h, learn/objective.h) give the same numbers.
// Cost: a few operations an edge and sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "chain/edge_kernel.h"
#include "chain/items.h"
#include "chain/kernel.h"
#include "chain/label_lattice.h"
#include "chain/lattice_kernel.h"
#include "coppice/chain/forest.h"
#include "coppice/forest/split.h"

namespace coppice::chain {

inline constexpr std::uint32_t kNoStep = 0xffffffff;
// Of a label at a token, or of an edge, to be in the graph.
inline constexpr double kLeastPosterior = 1e-9;

// Edges in topological order: those into a node come before those out of it. Node 0 is the source,
// the last one the root or the goal.
struct Paths {
  struct Edge {
    std::uint32_t from;
    std::uint32_t head;
    std::uint32_t step;  // which step of the graph it is; kNoStep for the goal's edges
    double weight;
  };
  std::size_t num_nodes = 0;
  std::vector<Edge> edges{};
};

struct ItemGraph {
  struct Step {
    EdgeLabels labels;
    unsigned char n = 0;
    unsigned char d = 0;
  };
  Paths paths{};  // edge i is step i
  std::vector<Step> steps{};
  std::vector<std::uint32_t> token_begin{
      0};          // edges into nodes of token t; the last are the root's
  double cut = 0;  // posterior of the labels left out, at the worst token

  std::size_t length() const noexcept { return token_begin.size() - 2; }
};

struct ItemGraphInput {
  const float* scores;      // of labels at tokens
  const float* posteriors;  // under the same scores
  std::size_t length;
  const Transitions& transitions;
  // Scores of label pairs that differ from token to token, in place of the first and the last.
  EdgeShape edge_shape{};
  std::span<const float> edges{};
};

// `gold` may be null: then nothing is counted.
ItemGraph build_item_graph(const ItemGraphInput& input, const ItemRules& rules,
                           const GoldItems* gold, double least_posterior);

// The same of a chain of higher order, or of a pruned one: nodes are states with the bit.
struct StateItemGraphInput {
  const LabelLattice& states;  // of order 1 at least
  LatticeScores scores;
  std::span<const double> posteriors;  // of its edges; those below the limit are left out
};
ItemGraph build_item_graph(const StateItemGraphInput& input, const ItemRules& rules,
                           const GoldItems* gold, double least_posterior);

// Scales weights so that forward sums are 1 at every token; returns the log of what they were
// multiplied by altogether, so that the sum over paths was e^result.
double normalise(ItemGraph& graph);

// The sum over paths, ending in the last node, and how likely each edge is given its head.
struct Forward {
  double total = 0;
  std::vector<double> alpha{};
  std::vector<double> conditional{};
};
Forward forward(const Paths& paths);

// d ln total / d ln weight, for each step.
std::vector<double> step_marginals(const Paths& paths, const Forward& forward,
                                   std::size_t num_steps);

// E[r] and Cov(r, uses of a step): the derivative by ln weight. `values` has r of each edge.
struct StepGradient {
  double value = 0;
  std::vector<double> gradient{};
};
StepGradient step_expectation(const Paths& paths, const Forward& forward,
                              std::span<const double> values, std::size_t num_steps);

struct SplitPaths {
  Paths paths{};                      // the last edges are the goal's
  std::vector<Counts> goal_counts{};  // of each of them
  std::size_t num_splits = 0;         // over all nodes
  std::size_t largest_splits = 0;
  double cut = 0;  // of the mass, by leaving out splits of probability below the limit

  std::span<Paths::Edge> goal_edges() { return std::span(paths.edges).last(goal_counts.size()); }
};

// Requires a normalised graph.
SplitPaths split_paths(const ItemGraph& graph, double least_probability);

}  // namespace coppice::chain

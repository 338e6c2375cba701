// One sentence on its way through an objective with a loss: dense posteriors, the lattice of what
// they find possible, and derivatives back to scores.
#pragma once

#include <span>
#include <vector>

#include "chain/lattice.h"
#include "coppice/base/aligned.h"
#include "coppice/chain/items.h"
#include "coppice/chain/objective.h"

namespace coppice::chain {

struct PathLimits {
  double least_posterior = 1e-9;     // of a label at a token
  double least_probability = 1e-10;  // of a node with counts
};

class SentencePaths {
 public:
  // Of p proportional to e^{scale score}. `gold` may be null.
  SentencePaths(const Example& example, const ItemRules& rules, const GoldItems* gold, double scale,
                const PathLimits& limits, Workspace& workspace);

  // False where every path is forbidden.
  bool possible() const noexcept { return possible_; }
  double log_partition() const noexcept { return log_z_; }
  Lattice& lattice() noexcept { return lattice_; }

  // Replaces the example's scores by factor * gradient (one number a part), summed over parts of
  // the same label or pair.
  void write(std::span<const double> gradient, double factor, PairDerivatives& pairs) const;

 private:
  // The same for scores of pairs that differ from token to token.
  void start_from_edges(const ItemRules& rules, const GoldItems* gold, double scale,
                        const PathLimits& limits);
  void write_edges(std::span<const double> gradient, double factor) const;
  // The same for the example's lattice of states.
  void start_from_states(const ItemRules& rules, const GoldItems* gold, double scale,
                         const PathLimits& limits, Workspace& workspace);
  void write_states(std::span<const double> gradient, double factor, PairDerivatives& pairs) const;

  const Example& example_;
  double log_z_ = 0;
  bool possible_ = false;
  Lattice lattice_;
};

// The labels of a completely annotated sentence, where the annotation has them. Throws
// InvalidArgument (E313) where it is partial.
std::span<const std::uint16_t> gold_labels(const Annotation& gold);

// The score of the gold labels; must be asked before the scores are replaced. -inf where the
// example's lattice does not have them.
double gold_score(const Example& example);
// Subtracts 1 from the derivatives of the gold parts.
void subtract_gold(const Example& example, PairDerivatives& pairs);

// Of an example with a lattice of states: the edges of the gold labels, none where it does not have
// them; what sets the derivatives by its scores to 0; and what adds one to all parts of an edge, or
// to the edge where edges have scores of their own.
std::vector<std::uint32_t> gold_path(const Example& example);
void clear_derivatives(const Example& example);
void add_derivative(const Example& example, std::size_t token, std::size_t edge, float derivative,
                    PairDerivatives& pairs);

// r of each edge: `losses` of the parts, or of the goal's edges where the paths are split, plus
// temperature * ln conditional.
std::vector<double> edge_values(const Paths& paths, const Forward& swept,
                                std::span<const double> part_losses,
                                std::span<const double> goal_losses, double temperature);

// ln E[e^l] with a loss for each of the goal's edges, and the marginals of the parts under
// the tilted weights. Losses are shifted by the largest, so that nothing overflows.
PartGradient margin_of_goal(SplitPaths& split, std::span<const double> goal_losses,
                            std::size_t num_parts);

}  // namespace coppice::chain

// Growing one regression tree: the split finder of all learners.
//
// Every example has a target g (a negative gradient) and a curvature h. A node with the sums G and
// H over its examples is worth criterion(G, H), and a leaf is split by the question that raises the
// worth of its two parts most, if that exceeds its own:
//
//     squares   G^2 / (H + ridge): what a leaf of value G / (H + ridge) takes off the
//     (second-order)
//               loss; with h = 1, the squared error
//     l1        max(0, |G| - lambda): the gain of a leaf under an l1 penalty, which may grow with
//               the number of questions that lead to the leaf
//
// States. An example may stand for several cases that share its features and differ in a state
// (in a chain: the labels before it). Targets are then a row of numbers by state, and a tree may
// split on the state like on a categorical feature. Every node is a set of rows times a set of
// states, so the features of a row are read once, however many states there are.
//
// Exactness. Targets are whole numbers (quantise below), so sums over bins are exact: they do not
// depend on the order of adding or on the number of threads, and the histogram of a node minus that
// of one child is that of the other, to the bit. Ties go to the lowest feature.
//
// Missing values go with the side that is worth more (default direction), or by surrogates.
// Categories are ordered by G / H and cut once, which is optimal for squares (Fisher 1958) and l1.
//
// Cost of a split: one addition for each bin of the rows of the smaller child (times its states for
// reading the targets), one pass over the distinct bins of the parent, and one over its rows, with
// a search in each for the feature unless there is an index (below).
// Threads: the rows and bins of a node are shared out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "coppice/base/threads.h"
#include "coppice/trees/tree.h"

namespace coppice::trees {

struct Criterion {
  enum class Kind { kSquares, kL1 };
  Kind kind = Kind::kSquares;
  double penalty = 0;        // ridge or lambda
  double question_cost = 0;  // l1: every question after the first adds this share of lambda

  // For a node that so many questions lead to.
  Criterion at(std::size_t questions) const noexcept {
    const double more = questions > 1 ? static_cast<double>(questions - 1) : 0;
    return {kind, penalty * (1 + question_cost * more), question_cost};
  }

  double operator()(double gradient, double curvature) const noexcept {
    if (kind == Kind::kL1) {
      const double gain = (gradient < 0 ? -gradient : gradient) - penalty;
      return gain > 0 ? gain : 0;
    }
    return curvature + penalty > 0 ? gradient * gradient / (curvature + penalty) : 0;
  }
};

// The states of an example. A factor gives every state a value, and questions are asked of factors:
// a chain of order 2 has pairs of labels as states, and each label of the pair as a factor.
struct States {
  std::size_t count = 1;
  std::vector<std::vector<std::uint16_t>> factors{};  // [factor][state]
};

struct Targets {
  std::span<const std::int32_t> gradient;     // [row * states + state]
  std::span<const std::int32_t> curvature{};  // the same; empty: all 1; 0: the case does not count
  double gradient_unit = 1;                   // what a 1 stands for
  double curvature_unit = 1;
};

// Writes values / unit, rounded; returns the unit, max |value| / 2^30 (1 when all are 0).
double quantise(const Threads& threads, std::span<const float> values,
                std::span<std::int32_t> quantised);

struct GrowOptions {
  std::size_t max_leaves = 0;   // 0: no limit; with one, the best split of all leaves comes next
  std::size_t max_depth = 0;    // 0: no limit
  std::size_t first_depth = 0;  // of the root: questions that all rows have answered alike
  double min_curvature = 0;     // of a leaf
  double feature_fraction = 1;  // share of the features that each tree sees, drawn again
  std::uint64_t seed = 1;       // of that draw
  unsigned max_surrogates = 0;  // questions to fall back on where a value is missing
};

struct GrownLeaf {
  std::uint32_t node = 0;
  std::size_t begin = 0, end = 0;  // its rows in GrownTree::rows
  std::vector<std::uint16_t> states;
  double gradient = 0, curvature = 0;  // their sums, in real units
};

struct GrownTree {
  Ensemble tree;                    // one tree, whose leaves have the value 0
  std::vector<std::uint32_t> rows;  // once for each set of states that trees divided them by
  std::vector<GrownLeaf> leaves;    // by node
};

// Which rows have a feature (trees/row_index.h), for any number of growers. Takes as much memory
// as the matrix.
class RowIndex;
std::shared_ptr<const RowIndex> index_rows(const BinMatrix& matrix, std::size_t num_bins);

class TreeGrower {
 public:
  // What the arguments show must outlive this. With an index of the matrix, rows that have a binary
  // feature are looked up there; without, each row of a node is searched for it.
  TreeGrower(const Schema& schema, const BinMatrix& matrix, States states = {},
             std::shared_ptr<const RowIndex> index = nullptr);
  ~TreeGrower();
  TreeGrower(TreeGrower&&) noexcept;
  TreeGrower& operator=(TreeGrower&&) noexcept;

  // Requires targets of every row and state, and distinct ascending rows.
  GrownTree grow(std::vector<std::uint32_t> rows, const Targets& targets,
                 const Criterion& criterion, const GrowOptions& options, const Threads& threads);

  // The question of each feature whose two sides have the largest |sums of targets|, over all
  // rows, by feature; only those where the side with fewer rows has a sum of at least `least`, in
  // real units. Requires a single state.
  struct FirstQuestion {
    Node node;  // without `left`
    bool right_is_smaller = true;
  };
  std::vector<FirstQuestion> first_questions(const Targets& targets, double least,
                                             const Threads& threads);

  // The largest |sum of targets| of a conjunction that the first split could make: of all rows,
  // or of either side of a question. In real units.
  double largest_first_sum(std::span<const std::uint32_t> rows, const Targets& targets,
                           const Threads& threads);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace coppice::trees

// The dense kernel of losses of counts: forward-backward over the label sequences of a sentence,
// kept apart by the counts (n, d) of chain/items.h that they have so far.
//
// At a token there is a cell for each pair of counts that occurs, with two rows of labels as in
// span_kernel.h: at large, and matching a gold item. The table of transitions is cut in two, pairs
// at which an item begins (d grows) and the rest; n grows where what matches ends with the gold
// item. So a step is a product of a row with a table for each cell, and a few pairs. Cells that
// sequences pass with a probability below a limit are left out.
//
// A loss is a value for each pair of counts at the end: backward() gives the derivatives of
// sum over (n, d) of value(n, d) P(n, d), where P is not normalised again.
// Cost of a token: that of kernel.h for each cell, and a few rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "coppice/base/aligned.h"
#include "coppice/chain/items.h"
#include "coppice/chain/kernel.h"
#include "coppice/forest/count_distribution.h"

namespace coppice::chain {

// What is the same for all sentences; rows are of row_stride(labels) floats.
struct CountRules {
  explicit CountRules(const ItemRules& rules);

  std::size_t labels, stride;
  AlignedVector<float> begins, begins_by_next;    // 1 where an item begins, [previous][next]
  AlignedVector<float> items;                     // by label: 1 where it has an item
  std::vector<std::vector<std::uint16_t>> peers;  // by label: those of the same type of item
};

struct CountInput {
  const float* scores;
  const float* posteriors;  // under the same scores
  const GoldItems& gold;
  const Transitions& transitions;
  double least_probability;  // of a cell
};

struct CountSweep {
  // Cells of token t are [token_begin[t], token_begin[t + 1]), as are their rows.
  std::vector<Counts> cells{};
  std::vector<std::uint32_t> token_begin{0};
  AlignedVector<float> large{}, matching{};
  AlignedVector<float> emission{};  // by token
  std::vector<float> scale{};       // by token
  AlignedVector<float> begin_weights{}, rest_weights{}, begin_by_next{}, rest_by_next{};

  std::vector<CountProbability> goal{};  // P(n, d) of whole sequences, by n and d
  double log_partition = 0;              // ln Z
  std::size_t largest = 0;               // number of cells at a token
  double cut = 0;                        // probability of all cells left out
};

// False where floats do not suffice. Requires length > 0.
bool count_forward(const CountInput& input, const CountRules& rules, CountSweep& sweep);

// `values` of each entry of sweep.goal. Sets `derivatives` (rows of scores), and adds to `pairs` as
// marginals() of kernel.h does. Returns false, and has added nothing, where floats do not suffice.
bool count_backward(const CountInput& input, const CountRules& rules, const CountSweep& sweep,
                    std::span<const double> values, float* derivatives, float* pairs);

}  // namespace coppice::chain

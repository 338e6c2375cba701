// The dense kernel of losses of counts: forward-backward over the label sequences of a sentence,
// kept apart by the counts (n, d) of chain/items.h that they have so far.
//
// At a token there is a cell for each pair of counts that occurs, with a row of labels at large
// and, within a gold item, the few labels of its type that match it so far. d grows where an item
// begins, which a label mostly tells by itself (B begins one, I and O do not): so a step is a
// product of each cell's row with the table of transitions, whose columns then go to the cells of d
// or d + 1. n grows where what matches ends with the gold item. Cells that sequences pass with a
// probability below a limit are left out.
//
// A loss is a value for each pair of counts at the end: count_backward() gives the derivatives of
// sum over (n, d) of value(n, d) P(n, d), where P is not normalised again.
// Cost of a token: that of kernel.h for each cell, and a few rows. Rows stay in the workspace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "chain/item_peers.h"
#include "chain/items.h"
#include "chain/kernel.h"
#include "coppice/forest/count_distribution.h"

namespace coppice::chain {

// What is the same for all sentences; rows are of row_stride(labels) floats.
struct CountRules {
  explicit CountRules(const ItemRules& rules);

  std::size_t labels, stride;
  AlignedVector<float> begins, begins_by_next;  // 1 where an item begins, [previous][next]
  AlignedVector<float> goes_on;                 // 1 where an item goes on
  std::vector<std::uint8_t> items;              // by label: 1 where it has an item
  ItemPeers of_type;
};

struct CountInput {
  const float* scores;
  const float* posteriors;  // under the same scores
  const GoldItems& gold;
  const Transitions& transitions;
  double least_probability;  // of a cell
};

struct CountResult {
  std::vector<CountProbability> goal{};  // P(n, d) of whole sequences, by n and d
  double log_partition = 0;              // ln Z
  std::size_t cells = 0;                 // of all tokens
  std::size_t largest = 0;               // number of cells at a token
  double cut = 0;                        // probability of all cells left out
};

// False where floats do not suffice. Requires length > 0.
bool count_forward(const CountInput& input, const CountRules& rules, CountWorkspace& workspace,
                   CountResult& result);

// After count_forward() in the same workspace; `values` of each entry of result.goal. Sets
// `derivatives` (rows of scores), and adds to `pairs` as marginals() of kernel.h does. Returns
// false, and has added nothing, where floats do not suffice.
bool count_backward(const CountInput& input, const CountRules& rules, const CountResult& result,
                    std::span<const double> values, CountWorkspace& workspace, float* derivatives,
                    float* pairs);

}  // namespace coppice::chain

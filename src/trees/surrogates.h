// Surrogate splits (Breiman et al. 1984, 5.3): questions that mimic a node's own, for examples that
// lack its value.
//
// The rows that have the value get the target +1 where they go right and -1 where they go left; the
// question of another feature that agrees best with that is the one that the split finder likes
// best under an l1 criterion without penalty: |G_left| + |G_right|. It helps only when its sides
// disagree in sign; else sending all to the larger side does as well.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coppice/base/threads.h"
#include "trees/histogram.h"

namespace coppice::trees {

struct SurrogateSearch {
  const Schema& schema;
  const BinMatrix& matrix;
  Histogram& histogram;
  std::vector<std::int32_t>& directions;  // scratch memory
  const Threads& threads;
};

// Adds up to `count` surrogates of the question at `node` of the tree's only tree, best first.
void add_surrogates(const SurrogateSearch& search, std::span<const std::uint32_t> rows,
                    unsigned count, Ensemble& tree, std::uint32_t node);

}  // namespace coppice::trees

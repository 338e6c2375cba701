// The annotation of a sentence on the edges of its forest, with Hamming loss: what the generic
// objectives (learn/objective.h) read.
#pragma once

#include "chain/dataset.h"
#include "coppice/chain/forest.h"
#include "coppice/learn/objective.h"

namespace coppice::chain::testing {

inline learn::Target forest_target(const ChainForest& chain, const Annotation& gold) {
  learn::Target target;
  for (const EdgeId edge : chain.forest.edges()) {
    const EdgeLabels& labels = chain.labels[edge];
    const bool is_right = labels.label == kNoLabel || gold.allows(labels.token, labels.label);
    target.losses.push_back(is_right ? 0 : 1);
    target.gold.push_back(is_right ? 1 : 0);
  }
  return target;
}

}  // namespace coppice::chain::testing

// What users choose of a chain, and what they are told about it after training.
#pragma once

#include <cstdint>

#include "coppice/score/feature_set.h"

namespace coppice::chain {

// Labels that a label depends on, at the most.
inline constexpr unsigned kMaxOrder = 3;

// What users are offered for orders above 1.
inline constexpr double kDefaultPrune = 0.01;

struct ChainOptions {
  unsigned order = 1;  // labels that a label depends on: 0 to kMaxOrder
  FeatureSet features = FeatureSet::kObserved;
  double prune = 0;  // posterior that a label sequence needs in a coarser model to be looked at

  // Whether sentences are laid out as lattices.
  bool is_sparse() const noexcept { return order > 1 || (order == 1 && prune > 0); }
};

// What lattices hold, in all.
struct KeptCounts {
  std::uint64_t tokens = 0;
  std::uint64_t labels = 0;  // label and token
  std::uint64_t edges = 0;   // order + 1 labels and token
};

}  // namespace coppice::chain

// Which features a linear potential has a weight for.
#pragma once

namespace coppice {

enum class FeatureSet {
  kObserved,  // the pairs (attribute, label) seen in the training data
  kAllPairs,  // every attribute with every label
};

}  // namespace coppice

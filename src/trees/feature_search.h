// New compound features: for every question that is worth its penalty, a tree that begins with it.
//
// Trees of one search are grown on the same targets. A tree's first question has to have a gain, or
// just none (as it has when it carries a weight already, fitted to the end). Only the side with
// fewer examples is grown on: the other one is, but for a constant, the same feature with the
// opposite weight, and its parts are those of other trees. Leaves with a gain are what is found.
//
// Cost: the sums of all examples once, and the growth of each tree on the examples of its side.
#pragma once

#include <memory>
#include <vector>

#include "coppice/trees/grow.h"
#include "trees/compound_features.h"
#include "trees/row_index.h"

namespace coppice::trees {

class FeatureSearch {
 public:
  // What the arguments show must outlive this. Requires binary and ordered features only.
  FeatureSearch(const Schema& schema, const BinMatrix& matrix,
                std::shared_ptr<const RowIndex> index);

  struct Found {
    HeldFeature feature;
    double gain = 0;
  };
  // Those that `held` does not have, in the order of their first questions.
  std::vector<Found> search(TreeGrower& grower, const Targets& targets, const Criterion& criterion,
                            const GrowOptions& options, const CompoundFeatures& held,
                            const Threads& threads) const;

 private:
  std::vector<std::uint32_t> smaller_side(const TreeGrower::FirstQuestion& question) const;

  const Schema& schema_;
  BinMatrix matrix_;
  std::shared_ptr<const RowIndex> index_;
};

// The feature that all examples have.
HeldFeature constant_feature(std::size_t examples);

}  // namespace coppice::trees

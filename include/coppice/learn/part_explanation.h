// Why one derivation and not another: the log-odds of the two, part by part and feature by feature.
//
//     score(answer) - score(other) = sum over parts of  (uses in answer - uses in other) *
//     score(part)
//
// and the score of a part is the sum of its features' weights times their values, and what trees
// say of its row. Parts that both use as often cancel and are not listed. Exact: the contributions
// add up to the difference.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coppice/forest/part_forest.h"
#include "coppice/learn/part_model.h"
#include "coppice/learn/structure.h"

namespace coppice::learn {

struct FeatureContribution {
  std::uint64_t key = 0;
  double score = 0;  // times the uses
};

struct PartContribution {
  PartId part{};
  int uses = 0;  // of the answer less those of the other
  double score = 0;
  double trees = 0;                             // of that, what trees say
  std::vector<FeatureContribution> features{};  // the rest, largest first
};

struct PartExplanation {
  double difference = 0;                  // score(answer) - score(other)
  std::vector<PartContribution> parts{};  // largest first
};

// Derivations are edges in any order. Cost: that of scoring the parts that differ.
PartExplanation explain(const PartModel& model, const PartExample& example,
                        std::span<const EdgeId> answer, std::span<const EdgeId> other);

}  // namespace coppice::learn

// Going on from an older model: its labels and features join those of new data.
//
// Requires that the older model's labels are the first ones of the new label set, in the same order
// (DatasetBuilder::add_label_name).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chain/corpus_objective.h"
#include "coppice/tag/tagger.h"

namespace coppice::tag {

// Makes features of what has a weight in the older model and whose attribute the data has.
// `keys` are those of the data's attributes.
void unite_features(const Tagger& older, std::span<const std::uint64_t> keys, chain::Dataset& data);

// The older model's weights as parameters of the objective: attributes that were merged get the sum
// of theirs, so that every score is what it was.
std::vector<float> start_weights(const Tagger& older, std::span<const std::uint64_t> keys,
                                 const chain::CorpusObjective& objective);

// The rows of the attributes that the data does not have: no example speaks of them, and they keep
// their weights.
std::vector<FrozenLinear::KeyedRow> retained_rows(const Tagger& older,
                                                  std::span<const std::uint64_t> keys);

}  // namespace coppice::tag

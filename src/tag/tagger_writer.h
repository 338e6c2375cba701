// Model files of taggers, from the weights that training has found.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "chain/ngrams.h"
#include "chain/pair_potential.h"
#include "coppice/base/model_file.h"
#include "coppice/chain/constraints.h"
#include "coppice/score/frozen_trees.h"
#include "coppice/tag/tagger.h"
#include "score/frozen_linear.h"

namespace coppice::tag {

class NameCollector;

// Writes a model. `card` is a JSON object for people (training options, data, scores, date): it is
// no part of the model's identity.
struct TaggerTrees;
struct TaggerWeights {
  const LinearPotential& potential;
  std::span<const std::uint64_t> keys;
  std::span<const float> weights;      // of the potential's parameters
  std::span<const float> transitions;  // labels rows of row_stride floats; empty for order 0
  const chain::LabelNgrams& ngrams;
  std::span<const float> ngram_weights;
  const chain::Constraints& constraints;
  std::span<const FrozenLinear::KeyedRow> others{};  // of attributes that the potential lacks
  // Of templates that are conjoined with pairs of labels; null where there are none.
  const chain::PairPotential* pairs = nullptr;
  std::span<const std::uint64_t> pair_keys{};
  std::span<const float> pair_weights{};
  const TaggerTrees* trees = nullptr;    // what adds to these scores
  const NameCollector* names = nullptr;  // null: the model has no names of features
};
ModelWriter write_tagger(const TaggerConfig& config, const TaggerWeights& weights,
                         const std::string& card);

// The same for a boosted potential. Beside weights, the names are those of TaggerWeights.
struct TaggerTrees {
  const TreeInputs& inputs;
  trees::EnsembleView trees;
  const chain::Constraints& constraints;
  const NameCollector* names = nullptr;  // null: the model has no names of features
};
ModelWriter write_tagger(const TaggerConfig& config, const TaggerTrees& trees,
                         const std::string& card);

}  // namespace coppice::tag

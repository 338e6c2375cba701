// A boosted potential ready for use: attributes of a token to scores of its labels.
//
// The sections of a model file that it has: `inputs` (attributes and their bins), `inputs.columns`
// (what the features are), `trees`, `trees.begin`, `trees.output`, `trees.sets` and
// `trees.surrogates` (trees/tree.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/base/model_file.h"
#include "coppice/score/tree_inputs.h"
#include "coppice/trees/predictor.h"

namespace coppice {

class FrozenTrees {
 public:
  // Adds the sections. Inputs and trees must outlive the writer.
  static void write(ModelWriter& writer, const TreeInputs& inputs,
                    const trees::EnsembleView& trees);

  // Reads them; the file must outlive this. A tree's output is a label; `fold` is that of the keys
  // in training. Throws ModelError (E404) when they do not fit together: after that no token can
  // lead out of them.
  FrozenTrees(const ModelFile& file, std::size_t states, std::size_t labels, KeyFold fold = {});
  FrozenTrees(const FrozenTrees&) = delete;  // the predictor looks at the inputs
  FrozenTrees& operator=(const FrozenTrees&) = delete;

  struct Scratch {
    trees::Predictor::Scratch predictor;
    std::vector<std::uint32_t> bins;
  };
  // Writes the scores [state * labels + label] of a token with these attributes.
  void score(std::span<const std::uint64_t> keys, std::span<const float> values,
             std::span<double> scores, Scratch& scratch) const;

  const TreeInputs& inputs() const noexcept { return inputs_; }
  const trees::EnsembleView& trees() const noexcept { return trees_; }

 private:
  TreeInputs inputs_;
  trees::EnsembleView trees_;
  trees::Predictor predictor_;
};

}  // namespace coppice

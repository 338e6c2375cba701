// A trained potential over the parts of a structure: linear, boosted trees, or their sum.
//
//     const PartModel model = training.model();
//     const EdgeMap<double> scores = model.edge_scores(example);
//     best_derivation(example.forest.forest, scores)     k_best(...)     edge_marginals(...)
//
// Every decoder is a function of forest/ or learn/ over such scores: best_derivation, k_best,
// sample_derivation, part_marginals, min_risk.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "coppice/base/model_file.h"
#include "coppice/forest/part_forest.h"
#include "coppice/learn/structure.h"
#include "coppice/score/sparse_linear.h"
#include "coppice/score/tree_inputs.h"
#include "coppice/trees/tree.h"

namespace coppice::learn {

// Copies share what they hold.
class PartModel {
 public:
  // `weights` are those of `linear`, trees read `inputs` and have so many outputs; either potential
  // may be empty. Throws InvalidArgument where they do not fit.
  struct Parts {
    SparseLinear linear{};
    std::vector<float> weights{};
    TreeInputs inputs{};
    trees::Ensemble trees{};
    std::size_t num_outputs = 0;
  };
  explicit PartModel(Parts parts);

  const Parts& parts() const noexcept;
  bool has_linear() const noexcept { return !parts().weights.empty(); }
  bool has_trees() const noexcept { return parts().trees.num_trees() > 0; }

  // Adds the sections of a model file: `parts.features`, `parts.entries`, `parts.weights`,
  // `parts.size`, without weights of 0; and those of score/frozen_trees.h where there are trees.
  // The model must outlive the writer.
  void write(ModelWriter& writer) const;
  // Throws ModelError (E404) for sections that do not fit together.
  static PartModel read(const ModelFile& file);

  // The scores of the parts. Threads: any number at once.
  std::vector<float> part_scores(const PartFeatures& features) const;
  // The scores of the edges.
  EdgeMap<double> edge_scores(const PartExample& example) const;

 private:
  struct State;
  void add_trees(const PartFeatures& features, std::span<float> scores) const;

  std::shared_ptr<const State> state_;
};

}  // namespace coppice::learn

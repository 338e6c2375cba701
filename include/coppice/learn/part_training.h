// The whole training of a structure by the generic engine: examples in, a model out.
//
//     PartTraining training(train, &development, {.objective = {.loss = ...}});
//     while (training.iterate(threads)) report(training.loop());
//     const PartModel model = training.model();
//
// With development examples, the iterate of the best check is kept: F1 of the items of the best
// derivations (PartTarget::counts), summed over the examples.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>

#include "coppice/base/threads.h"
#include "coppice/learn/boosted_parts.h"
#include "coppice/learn/part_corpus.h"
#include "coppice/learn/part_model.h"
#include "coppice/learn/structure.h"
#include "coppice/learn/training_loop.h"
#include "coppice/learn/training_objective.h"

namespace coppice::learn {

enum class Potential : unsigned char { kLinear, kTrees, kLinearAndTrees };

struct PartTrainingOptions {
  Potential potential = Potential::kLinear;
  TrainingObjective objective{};
  LoopOptions loop{};  // the number of rounds, too
  std::size_t batch = 8;
  SparseLinearOptions linear{};
  BoostingOptions boosting{};
  TreeInputOptions tree_inputs{};
  std::size_t tree_min_count = 1;
};

class PartTraining {
 public:
  // Lays every example out, to index its features. Both structures must outlive this; `development`
  // may be null. Throws InvalidArgument as PartCorpus and Booster do.
  PartTraining(const Structure& train, const Structure* development,
               const PartTrainingOptions& options);
  ~PartTraining();
  PartTraining(PartTraining&&) noexcept;
  PartTraining& operator=(PartTraining&&) noexcept;

  // One pass, iteration or round; false when training is over. Throws Error (E310) naming the
  // example where the objective is not finite.
  bool iterate(const Threads& threads);
  // How far it is, the development score, and what is kept.
  const TrainingLoop& loop() const noexcept;
  // The model of the iterate to keep.
  PartModel model() const;

  // To go on later: same data, same options, then load() before the first iteration. Throws
  // ModelError (E430) for bytes that are cut short or belong to another training.
  void save(std::ostream& out) const;
  void load(std::istream& in, const Threads& threads);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// (n, d) of a derivation's edges, added up.
Counts counts_of(const PartTarget& target, std::span<const EdgeId> derivation);

}  // namespace coppice::learn

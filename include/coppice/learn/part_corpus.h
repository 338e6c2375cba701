// A structure's examples under a linear potential (score/sparse_linear.h), as a Learnable: what
// learn/trainer.h trains.
//
// Examples are laid out when they are visited and dropped afterwards. Stochastic passes take
// `batch` examples a step (AdaGrad, or SGD); their gradients are worked out in parallel and added
// in the order of the examples, so that the result does not depend on the threads.
//
// Cost of a visit: laying out, one probe per feature of a row, the engine's question, and two
// additions per (feature, part) pair. Memory: the weights, 8 bytes each for an evaluation's sums,
// 12 for stochastic steps; and what a batch holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/learn/learnable.h"
#include "coppice/learn/part_loss.h"
#include "coppice/learn/structure.h"
#include "coppice/score/sparse_linear.h"

namespace coppice::learn {

// Which pairs of a feature and an output have weights of their own: those of parts that right
// derivations have, or a teacher's; or those of all parts.
enum class PartPairs : unsigned char { kObserved, kAll };

struct SparseLinearOptions {
  PartPairs pairs = PartPairs::kObserved;
  std::size_t min_count = 1;
  unsigned bucket_bits = 0;  // all other pairs share 2^bits weights; 0: they have none
};

// Lays every example out once.
SparseLinear index_parts(const Structure& structure, const SparseLinearOptions& options);

// What stays the same of a visit to an example: its layout, and what its parts look up.
struct VisitedExample {
  PartExample example{};
  std::vector<SparseLinear::Hit> hits{};
  std::vector<float> scores{};  // of parts; derivatives after a question
};

class PartCorpus final : public Learnable {
 public:
  // The structure must outlive this. Throws InvalidArgument as StagedObjective and PartLoss do, and
  // for a batch of 0.
  PartCorpus(const Structure& structure, SparseLinear linear, const TrainingObjective& objective,
             std::size_t batch = 8);

  const Structure& structure() const noexcept { return structure_; }
  const SparseLinear& linear() const noexcept { return linear_; }

  std::size_t num_examples() const noexcept override { return structure_.num_examples(); }
  std::size_t num_parameters() const noexcept override { return linear_.num_parameters(); }
  std::size_t num_features() const noexcept override { return linear_.num_features(); }

  double evaluate(std::span<const float> weights, std::span<float> gradient,
                  const Threads& threads) override;
  void curvature(std::span<const float> weights, std::span<float> diagonal,
                 const Threads& threads) override;

  void begin_passes(const StepOptions& options) override;
  double pass(std::span<const std::uint32_t> order, double step, std::span<float> weights,
              const Threads& threads) override;
  std::vector<std::span<float>> step_state() override;

  StagedObjective& objective() noexcept override { return objective_; }
  const StagedObjective& objective() const noexcept override { return objective_; }

 private:
  void visit(std::size_t example, VisitedExample& visited) const;
  // Scores the example, asks, and returns its value times its weight; scores become derivatives,
  // also multiplied. Throws Error (E310) where the value is not finite.
  template <class Ask>
  double ask(std::size_t example, VisitedExample& visited, const Ask& question) const;
  void look_ahead(std::span<const float> weights, const Threads& threads);
  template <class Optimizer>
  double take_steps(std::span<const std::uint32_t> order, Optimizer& optimizer,
                    const Threads& threads);

  const Structure& structure_;
  SparseLinear linear_;
  StagedObjective objective_;
  PartLoss loss_;
  std::size_t batch_;
  StepOptions steps_{};
  std::vector<float> squares_;  // of gradients, a weight each: AdaGrad's
};

}  // namespace coppice::learn

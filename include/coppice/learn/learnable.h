// A corpus whose objective is a function of one vector of weights: what the trainer of linear
// potentials (learn/trainer.h) asks of a structure.
//
//     value = sum over examples of  weight * objective(scores of the example's parts, annotation)
//
// learn/part_corpus.h implements it for any structure; the chain brings an engine of its own
// (chain/corpus_objective.h). The result of every function is the same for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/base/threads.h"
#include "coppice/learn/staged_objective.h"

namespace coppice::learn {

// How stochastic passes step.
struct StepOptions {
  double step = 0.4;
  double l1 = 0;
  double l2 = 0;
  bool adaptive = true;  // AdaGrad; else steps of plain gradient descent
};

class Learnable {
 public:
  Learnable() = default;
  Learnable(const Learnable&) = delete;
  Learnable& operator=(const Learnable&) = delete;
  virtual ~Learnable() = default;

  virtual std::size_t num_examples() const noexcept = 0;
  virtual std::size_t num_parameters() const noexcept = 0;
  // Parameters that stand for something; others are padding.
  virtual std::size_t num_features() const noexcept = 0;
  // How many equal attributes a parameter stands for, by which its penalty is divided. Empty: one.
  virtual std::span<const float> multiplicity() const noexcept { return {}; }

  // The value and its gradient; the weights are aligned to 32 bytes. Throws Error (E310) naming the
  // example where the value is not finite.
  virtual double evaluate(std::span<const float> weights, std::span<float> gradient,
                          const Threads& threads) = 0;
  // The diagonal of the likelihood's Hessian, with each part's variance taken for itself: what
  // scales the parameters for an optimiser. Costs an evaluation.
  virtual void curvature(std::span<const float> weights, std::span<float> diagonal,
                         const Threads& threads) = 0;

  // Before the first pass.
  virtual void begin_passes(const StepOptions& options) = 0;
  // One stochastic pass over the examples in `order`, with steps of this length. Returns the loss
  // on the way.
  virtual double pass(std::span<const std::uint32_t> order, double step, std::span<float> weights,
                      const Threads& threads) = 0;
  // What passes keep beside the weights: all there is to save and restore. After begin_passes().
  virtual std::vector<std::span<float>> step_state() = 0;

  // Whether examples are pruned by a model, once, between the passes and L-BFGS.
  virtual bool prunes() const noexcept { return false; }
  virtual void prune(std::span<const float> /*weights*/, const Threads& /*threads*/) {}

  virtual StagedObjective& objective() noexcept = 0;
  virtual const StagedObjective& objective() const noexcept = 0;
};

}  // namespace coppice::learn

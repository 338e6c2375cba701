// Training of a linear potential, whatever the structure: from a corpus to weights.
//
// Two stages, so that the last digit and the first are both cheap. First a few stochastic passes
// (AdaGrad), which bring the objective within some percent of its
// optimum. Then L-BFGS (OWL-QN when l1 > 0) in coordinates that are scaled by the diagonal of the
// Hessian there: w = s v with s = (h + 2 l2 / copies)^(-1/4). An exponent of -1/2 would give every
// feature the same curvature by itself, but frequent features overlap, and along the differences
// between them only the penalty curves: half of it serves both, and needs the fewest iterations.
// Where examples are pruned, that is by the weights that the stochastic passes end with.
//
//     Trainer trainer(std::move(corpus), {.l2 = 1});
//     while (trainer.iterate(threads)) report(trainer.progress());
//
// An objective that is not for stochastic passes begins where those of the likelihood have ended
// (learn/staged_objective.h). One of several stages has L-BFGS start afresh in each.
//
// Either stage can be all there is. The stochastic one alone is AdaGrad, or plain SGD with steps of
// length step / (1 + 2 l2 step p) in pass p (Bottou 2010), and may average: the weights are then
// the mean of those after each pass of the second half (Rakhlin et al. 2012, suffix averaging).
//
// The result depends on the data, the options and the seed only, not on the threads. save() and
// load() make a training go on bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "coppice/base/threads.h"
#include "coppice/learn/learnable.h"
#include "coppice/learn/stopping.h"

namespace coppice::learn {

struct TrainerOptions {
  double l1 = 0;
  double l2 = 1;
  std::uint64_t seed = 1;
  unsigned stochastic_passes = 4;  // before L-BFGS; 0 for none
  double stochastic_step = 0.4;
  bool adaptive = true;    // AdaGrad; else SGD
  bool averaging = false;  // of the weights after the stochastic passes
  unsigned history = 10;
  // Iterations at the most in each stage between the first and the last of an objective that
  // changes (annealed risk).
  std::uint64_t stage_iterations = 15;
  bool batch = true;  // L-BFGS after the stochastic passes; without it they are all there is
  StoppingOptions stopping{};
};

struct TrainingProgress {
  std::uint64_t iteration = 0;    // passes and iterations so far
  std::uint64_t evaluations = 0;  // passes over the data
  bool stochastic = true;         // whether the last one was a stochastic pass
  bool boosting = false;          // or a round of trees
  double objective = 0;           // loss and penalty; of a stochastic pass, the loss on the way
  double gradient_norm = 0;
  std::string_view stopped{};  // why, once iterate() has returned false
};

class Trainer {
 public:
  // Requires a corpus.
  Trainer(std::unique_ptr<Learnable> corpus, TrainerOptions options);
  ~Trainer();
  Trainer(Trainer&&) noexcept;
  Trainer& operator=(Trainer&&) noexcept;

  // One pass or iteration; false, without moving, when there is nothing left to do.
  // Throws Error (E310) where the objective is not finite.
  bool iterate(const Threads& threads);

  // Goes on to the objective's next stage; false, where this was the last one.
  bool end_stage();

  const TrainingProgress& progress() const noexcept;
  // How many calls of iterate() will still move, at the most. No value while steps of another kind
  // are to follow (L-BFGS after the passes, the objective's next stage), and without a limit.
  std::optional<std::uint64_t> most_steps_left() const noexcept;
  const Learnable& corpus() const noexcept;
  // One for each parameter of the corpus; valid until the next iterate().
  std::span<const float> weights() const noexcept;
  // Starts from these weights instead of 0. Requires that no iteration has been made.
  void start_from(std::span<const float> weights);

  // The objective (loss and penalty) at the current weights. Costs an evaluation.
  double value(const Threads& threads);

  // Everything but the data and the options. load() throws ModelError (E430) for bytes that are cut
  // short or belong to another training.
  void save(std::ostream& out) const;
  void load(std::istream& in);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace coppice::learn

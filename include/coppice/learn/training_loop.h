// The training loop of every task: a linear potential, trees, or both; checks on development data;
// the best iterate; early stopping; checkpoints.
//
//     TrainingLoop loop({.corpus = std::move(corpus), .development = &development}, options);
//     while (loop.iterate(threads)) report(loop.progress(), loop.development());
//     model.write(loop.kept_weights(), loop.kept_rounds());
//
// With development data the weights and trees of the best check are kept, and a stage of training
// stops when `patience` checks in a row have not been better. Checks are made after each stochastic
// pass and then every `check_every` iterations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coppice/base/threads.h"
#include "coppice/learn/booster.h"
#include "coppice/learn/trainer.h"

namespace coppice::learn {

// The score on the development data.
struct DevelopmentScore {
  bool checked = false;  // whether the last iteration was followed by a check
  bool best = false;     // and whether that was the best so far
  double score = 0;      // the metric, in [0, 1]
  double precision = 0;  // where the task counts items; else the metric
  double recall = 0;
};

// What a task does at a check.
class Development {
 public:
  virtual ~Development() = default;
  // The score of the development data under these weights (none without a linear potential), and,
  // where `has_trees`, under the trees grown so far beside them.
  virtual DevelopmentScore score(std::span<const float> weights, bool has_trees,
                                 const Threads& threads) = 0;
};

struct LoopOptions {
  TrainerOptions trainer{};
  std::size_t rounds = 0;      // of trees; 0: there are none
  std::uint64_t patience = 5;  // 0: never stop early
  std::uint64_t check_every = 5;
};

class TrainingLoop {
 public:
  struct Learner {
    std::unique_ptr<Learnable> corpus{};  // of a linear potential; null: trees alone
    // Makes the booster of the trees, which must outlive the loop, once the linear potential beside
    // them has these weights. Asked once, and only where LoopOptions::rounds is not 0.
    std::function<Booster&(std::span<const float> weights)> start_boosting{};
    Development* development = nullptr;  // null: there is no development data
  };
  // Requires a corpus or rounds of trees.
  TrainingLoop(Learner learner, const LoopOptions& options);
  ~TrainingLoop();
  TrainingLoop(TrainingLoop&&) noexcept;
  TrainingLoop& operator=(TrainingLoop&&) noexcept;

  // Starts from these weights instead of 0, before the first iteration. With `skip_stage`, they are
  // where the objective's first stage would have ended.
  void start_from(std::span<const float> weights, bool skip_stage);

  // One pass, iteration or round, and a check where one is due; false when training is over. Throws
  // Error (E310) where the objective is not finite.
  bool iterate(const Threads& threads);

  const TrainingProgress& progress() const noexcept;
  // How many iterations there will still be, at the most; no value while iterations of another kind
  // are to follow (L-BFGS after passes, trees after weights), and without a limit.
  std::optional<std::uint64_t> most_steps_left() const noexcept;
  const DevelopmentScore& development() const noexcept;
  // Whether the last iteration was one at which checks are due.
  bool check_was_due() const noexcept;
  // Why training ended, for people; empty before.
  std::string stopped() const;

  // The iteration of the best check, or the last one; its score, negative where there was no check.
  std::uint64_t kept_iteration() const noexcept;
  double kept_score() const noexcept;
  // The weights to keep, aligned to 32 bytes; empty without a linear potential.
  std::span<const float> kept_weights() const noexcept;
  // The rounds of trees to keep: those up to the best check, none where that was one of the linear
  // potential.
  std::size_t kept_rounds() const noexcept;

  // Null without a linear potential.
  const Learnable* corpus() const noexcept;
  bool is_boosting() const noexcept;
  // About how many bytes the linear part will take beyond what there is already.
  std::uint64_t bytes_to_come() const noexcept;

  // To go on later: same data, same options, then load() before the first iteration. load() throws
  // ModelError (E430) for bytes that are cut short or belong to another training.
  void save(std::ostream& out) const;
  void load(std::istream& in, const Threads& threads);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace coppice::learn

// The objective of a training, over all examples and stages: which question each example's engine
// is asked, and when.
//
//     warm-up     stochastic passes ask for the likelihood where the objective starts from it
//     stage 0     the likelihood, for risks, which are not convex and begin at its optimum
//     stages      the objective; annealed risk has one for each temperature and scale
//
// A loss of the whole corpus is looked at twice: each example first tells the distribution of its
// counts, then, when these have been put together (learn/corpus_loss.h), is asked for derivatives:
//
//     risk            tau S E[l(N, D)]
//     softmax-margin  sum over i of (ln Z_i - s(gold_i))  +  ln E[e^{tau S l(N, D)}]
//
// where (N, D) are the counts of all S examples: the factor S makes the loss of a corpus weigh as
// much as those of its examples would.
//
// Examples without annotation count by their entropy where the objective gives it a weight.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "coppice/learn/engine.h"
#include "coppice/learn/training_objective.h"

namespace coppice::learn {

class StagedObjective {
 public:
  // Throws InvalidArgument as TrainingObjective::check().
  explicit StagedObjective(TrainingObjective goal = {});
  StagedObjective(StagedObjective&& other) noexcept;

  const TrainingObjective& goal() const noexcept { return goal_; }

  // The value for one example, whose scores become derivatives. Threads: may be called by several
  // at once, with engines of their own. Throws what the engine throws.
  double evaluate(Engine& engine, std::size_t example) const;
  // The same in a stochastic pass.
  double warm_up(Engine& engine) const;

  // Whether every example has to be shown to look(), between begin_look() and end_look(), before
  // evaluate(). Threads: look() may be called by several at once, for different examples.
  bool looks_ahead() const noexcept { return goal_.of_corpus && !is_first_likelihood_; }
  void begin_look(std::size_t num_examples);
  void look(Engine& engine, std::size_t example);
  void end_look();

  // Goes on to the next stage; false where there is none.
  bool advance();
  bool has_next_stage() const noexcept;

  // What there is to say about the evaluations so far, as one line for people; empty for nothing.
  std::string remarks() const;
  SplitStatistics statistics() const;

 private:
  double ask(Engine& engine, std::size_t example) const;
  double corpus_loss(Engine& engine, std::size_t example) const;
  void count(const SplitStatistics& example) const;

  TrainingObjective goal_;
  bool is_first_likelihood_;  // in the stage before a risk's own
  std::size_t stage_ = 0;
  AnnealedRiskOptions annealing_{};  // of the stage; its temperature without tau

  std::vector<CountDistribution> tables_;  // by example
  std::vector<std::uint32_t> gold_;
  CorpusExpectation corpus_;  // of the last look

  // Sums and maxima: the order in which threads add does not change them.
  mutable std::atomic<std::uint64_t> nodes_{0}, splits_{0}, largest_splits_{0};
  mutable std::atomic<double> largest_cut_{0};
};

}  // namespace coppice::learn

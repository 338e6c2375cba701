// A corpus whose parts are scored by trees: what boosting (learn/booster.h) asks of a structure.
//
// Scores belong to cells (output, row, state): the row is what trees read (the inputs of a token, a
// span, a rule at a place), the output which ensemble scores it (a label, a symbol), the state what
// a tree may ask for beside the row (the labels before a token; one state where there is nothing).
// learn/boosted_parts.h implements it for any structure; the chain has its own
// (chain/boosted_chain.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "coppice/base/threads.h"
#include "coppice/learn/staged_objective.h"
#include "coppice/trees/grow.h"
#include "coppice/trees/predictor.h"

namespace coppice::learn {

// Which function a round follows.
enum class RoundGoal : unsigned char { kPseudoLikelihood, kObjective };

class Boostable {
 public:
  Boostable() = default;
  Boostable(const Boostable&) = delete;
  Boostable& operator=(const Boostable&) = delete;
  virtual ~Boostable() = default;

  virtual const trees::Schema& schema() const noexcept = 0;
  virtual trees::BinMatrix rows() const noexcept = 0;
  virtual std::size_t num_outputs() const noexcept = 0;
  virtual trees::States states() const = 0;
  virtual std::size_t num_examples() const noexcept = 0;

  // Writes the negative derivative of the goal by the score of every cell, [output][row][state],
  // and returns the value. Throws Error (E310) naming the example where that is not finite.
  virtual double differentiate(RoundGoal goal, std::span<float> descents,
                               const Threads& threads) = 0;
  // Sets the curvature [row][state] of an output's cells to 0 where no example has the cell.
  virtual void forget_impossible(std::size_t output, std::span<std::int32_t> curvature) const = 0;

  // Called with an example, a row and what trees say of it: [state][output]. Threads: for several
  // examples at once.
  using Said =
      std::function<void(std::size_t example, std::size_t row, std::span<const double> values)>;
  // Adds what trees say to all scores, and tells it of those that are trained on.
  virtual void add(const trees::Predictor& predictor, const Threads& threads, const Said& said) = 0;

  virtual StagedObjective& objective() noexcept = 0;
  // False where the structure has no pseudo-likelihood: its rounds then follow the objective.
  virtual bool has_pseudo_likelihood() const noexcept { return false; }
};

}  // namespace coppice::learn

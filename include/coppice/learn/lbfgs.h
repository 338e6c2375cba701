// Minimises loss(w) + penalty(w) over millions of weights by L-BFGS, or OWL-QN when l1 > 0.
//
// The loss is any function with a gradient; the penalty (learn/penalty.h) is added here. The
// caller drives:
//
//     Lbfgs<float> optimizer(std::vector<float>(n), {.penalty = {.l2 = 1}});
//     while (optimizer.iterate(loss, threads) &&
//            rule.observe(optimizer.progress()) == StopReason::kNone) {}
//     use(optimizer.weights());
//
// Direction. Over the basis of the last m steps s and gradient changes y and the gradient, the
// inner products are kept, so that the two loops of L-BFGS run on 2m + 1 numbers, and an iteration
// reads the history twice (once for the inner products with what is new, once to add up the
// direction) instead of writing a long vector 2m times.
// Step. Strong Wolfe conditions by bracketing and cubic interpolation, trying 1 first: one
// evaluation an iteration is the rule. With l1 > 0: the pseudo-gradient, the orthant of the
// current point, and backtracking (Andrew and Gao 2007), but the direction is that of L-BFGS within
// the free weights, those that are not 0 or that the pseudo-gradient moves: the curvature of the
// others, which stay, would only spoil it. A search that fails drops the history and tries again
// along the steepest descent.
//
// Weights and gradients are T, the history is H, every sum is double. T = H = float serves
// training; tests hold it to T = H = double.
//
// Cost, in bytes a weight: memory 4 sizeof(T) + 2m sizeof(H); traffic of an iteration of one
// evaluation, without the loss itself, 10 sizeof(T) + (4m + 3) sizeof(H). For m = 6 in float that
// is 64 and 148. (All in double, with two loops over the vectors: 136 and about 630.)
// Threads: results are the same bits for any number of them, if the loss's are.
//
// Liu and Nocedal (1989), "On the limited memory BFGS method", Math. Programming 45.
// Andrew and Gao (2007), "Scalable training of L1-regularized log-linear models", ICML.
// Chen, Wang and Zhou (2014), "Large-scale L-BFGS using MapReduce", NIPS (the inner products).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <vector>

#include "coppice/base/threads.h"
#include "coppice/learn/penalty.h"

namespace coppice::learn {

// Returns the loss at `weights` and writes all of its gradient, without the penalty.
template <class T>
using Loss = std::function<double(std::span<const T> weights, std::span<T> gradient)>;

struct LbfgsOptions {
  Penalty penalty{};
  unsigned history = 6;               // pairs kept, m above; at least 1
  double sufficient_decrease = 1e-4;  // Wolfe's first constant
  double curvature = 0.9;             // and his second: sufficient_decrease < curvature < 1
  double value_noise = 1e-10;         // relative error of the loss; below it slopes decide
  unsigned max_trials = 20;           // evaluations in one search
};

// Where the optimiser stands after an iteration.
struct LbfgsProgress {
  std::uint64_t iteration = 0;
  std::uint64_t evaluations = 0;  // of the loss, so far
  double value = 0;               // loss + penalty
  double gradient_norm = 0;       // Euclidean; of the pseudo-gradient when l1 > 0
  double weight_norm = 0;         // Euclidean
  double step = 0;                // multiple of the direction that was taken
  std::uint64_t nonzero = 0;      // weights that are not 0

  bool operator==(const LbfgsProgress&) const = default;
};

template <class T, class H = T>
class Lbfgs {
 public:
  // Starts at `weights`. Throws InvalidArgument for options out of range, or a penalty scale that
  // is neither empty nor as long as `weights`.
  explicit Lbfgs(std::vector<T> weights, LbfgsOptions options = {});
  ~Lbfgs();
  Lbfgs(Lbfgs&&) noexcept;
  Lbfgs& operator=(Lbfgs&&) noexcept;

  // One iteration; the first also evaluates the start. Returns false, and stays where it is, when
  // no step decreases the value: the gradient is zero, or rounding hides any decrease.
  //
  // Throws Error (E310) when the value is not finite at the start, or along the direction however
  // short the step; weights() is then still the last good point. Throws what `loss` throws.
  bool iterate(const Loss<T>& loss, const Threads& threads);

  const LbfgsProgress& progress() const noexcept;

  // The current point; valid until the next iterate().
  std::span<const T> weights() const noexcept;

  // Writes everything, options included: load() of it goes on bit for bit as this would.
  // The bytes are meant for the machine that wrote them: a checkpoint, not a model.
  void save(std::ostream& out) const;

  // Throws ModelError (E430) when the bytes are cut short or were not written by save().
  static Lbfgs load(std::istream& in);

 private:
  struct State;
  explicit Lbfgs(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

extern template class Lbfgs<float, float>;
extern template class Lbfgs<double, float>;
extern template class Lbfgs<double, double>;

}  // namespace coppice::learn

// Stochastic steps on sparse gradients: a step costs what it touches, whatever the penalty.
//
// Both optimisers minimise   sum over N examples of loss   +  l1 |w|_1 + l2 |w|^2   (the penalty of
// learn/penalty.h, uniform over the weights). One step sees one example and 1/N of the penalty:
//
//     for each touched coordinate:  g = derivative at optimizer.weight(i)
//     for each touched coordinate:  optimizer.update(i, g)
//     optimizer.finish()
//
// Read all weights of a step before its first update. What the penalty does to untouched weights
// is worked out when they are read next; weights() brings all of them up to date.
//
// Sgd       w <- (1 - eta 2 l2 / N) w - eta g   with   eta = eta0 / (1 + eta0 (2 l2 / N) t),
//           L2 as one common factor (Bottou 2010), L1 by the cumulative penalty (Tsuruoka et al.
//           2009). With l2 = 0 the step stays eta0: with averaging, the averaged perceptron.
// AdaGrad   step eta_i = eta0 / (1 + sqrt(sum of g_i^2)), the penalty by a proximal step of the
// same
//           length (Duchi et al. 2011, forward-backward); closed form over the steps missed.
//
// Averaging (Sgd without L1) gives the mean of the weights after each step, at the cost of a
// second array and nothing else.
// T is float or double. Memory: one T a weight; a second one for L1, averaging; AdaGrad two and a
// 32-bit step number.
// save() writes everything; load() goes on bit for bit, and throws ModelError (E430) for bytes
// that are cut short or of another kind.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <vector>

namespace coppice::learn {

struct StochasticOptions {
  double step = 0.1;  // eta0
  double l1 = 0;
  double l2 = 0;
  double examples = 1;     // N
  bool averaging = false;  // Sgd only
};

template <class T>
class Sgd {
 public:
  // Throws InvalidArgument for options out of range, or averaging with l1 > 0. A step so long that
  // the decay of one step would be 1/2 or more (2 l2 eta0 / N) is out of range.
  explicit Sgd(std::vector<T> weights, StochasticOptions options);

  std::size_t size() const noexcept { return values_.size(); }

  T weight(std::size_t i) const noexcept {
    const double weight = scale_ * static_cast<double>(values_[i]);
    return static_cast<T>(options_.l1 > 0 ? penalised(weight, i) : weight);
  }

  // As AdaGrad has it.
  T refreshed(std::size_t i) const noexcept { return weight(i); }

  void update(std::size_t i, double gradient) noexcept {
    const double before = static_cast<double>(values_[i]);
    double value = before;
    if (options_.l1 > 0) {
      const double weight = scale_ * before;
      const double clipped = penalised(weight, i);
      extra_[i] = static_cast<T>(static_cast<double>(extra_[i]) + clipped - weight);
      value = clipped / scale_;
    }
    value -= eta_ * gradient / (scale_ * decay_);
    values_[i] = static_cast<T>(value);
    if (options_.averaging)
      extra_[i] = static_cast<T>(static_cast<double>(extra_[i]) -
                                 (static_cast<double>(values_[i]) - before) * scale_sum_);
  }

  // Ends a step. Cost: constant, but now and then one pass that renews the common factor.
  void finish();

  // All weights, up to date. Cost: one pass.
  std::vector<T> weights() const;
  // The mean over the steps so far; the start before the first. Requires options.averaging, throws
  // InvalidArgument without.
  std::vector<T> averaged_weights() const;

  std::uint64_t steps() const noexcept { return steps_; }

  void save(std::ostream& out) const;
  static Sgd load(std::istream& in);

 private:
  void prepare_step() noexcept;
  void renew_scale();

  // Tsuruoka's clipping: what is still owed of the penalty every weight could have received.
  double penalised(double weight, std::size_t i) const noexcept {
    const auto received = static_cast<double>(extra_[i]);
    if (weight > 0) return std::max(0.0, weight - (owed_ + received));
    if (weight < 0) return std::min(0.0, weight + (owed_ - received));
    return 0;
  }

  StochasticOptions options_;
  std::vector<T> values_;  // weight = scale_ * value
  std::vector<T> extra_;   // L1: penalty received; averaging: what makes values_ * scale_sum_ a sum
  double scale_ = 1;
  double scale_sum_ = 0;  // of scale_ after each step
  double owed_ = 0;       // L1 penalty of all steps so far
  double eta_ = 0;        // of the current step
  double decay_ = 1;      // of the current step
  std::uint64_t steps_ = 0;
};

template <class T>
class AdaGrad {
 public:
  // Throws InvalidArgument for options out of range, averaging among them. `squares` are those of
  // earlier steps, to go on from; none: 0.
  explicit AdaGrad(std::vector<T> weights, StochasticOptions options, std::vector<T> squares = {});

  std::size_t size() const noexcept { return values_.size(); }

  T weight(std::size_t i) const noexcept { return static_cast<T>(shrunk(i, steps_ - seen_[i])); }

  // The same, worked out once for all readers until the step ends.
  T refreshed(std::size_t i) noexcept {
    if (seen_[i] != steps_) {
      values_[i] = weight(i);
      seen_[i] = steps_;
    }
    return values_[i];
  }

  // Requires each coordinate at most once a step.
  void update(std::size_t i, double gradient) noexcept {
    const double before = shrunk(i, steps_ - seen_[i]);
    squares_[i] = static_cast<T>(static_cast<double>(squares_[i]) + gradient * gradient);
    values_[i] = static_cast<T>(before - step_of(i) * gradient);
    seen_[i] = steps_;  // this step's own penalty is still to come
  }

  // Ends a step. Throws Error (E311) after 2^32 - 1 steps.
  void finish();

  // All weights, up to date. Cost: one pass.
  std::vector<T> weights() const;
  // Sums of squared gradients.
  std::span<const T> squares() const noexcept { return squares_; }

  std::uint64_t steps() const noexcept { return steps_; }

  void save(std::ostream& out) const;
  static AdaGrad load(std::istream& in);

 private:
  double step_of(std::size_t i) const noexcept {
    return options_.step / (1 + std::sqrt(static_cast<double>(squares_[i])));
  }

  // values_[i] after `missed` proximal steps  w <- sign(w) max(0, |w| - threshold) * factor.
  double shrunk(std::size_t i, std::uint32_t missed) const noexcept {
    const auto value = static_cast<double>(values_[i]);
    if (missed == 0 || value == 0) return value;
    const double step = step_of(i) / options_.examples;
    const double factor = 1 / (1 + 2 * options_.l2 * step);
    const double power = options_.l2 > 0 ? std::pow(factor, missed) : 1;
    const double thresholds =
        options_.l2 > 0 ? factor * (1 - power) / (1 - factor) : static_cast<double>(missed);
    const double size = std::abs(value) * power - options_.l1 * step * thresholds;
    return size > 0 ? std::copysign(size, value) : 0;
  }

  StochasticOptions options_;
  std::vector<T> values_;
  std::vector<T> squares_;           // sums of squared gradients
  std::vector<std::uint32_t> seen_;  // the penalties of the steps before this one are in values_
  std::uint32_t steps_ = 0;
};

// The step size that does best on a sample: tries `first`, then doubles while that helps, or else
// halves while that helps, `tries` evaluations at most. trial(step) trains on the sample from the
// start and returns the objective there; one that is not finite counts as the worst.
// Bottou (2010), "Large-scale machine learning with stochastic gradient descent". Throws
// InvalidArgument unless first > 0 and tries > 0, and Error (E312) when no trial was finite.
double calibrate_step(const std::function<double(double step)>& trial, double first = 0.1,
                      unsigned tries = 10);

extern template class Sgd<float>;
extern template class Sgd<double>;
extern template class AdaGrad<float>;
extern template class AdaGrad<double>;

}  // namespace coppice::learn

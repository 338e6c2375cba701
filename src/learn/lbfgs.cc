#include "coppice/learn/lbfgs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/reduce.h"
#include "coppice/base/error.h"
#include "coppice/learn/checkpoint.h"
#include "learn/history.h"
#include "learn/line_search.h"

namespace coppice::learn {

namespace {

// What one pass over an evaluated point finds.
struct PointSums {
  double penalty = 0;
  double gradient_squared = 0;
  double weights_squared = 0;
  double slope = 0;  // along the direction; for l1, along the projected step
  double nonzero = 0;

  PointSums& operator+=(const PointSums& other) noexcept {
    penalty += other.penalty;
    gradient_squared += other.gradient_squared;
    weights_squared += other.weights_squared;
    slope += other.slope;
    nonzero += other.nonzero;
    return *this;
  }
};

struct Evaluation {
  double value = 0;
  PointSums sums;

  bool finite() const noexcept {
    return std::isfinite(value) && std::isfinite(sums.gradient_squared);
  }
};

constexpr double kBacktrack = 0.5;
constexpr unsigned kMaxStalled = 5;  // iterations in a row that decrease nothing

void check(const LbfgsOptions& options, std::size_t weights) {
  const Penalty& penalty = options.penalty;
  require(penalty.l1 >= 0 && penalty.l2 >= 0 && std::isfinite(penalty.l1 + penalty.l2),
          "L-BFGS: penalties must be finite and not negative, found l1 = ", penalty.l1,
          ", l2 = ", penalty.l2);
  for (const std::vector<float>& scales : {penalty.l1_scale, penalty.l2_scale}) {
    require(scales.empty() || scales.size() == weights, "L-BFGS: ", scales.size(),
            " penalty scales for ", weights, " weights");
    require(std::all_of(scales.begin(), scales.end(), [](float scale) { return scale >= 0; }),
            "L-BFGS: a penalty scale is negative");
  }
  require(options.history >= 1 && options.history <= 1000, "L-BFGS: a history of ", options.history,
          " pairs is not in 1..1000");
  require(0 < options.sufficient_decrease && options.sufficient_decrease < options.curvature &&
              options.curvature < 1,
          "L-BFGS: needs 0 < sufficient_decrease < curvature < 1");
  require(options.max_trials >= 1, "L-BFGS: max_trials must be at least 1");
}

}  // namespace

template <class T, class H>
struct Lbfgs<T, H>::State {
  State(std::vector<T> weights, LbfgsOptions given)
      : options(std::move(given)), history(options.history) {
    check(options, weights.size());
    current.gradient.resize(weights.size());
    trial.gradient.resize(weights.size());
    trial.weights.resize(weights.size());
    current.weights = std::move(weights);
  }

  const Penalty& penalty() const noexcept { return options.penalty; }
  std::size_t size() const noexcept { return current.weights.size(); }

  void start(const Loss<T>& loss, const Threads& threads);
  void take(double step, const Threads& threads);
  void take_in_orthant(double step, const Threads& threads);
  Evaluation evaluate(Point<T>& point, const Loss<T>& loss, const Threads& threads);
  PointSums penalise(Point<T>& point, std::size_t begin, std::size_t end) const;
  double slope_at(const Point<T>& point, std::size_t i) const;
  bool search(double slope, double first_step, const Loss<T>& loss, const Threads& threads);
  bool backtrack(double first_step, const Loss<T>& loss, const Threads& threads);
  void accept(const Evaluation& evaluation, double step, const Threads& threads);
  void note(const Evaluation& evaluation);
  [[noreturn]] void fail(double value, double step) const;

  LbfgsOptions options;
  Point<T> current;
  Point<T> trial;
  History<T, H> history;
  LbfgsProgress progress;
  bool started = false;
  unsigned stalled = 0;
};

template <class T, class H>
void Lbfgs<T, H>::State::start(const Loss<T>& loss, const Threads& threads) {
  const Evaluation first = evaluate(current, loss, threads);
  if (!first.finite()) fail(first.value, 0);
  note(first);
  started = true;
}

// trial = current + step * direction
template <class T, class H>
void Lbfgs<T, H>::State::take(double step, const Threads& threads) {
  const std::span<const H> direction = history.direction();
  for_elements(threads, size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      trial.weights[i] = static_cast<T>(static_cast<double>(current.weights[i]) +
                                        step * static_cast<double>(direction[i]));
  });
}

// The same, but a weight that would change its sign, or leave 0 uphill, becomes 0.
template <class T, class H>
void Lbfgs<T, H>::State::take_in_orthant(double step, const Threads& threads) {
  const std::span<const H> direction = history.direction();
  for_elements(threads, size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto weight = static_cast<double>(current.weights[i]);
      const double moved = weight + step * static_cast<double>(direction[i]);
      const double side = weight != 0 ? weight : -pseudo_gradient_at(current, penalty(), i);
      const bool stays = l1_at(penalty(), i) == 0 || moved * side > 0;
      trial.weights[i] = stays ? static_cast<T>(moved) : T{0};
    }
  });
}

// What coordinate i adds to the slope by which the step to `point` is judged.
template <class T, class H>
double Lbfgs<T, H>::State::slope_at(const Point<T>& point, std::size_t i) const {
  if (penalty().l1 == 0)
    return static_cast<double>(point.gradient[i]) * static_cast<double>(history.direction()[i]);
  return pseudo_gradient_at(current, penalty(), i) *
         (static_cast<double>(point.weights[i]) - static_cast<double>(current.weights[i]));
}

// Adds the l2 penalty's gradient and sums up, in four interleaved sums that the processor can
// work on at once.
template <class T, class H>
PointSums Lbfgs<T, H>::State::penalise(Point<T>& point, std::size_t begin, std::size_t end) const {
  std::array<PointSums, 4> lanes;
  for (std::size_t i = begin; i < end; ++i) {
    PointSums& sums = lanes[i % lanes.size()];
    const auto weight = static_cast<double>(point.weights[i]);
    const double l2 = l2_at(penalty(), i);
    point.gradient[i] = static_cast<T>(static_cast<double>(point.gradient[i]) + 2 * l2 * weight);
    const double gradient = pseudo_gradient_at(point, penalty(), i);
    sums.penalty += l1_at(penalty(), i) * std::abs(weight) + l2 * weight * weight;
    sums.gradient_squared += gradient * gradient;
    sums.weights_squared += weight * weight;
    sums.nonzero += weight != 0 ? 1 : 0;
    if (started) sums.slope += slope_at(point, i);
  }
  (lanes[0] += lanes[1]) += (lanes[2] += lanes[3]);
  return lanes[0];
}

template <class T, class H>
Evaluation Lbfgs<T, H>::State::evaluate(Point<T>& point, const Loss<T>& loss,
                                        const Threads& threads) {
  Evaluation evaluation;
  ++progress.evaluations;
  const double value = loss(point.weights, point.gradient);
  evaluation.sums = sum_elements<PointSums>(
      threads, size(),
      [&](std::size_t begin, std::size_t end) { return penalise(point, begin, end); });
  evaluation.value = value + evaluation.sums.penalty;
  return evaluation;
}

template <class T, class H>
bool Lbfgs<T, H>::State::search(double slope, double first_step, const Loss<T>& loss,
                                const Threads& threads) {
  LineSearch line(progress.value, slope, first_step,
                  {.sufficient_decrease = options.sufficient_decrease,
                   .curvature = options.curvature,
                   .noise = options.value_noise * std::abs(progress.value),
                   .max_trials = options.max_trials});
  for (;;) {
    const double step = line.step();
    take(step, threads);
    const Evaluation found = evaluate(trial, loss, threads);
    switch (line.observe(found.finite() ? found.value : NAN, found.sums.slope)) {
      case LineSearch::Verdict::kContinue:
        break;
      case LineSearch::Verdict::kAccepted:
        accept(found, step, threads);
        return true;
      case LineSearch::Verdict::kFailed:
        if (!found.finite()) fail(found.value, step);
        return false;
    }
  }
}

template <class T, class H>
bool Lbfgs<T, H>::State::backtrack(double first_step, const Loss<T>& loss, const Threads& threads) {
  Evaluation found;
  double step = first_step;
  for (unsigned trials = 0; trials < options.max_trials; ++trials, step *= kBacktrack) {
    take_in_orthant(step, threads);
    found = evaluate(trial, loss, threads);
    if (!found.finite()) continue;
    const double most = progress.value + options.sufficient_decrease * found.sums.slope;
    if (found.sums.slope < 0 && found.value <= most) {
      accept(found, step, threads);
      return true;
    }
  }
  if (!found.finite()) fail(found.value, step / kBacktrack);
  return false;
}

template <class T, class H>
void Lbfgs<T, H>::State::accept(const Evaluation& evaluation, double step, const Threads& threads) {
  history.append(current, trial, penalty(), threads);
  stalled = evaluation.value < progress.value ? 0 : stalled + 1;
  std::swap(current, trial);
  note(evaluation);
  progress.step = step;
  ++progress.iteration;
}

template <class T, class H>
void Lbfgs<T, H>::State::note(const Evaluation& evaluation) {
  progress.value = evaluation.value;
  progress.gradient_norm = std::sqrt(evaluation.sums.gradient_squared);
  progress.weight_norm = std::sqrt(evaluation.sums.weights_squared);
  progress.nonzero = static_cast<std::uint64_t>(evaluation.sums.nonzero);
}

template <class T, class H>
void Lbfgs<T, H>::State::fail(double value, double step) const {
  const std::string_view what = std::isfinite(value) ? "the gradient" : "the objective";
  const std::string found = std::isfinite(value) ? "not finite" : concat(value);
  throw Error(concat(what, " is ", found, " at iteration ", progress.iteration, ", step ", step),
              {.code = "E310", .help = "look for values in the data that are not finite or huge"});
}

template <class T, class H>
Lbfgs<T, H>::Lbfgs(std::vector<T> weights, LbfgsOptions options)
    : state_(std::make_unique<State>(std::move(weights), std::move(options))) {}
template <class T, class H>
Lbfgs<T, H>::Lbfgs(std::unique_ptr<State> state) : state_(std::move(state)) {}
template <class T, class H>
Lbfgs<T, H>::~Lbfgs() = default;
template <class T, class H>
Lbfgs<T, H>::Lbfgs(Lbfgs&&) noexcept = default;
template <class T, class H>
Lbfgs<T, H>& Lbfgs<T, H>::operator=(Lbfgs&&) noexcept = default;

template <class T, class H>
const LbfgsProgress& Lbfgs<T, H>::progress() const noexcept {
  return state_->progress;
}

template <class T, class H>
std::span<const T> Lbfgs<T, H>::weights() const noexcept {
  return state_->current.weights;
}

template <class T, class H>
bool Lbfgs<T, H>::iterate(const Loss<T>& loss, const Threads& threads) {
  State& state = *state_;
  if (!state.started) state.start(loss, threads);
  for (;;) {
    if (state.progress.gradient_norm == 0 || state.stalled >= kMaxStalled) return false;
    const bool steepest = state.history.empty();
    const double slope = state.history.make_direction(state.current, state.penalty(), threads);
    // A first step of length 1: nothing is known of the scale yet.
    const double first_step = steepest ? 1 / state.progress.gradient_norm : 1;
    const bool moved =
        slope < 0 && (state.penalty().l1 > 0 ? state.backtrack(first_step, loss, threads)
                                             : state.search(slope, first_step, loss, threads));
    if (moved) return true;
    if (steepest) return false;
    state.history.clear();
  }
}

template <class T, class H>
void Lbfgs<T, H>::save(std::ostream& out) const {
  const State& state = *state_;
  CheckpointWriter writer(out, "coppice L-BFGS 1\n");
  writer.value(sizeof(T));
  writer.value(sizeof(H));
  const LbfgsOptions& options = state.options;
  writer.value(options.penalty.l1);
  writer.value(options.penalty.l2);
  writer.vector(options.penalty.l1_scale);
  writer.vector(options.penalty.l2_scale);
  writer.value(options.history);
  writer.value(options.sufficient_decrease);
  writer.value(options.curvature);
  writer.value(options.value_noise);
  writer.value(options.max_trials);
  writer.value(state.progress);
  writer.value(state.started);
  writer.value(state.stalled);
  writer.vector(state.current.weights);
  writer.vector(state.current.gradient);
  state.history.save(writer);
}

template <class T, class H>
Lbfgs<T, H> Lbfgs<T, H>::load(std::istream& in) {
  CheckpointReader reader(in, "coppice L-BFGS 1\n");
  const auto weight_bytes = reader.value<std::size_t>();
  const auto history_bytes = reader.value<std::size_t>();
  reader.check(weight_bytes == sizeof(T) && history_bytes == sizeof(H));
  LbfgsOptions options;
  options.penalty.l1 = reader.value<double>();
  options.penalty.l2 = reader.value<double>();
  options.penalty.l1_scale = reader.vector<float>();
  options.penalty.l2_scale = reader.vector<float>();
  options.history = reader.value<unsigned>();
  options.sufficient_decrease = reader.value<double>();
  options.curvature = reader.value<double>();
  options.value_noise = reader.value<double>();
  options.max_trials = reader.value<unsigned>();
  const auto progress = reader.value<LbfgsProgress>();
  const auto started = reader.value<unsigned char>();
  const auto stalled = reader.value<unsigned>();
  auto weights = reader.vector<T>();
  auto gradient = reader.vector<T>();
  reader.check(started <= 1 && gradient.size() == weights.size() && options.history <= 1000);
  std::unique_ptr<State> state;
  try {
    state = std::make_unique<State>(std::move(weights), std::move(options));
  } catch (const InvalidArgument&) {
    reader.check(false);
  }
  state->progress = progress;
  state->started = started == 1;
  state->stalled = stalled;
  state->current.gradient = std::move(gradient);
  state->history.load(reader, state->size());
  return Lbfgs(std::move(state));
}

template class Lbfgs<float, float>;
template class Lbfgs<double, float>;
template class Lbfgs<double, double>;

}  // namespace coppice::learn

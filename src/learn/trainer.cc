#include "coppice/learn/trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/aligned.h"
#include "base/reduce.h"
#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/learn/checkpoint.h"
#include "coppice/learn/lbfgs.h"

namespace coppice::learn {

namespace {

constexpr std::string_view kTrainerCheckpoint = "coppice trainer 4\n";
// Curvature that is never fallen below, so that features without a penalty move by finite steps.
constexpr float kLeastCurvature = 0.05f;

// A random order of the examples, the same for a seed and a pass.
std::vector<std::uint32_t> shuffled(std::size_t examples, std::uint64_t seed, std::uint64_t pass) {
  std::vector<std::uint32_t> order(examples);
  std::iota(order.begin(), order.end(), 0u);
  Random random(seed, pass);
  for (std::size_t i = examples; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace

struct Trainer::State {
  State(std::unique_ptr<Learnable> learnable, const TrainerOptions& settings)
      : corpus(std::move(learnable)),
        options(settings),
        weights(corpus->num_parameters(), 0.0f),
        rule(settings.stopping) {
    corpus->begin_passes({settings.stochastic_step, settings.l1, settings.l2, settings.adaptive});
  }

  double copies(std::size_t parameter) const {
    const auto all = corpus->multiplicity();
    return all.empty() ? 1.0 : static_cast<double>(all[parameter]);
  }
  void stochastic_pass(const Threads& threads);
  void average();
  void set_mean();
  bool batch_iteration(const Threads& threads);
  bool next_stage();
  void stay_stopped();
  void start_batch(const Threads& threads);
  double scaled_loss(std::span<const float> point, std::span<float> gradient,
                     const Threads& threads);
  Penalty penalty() const;

  std::unique_ptr<Learnable> corpus;
  TrainerOptions options;
  AlignedVector<float> weights;
  std::uint64_t passes = 0;
  std::vector<float> sum;          // of the weights after the passes that are averaged
  AlignedVector<float> mean;       // of them, until L-BFGS begins
  std::uint64_t averaged = 0;      // how many they are
  std::uint64_t stages = 0;        // that have ended
  AlignedVector<float> frozen_at;  // the weights that examples have been pruned by
  std::vector<float> scale;        // weights = scale * the optimiser's variables
  std::optional<Lbfgs<float>> optimizer;
  StoppingRule rule;
  bool done = false;
  std::vector<char> loaded_stop;  // what progress.stopped shows after a load()
  AlignedVector<float> gradient;
  TrainingProgress progress;
};

void Trainer::State::stochastic_pass(const Threads& threads) {
  double step = options.stochastic_step;
  if (!options.adaptive) step /= 1 + 2 * options.l2 * step * static_cast<double>(passes);
  const auto order = shuffled(corpus->num_examples(), options.seed, passes++);
  progress.objective = corpus->pass(order, step, weights, threads);
  if (options.averaging && 2 * passes > options.stochastic_passes) average();
  progress.gradient_norm = std::numeric_limits<double>::quiet_NaN();
  progress.stochastic = true;
  ++progress.iteration;
  ++progress.evaluations;
}

// Takes the weights of a pass into the mean.
void Trainer::State::average() {
  sum.resize(weights.size(), 0.0f);
  for (std::size_t p = 0; p < weights.size(); ++p) sum[p] += weights[p];
  ++averaged;
  set_mean();
}

void Trainer::State::set_mean() {
  mean.resize(sum.size());
  for (std::size_t p = 0; p < sum.size(); ++p) mean[p] = sum[p] / static_cast<float>(averaged);
}

Penalty Trainer::State::penalty() const {
  Penalty penalty{.l1 = options.l1, .l2 = options.l2};
  if (options.l1 > 0) penalty.l1_scale = scale;
  penalty.l2_scale.resize(scale.size());
  for (std::size_t p = 0; p < scale.size(); ++p) {
    penalty.l2_scale[p] = scale[p] * scale[p] / static_cast<float>(copies(p));
  }
  return penalty;
}

void Trainer::State::start_batch(const Threads& threads) {
  std::copy(mean.begin(), mean.end(), weights.begin());
  mean.clear();
  sum.clear();
  averaged = 0;
  gradient.resize(weights.size());
  if (corpus->prunes()) {
    frozen_at.assign(weights.begin(), weights.end());
    corpus->prune(frozen_at, threads);
  }
  corpus->curvature(weights, gradient, threads);
  ++progress.evaluations;
  scale.resize(weights.size());
  std::vector<float> start(weights.size());
  for (std::size_t p = 0; p < weights.size(); ++p) {
    const float h =
        gradient[p] + 2 * static_cast<float>(options.l2) / static_cast<float>(copies(p));
    scale[p] = 1 / std::sqrt(std::sqrt(std::max(h, kLeastCurvature)));
    start[p] = weights[p] / scale[p];
  }
  optimizer.emplace(std::move(start),
                    LbfgsOptions{.penalty = penalty(), .history = options.history});
}

double Trainer::State::scaled_loss(std::span<const float> point, std::span<float> out,
                                   const Threads& threads) {
  for_elements(threads, point.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) weights[p] = point[p] * scale[p];
  });
  const double value = corpus->evaluate(weights, gradient, threads);
  for_elements(threads, point.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) out[p] = gradient[p] * scale[p];
  });
  return value;
}

bool Trainer::State::batch_iteration(const Threads& threads) {
  if (!optimizer) start_batch(threads);
  const std::uint64_t before = optimizer->progress().evaluations;
  const bool moved =
      optimizer->iterate([&](std::span<const float> point,
                             std::span<float> out) { return scaled_loss(point, out, threads); },
                         threads);
  const auto point = optimizer->weights();
  for (std::size_t p = 0; p < weights.size(); ++p) weights[p] = point[p] * scale[p];
  progress.evaluations += optimizer->progress().evaluations - before;
  progress.objective = optimizer->progress().value;
  progress.gradient_norm = optimizer->progress().gradient_norm;
  progress.stochastic = false;
  if (!moved) {
    if (next_stage()) return true;
    progress.stopped = "no further decrease";
    done = true;
    return false;
  }
  ++progress.iteration;
  const bool is_between = stages > 0;
  const bool stage_ends = is_between && optimizer->progress().iteration >= options.stage_iterations;
  const StopReason reason = rule.observe(optimizer->progress());
  if ((reason != StopReason::kNone || stage_ends) && next_stage()) return true;
  if (reason != StopReason::kNone) {
    progress.stopped = name(reason);
    done = true;
  }
  return true;
}

// Another function: what the optimiser has learnt of the last one is of no use.
bool Trainer::State::next_stage() {
  if (!corpus->objective().advance()) return false;
  ++stages;
  optimizer.reset();
  rule = StoppingRule(options.stopping);
  return true;
}

// Passes stop by their number, which can be told again, and limits may have been raised.
void Trainer::State::stay_stopped() {
  const std::string_view why{loaded_stop.data(), loaded_stop.size()};
  const bool is_limit = why == name(StopReason::kMaxIterations);
  done = optimizer && !why.empty() &&
         !(is_limit && optimizer->progress().iteration < options.stopping.max_iterations);
  progress.stopped = done ? why : std::string_view{};
}

Trainer::Trainer(std::unique_ptr<Learnable> corpus, TrainerOptions options)
    : state_(std::make_unique<State>(std::move(corpus), options)) {}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;

bool Trainer::end_stage() { return state_->next_stage(); }

bool Trainer::iterate(const Threads& threads) {
  State& s = *state_;
  if (s.done) return false;
  if (s.passes < s.options.stochastic_passes) {
    s.stochastic_pass(threads);
    return true;
  }
  if (!s.options.batch) {
    s.progress.stopped = "all passes made";
    s.done = true;
    return false;
  }
  return s.batch_iteration(threads);
}

const TrainingProgress& Trainer::progress() const noexcept { return state_->progress; }
std::optional<std::uint64_t> Trainer::most_steps_left() const noexcept {
  const State& s = *state_;
  const TrainerOptions& options = s.options;
  if (s.done) return 0;
  if (!options.batch) return options.stochastic_passes - s.passes;
  const std::uint64_t most = options.stopping.max_iterations;
  if (!s.optimizer || s.corpus->objective().has_next_stage() ||
      most == StoppingOptions().max_iterations)
    return std::nullopt;
  const std::uint64_t made = s.optimizer->progress().iteration;
  return most - std::min(most, made);
}

const Learnable& Trainer::corpus() const noexcept { return *state_->corpus; }
std::span<const float> Trainer::weights() const noexcept {
  return state_->mean.empty() ? std::span<const float>(state_->weights) : state_->mean;
}

void Trainer::start_from(std::span<const float> weights) {
  require(state_->progress.iteration == 0, "start_from: the training has begun already");
  require(weights.size() == state_->weights.size(), "start_from: ", weights.size(), " weights for ",
          state_->weights.size(), " parameters");
  std::copy(weights.begin(), weights.end(), state_->weights.begin());
}

double Trainer::value(const Threads& threads) {
  State& s = *state_;
  const std::span<const float> point = weights();
  s.gradient.resize(point.size());
  double value = s.corpus->evaluate(point, s.gradient, threads);
  for (std::size_t p = 0; p < point.size(); ++p) {
    const double w = point[p];
    value += s.options.l1 * std::abs(w) + s.options.l2 * w * w / s.copies(p);
  }
  return value;
}

void Trainer::save(std::ostream& out) const {
  const State& s = *state_;
  CheckpointWriter writer(out, kTrainerCheckpoint);
  writer.vector(std::vector<float>(s.weights.begin(), s.weights.end()));
  for (const std::span<float> sums : s.corpus->step_state()) {
    writer.vector(std::vector<float>(sums.begin(), sums.end()));
  }
  writer.vector(s.sum);
  writer.value(s.averaged);
  writer.value(s.passes);
  writer.value(s.stages);
  writer.value(s.progress.iteration);
  writer.value(s.progress.evaluations);
  writer.vector(std::vector<char>(s.progress.stopped.begin(), s.progress.stopped.end()));
  writer.vector(s.rule.values());
  writer.vector(std::vector<float>(s.frozen_at.begin(), s.frozen_at.end()));
  writer.vector(s.scale);
  writer.value<unsigned char>(s.optimizer ? 1 : 0);
  if (s.optimizer) s.optimizer->save(out);
}

void Trainer::load(std::istream& in) {
  State& s = *state_;
  CheckpointReader reader(in, kTrainerCheckpoint);
  const auto weights = reader.vector<float>();
  reader.check(weights.size() == s.weights.size());
  std::copy(weights.begin(), weights.end(), s.weights.begin());
  for (const std::span<float> sums : s.corpus->step_state()) {
    const auto saved = reader.vector<float>();
    reader.check(saved.size() == sums.size());
    std::copy(saved.begin(), saved.end(), sums.begin());
  }
  s.sum = reader.vector<float>();
  reader.check(s.sum.empty() || s.sum.size() == s.weights.size());
  s.averaged = reader.value<std::uint64_t>();
  s.passes = reader.value<std::uint64_t>();
  const auto stages = reader.value<std::uint64_t>();
  while (s.stages < stages) {
    reader.check(s.corpus->objective().advance());
    ++s.stages;
  }
  s.progress.iteration = reader.value<std::uint64_t>();
  s.progress.evaluations = reader.value<std::uint64_t>();
  s.loaded_stop = reader.vector<char>();
  s.rule.restore(reader.vector<double>());
  const std::vector<float> frozen_at = reader.vector<float>();
  s.frozen_at.assign(frozen_at.begin(), frozen_at.end());
  reader.check(s.frozen_at.empty() || s.frozen_at.size() == s.weights.size());
  if (!s.frozen_at.empty()) s.corpus->prune(s.frozen_at, Threads(1));
  s.scale = reader.vector<float>();
  reader.check(s.scale.empty() || s.scale.size() == s.weights.size());
  s.optimizer.reset();
  if (reader.value<unsigned char>() != 0) {
    s.optimizer.emplace(Lbfgs<float>::load(in));
    s.gradient.resize(s.weights.size());
  } else if (s.averaged > 0) {
    s.set_mean();
  }
  s.stay_stopped();
}

}  // namespace coppice::learn

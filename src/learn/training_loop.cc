#include "coppice/learn/training_loop.h"

#include <utility>

#include "base/aligned.h"
#include "coppice/base/error.h"
#include "coppice/learn/checkpoint.h"

namespace coppice::learn {

namespace {

constexpr std::string_view kLoopCheckpoint = "coppice loop 1\n";

}  // namespace

struct TrainingLoop::State {
  State(Learner learner, const LoopOptions& settings)
      : options(settings),
        make_booster(std::move(learner.start_boosting)),
        checks(learner.development) {
    require(learner.corpus || options.rounds > 0, "there is no potential to train");
    if (learner.corpus) {
      trainer.emplace(std::move(learner.corpus), options.trainer);
    } else {
      boost();
    }
  }

  std::span<const float> weights() const noexcept {
    return trainer ? trainer->weights() : std::span<const float>();
  }
  std::span<const float> kept_weights() const noexcept {
    return best_weights.empty() ? weights() : std::span<const float>(best_weights);
  }
  bool awaits_trees() const noexcept { return options.rounds > 0 && booster == nullptr; }

  // After the linear part, or at once where there is none: trees are fitted to what it leaves.
  void boost() {
    booster = &make_booster(kept_weights());
    if (trainer) {
      boosting = trainer->progress();
      boosting.stopped = {};
    }
    checks_since_best = 0;
    out_of_patience = false;
  }

  const TrainingProgress& progress() const noexcept {
    return booster != nullptr ? boosting : trainer->progress();
  }

  bool step(const Threads& threads) {
    if (booster == nullptr && out_of_patience && trainer->end_stage()) {
      checks_since_best = 0;
      out_of_patience = false;
    }
    if (booster == nullptr && !out_of_patience && trainer->iterate(threads)) return true;
    if (awaits_trees()) boost();
    return booster != nullptr && !out_of_patience && round(threads);
  }

  bool round(const Threads& threads) {
    if (booster->num_rounds() >= options.rounds) {
      boosting.stopped = "all rounds are done";
      return false;
    }
    boosting.objective = booster->round(threads);
    boosting.stochastic = false;
    boosting.boosting = true;
    boosting.gradient_norm = 0;
    ++boosting.iteration;
    ++boosting.evaluations;
    return true;
  }

  // In rounds of trees, the weights beside them stay what they are.
  void check(const Threads& threads) {
    const bool has_trees = booster != nullptr;
    last = checks->score(has_trees ? kept_weights() : weights(), has_trees, threads);
    last.checked = true;
    last.best = last.score > best_score;
    if (last.best) {
      if (!has_trees) best_weights.assign(weights().begin(), weights().end());
      best_score = last.score;
      best_iteration = progress().iteration;
      checks_since_best = 0;
    } else {
      ++checks_since_best;
      out_of_patience = options.patience > 0 && checks_since_best >= options.patience;
    }
  }

  LoopOptions options;
  std::function<Booster&(std::span<const float>)> make_booster;
  Development* checks;
  std::optional<Trainer> trainer;
  Booster* booster = nullptr;
  TrainingProgress boosting;  // counts on from the trainer's
  DevelopmentScore last;
  bool is_due = false;
  AlignedVector<float> best_weights;
  double best_score = -1;
  std::uint64_t best_iteration = 0;
  unsigned checks_since_best = 0;
  bool out_of_patience = false;
};

TrainingLoop::TrainingLoop(Learner learner, const LoopOptions& options)
    : state_(std::make_unique<State>(std::move(learner), options)) {}
TrainingLoop::~TrainingLoop() = default;
TrainingLoop::TrainingLoop(TrainingLoop&&) noexcept = default;
TrainingLoop& TrainingLoop::operator=(TrainingLoop&&) noexcept = default;

void TrainingLoop::start_from(std::span<const float> weights, bool skip_stage) {
  require(state_->trainer.has_value(), "trees do not start from weights");
  state_->trainer->start_from(weights);
  if (skip_stage) state_->trainer->end_stage();
}

bool TrainingLoop::iterate(const Threads& threads) {
  State& s = *state_;
  s.last = {};
  s.is_due = false;
  if (!s.step(threads)) return false;
  const TrainingProgress& now = s.progress();
  s.is_due = now.stochastic || now.iteration % s.options.check_every == 0 || !now.stopped.empty();
  if (s.is_due && s.checks != nullptr) s.check(threads);
  return true;
}

const TrainingProgress& TrainingLoop::progress() const noexcept { return state_->progress(); }

std::optional<std::uint64_t> TrainingLoop::most_steps_left() const noexcept {
  const State& s = *state_;
  if (s.awaits_trees()) return std::nullopt;
  if (s.booster != nullptr) {
    return s.out_of_patience ? 0 : s.options.rounds - s.booster->num_rounds();
  }
  if (s.out_of_patience && !s.trainer->corpus().objective().has_next_stage()) return 0;
  return s.trainer->most_steps_left();
}

const DevelopmentScore& TrainingLoop::development() const noexcept { return state_->last; }
bool TrainingLoop::check_was_due() const noexcept { return state_->is_due; }

std::string TrainingLoop::stopped() const {
  const State& s = *state_;
  if (s.out_of_patience) {
    return concat("development score not better for ", s.options.patience, " checks");
  }
  return std::string(s.progress().stopped);
}

std::uint64_t TrainingLoop::kept_iteration() const noexcept {
  return state_->best_iteration == 0 ? progress().iteration : state_->best_iteration;
}
double TrainingLoop::kept_score() const noexcept { return state_->best_score; }
std::span<const float> TrainingLoop::kept_weights() const noexcept {
  return state_->kept_weights();
}

std::size_t TrainingLoop::kept_rounds() const noexcept {
  const State& s = *state_;
  if (s.booster == nullptr) return 0;
  if (s.best_iteration == 0) return s.booster->num_rounds();
  const std::uint64_t before = progress().iteration - s.booster->num_rounds();
  return s.best_iteration > before ? s.best_iteration - before : 0;
}

const Learnable* TrainingLoop::corpus() const noexcept {
  return state_->trainer ? &state_->trainer->corpus() : nullptr;
}
bool TrainingLoop::is_boosting() const noexcept { return state_->booster != nullptr; }

// Gradient, scales and penalties of the trainer, and what learn/lbfgs.h says of itself.
std::uint64_t TrainingLoop::bytes_to_come() const noexcept {
  const State& s = *state_;
  if (!s.trainer) return 0;  // scores and derivatives are there from the beginning
  const bool batch = s.options.trainer.batch;
  const std::uint64_t of_trainer = batch ? 3 : 0;
  const std::uint64_t of_lbfgs = batch ? 4 + 2 * s.options.trainer.history : 0;
  const std::uint64_t best = s.checks != nullptr ? 1 : 0;
  return s.weights().size() * sizeof(float) * (of_trainer + of_lbfgs + best);
}

void TrainingLoop::save(std::ostream& out) const {
  const State& s = *state_;
  CheckpointWriter writer(out, kLoopCheckpoint);
  writer.vector(std::vector<float>(s.best_weights.begin(), s.best_weights.end()));
  writer.value(s.best_score);
  writer.value(s.best_iteration);
  writer.value(s.checks_since_best);
  writer.value<unsigned char>(s.out_of_patience ? 1 : 0);
  writer.value<unsigned char>(s.booster != nullptr ? 1 : 0);
  if (s.trainer) s.trainer->save(out);
  if (s.booster == nullptr) return;
  s.booster->save(writer);
  writer.value(s.boosting.objective);
}

void TrainingLoop::load(std::istream& in, const Threads& threads) {
  State& s = *state_;
  CheckpointReader reader(in, kLoopCheckpoint);
  const auto best_weights = reader.vector<float>();
  s.best_weights.assign(best_weights.begin(), best_weights.end());
  reader.check(s.best_weights.empty() || s.best_weights.size() == s.weights().size());
  s.best_score = reader.value<double>();
  s.best_iteration = reader.value<std::uint64_t>();
  const auto checks_since_best = reader.value<unsigned>();
  const bool out_of_patience = reader.value<unsigned char>() != 0;
  const bool is_boosting = reader.value<unsigned char>() != 0;
  reader.check(is_boosting ? s.options.rounds > 0 : s.trainer.has_value());
  if (s.trainer) s.trainer->load(in);
  if (is_boosting) {
    if (s.booster == nullptr) s.boost();
    s.booster->load(reader, threads);
    s.boosting.objective = reader.value<double>();
    const std::size_t rounds = s.booster->num_rounds();
    s.boosting.boosting = rounds > 0;
    s.boosting.stochastic = s.boosting.stochastic && rounds == 0;
    s.boosting.iteration += rounds;
    s.boosting.evaluations += rounds;
  }
  s.checks_since_best = checks_since_best;
  s.out_of_patience = out_of_patience;
}

}  // namespace coppice::learn

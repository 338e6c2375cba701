#include "coppice/learn/staged_objective.h"

#include <limits>
#include <numeric>
#include <utility>

#include "coppice/base/error.h"

namespace coppice::learn {

namespace {

template <class Number>
void raise(std::atomic<Number>& largest, Number value) {
  Number seen = largest.load();
  while (seen < value && !largest.compare_exchange_weak(seen, value)) {
  }
}

}  // namespace

StagedObjective::StagedObjective(TrainingObjective goal)
    : goal_(std::move(goal)), is_first_likelihood_(goal_.is_risk()) {
  goal_.check();
  if (goal_.goal == ObjectiveKind::kAnnealedRisk) annealing_ = goal_.annealing.stage(0);
}

StagedObjective::StagedObjective(StagedObjective&& other) noexcept
    : goal_(std::move(other.goal_)),
      is_first_likelihood_(other.is_first_likelihood_),
      stage_(other.stage_),
      annealing_(other.annealing_),
      tables_(std::move(other.tables_)),
      gold_(std::move(other.gold_)),
      corpus_(std::move(other.corpus_)),
      nodes_(other.nodes_.load()),
      splits_(other.splits_.load()),
      largest_splits_(other.largest_splits_.load()),
      largest_cut_(other.largest_cut_.load()) {}

double StagedObjective::evaluate(Engine& engine, std::size_t example) const {
  if (is_first_likelihood_) {
    if (engine.is_annotated()) engine.require_complete();  // better now than when this stage ends
    return engine.likelihood();
  }
  if (goal_.entropy_weight != 0 && !engine.is_annotated()) {
    return engine.entropy(goal_.entropy_weight);
  }
  const double value = ask(engine, example);
  count(engine.statistics());
  return value;
}

double StagedObjective::ask(Engine& engine, std::size_t example) const {
  if (goal_.of_corpus) return corpus_loss(engine, example);
  switch (goal_.goal) {
    case ObjectiveKind::kLikelihood:
      return engine.likelihood();
    case ObjectiveKind::kPseudoLikelihood:
      return engine.pseudo_likelihood();
    case ObjectiveKind::kSoftmaxMargin:
      return engine.margin();
    case ObjectiveKind::kRisk:
    case ObjectiveKind::kAnnealedRisk:
      return engine.risk(
          {.temperature = goal_.loss_scale * annealing_.temperature, .scale = annealing_.scale});
    case ObjectiveKind::kTeacher:
      return engine.teacher();
    case ObjectiveKind::kParts:
      return engine.parts();
    case ObjectiveKind::kEntropy:
      break;
  }
  return engine.entropy(1);
}

double StagedObjective::warm_up(Engine& engine) const {
  if (goal_.starts_from_likelihood()) return engine.likelihood();
  return evaluate(engine, 0);
}

void StagedObjective::begin_look(std::size_t num_examples) {
  tables_.assign(num_examples, {{Counts{}, 1.0}});
  gold_.assign(num_examples, 0);
}

void StagedObjective::look(Engine& engine, std::size_t example) {
  ExampleCounts found = engine.counts();
  count(engine.statistics());
  gold_[example] = found.gold;
  if (!found.table.empty()) tables_[example] = std::move(found.table);  // else evaluate() will say
}

void StagedObjective::end_look() {
  const std::uint32_t gold = std::accumulate(gold_.begin(), gold_.end(), 0u);
  const double scale = static_cast<double>(tables_.size()) * goal_.loss_scale;
  const auto scaled_loss = [&](Counts counts) {
    return scale * loss(goal_.measure(), counts, gold);
  };
  corpus_ = goal_.goal == ObjectiveKind::kRisk ? corpus_expectation(tables_, scaled_loss)
                                               : corpus_softmax(tables_, scaled_loss, 1);
}

double StagedObjective::corpus_loss(Engine& engine, std::size_t example) const {
  const double share = corpus_.value / static_cast<double>(tables_.size());
  const std::vector<double>& losses = corpus_.outside[example];
  if (goal_.goal == ObjectiveKind::kRisk) {
    engine.risk_of_counts(tables_[example], losses);
    return share;
  }
  return engine.margin_of_counts(tables_[example], losses) + share;
}

bool StagedObjective::has_next_stage() const noexcept {
  return is_first_likelihood_ ||
         (goal_.goal == ObjectiveKind::kAnnealedRisk && stage_ + 1 < goal_.annealing.num_stages());
}

bool StagedObjective::advance() {
  if (!has_next_stage()) return false;
  if (is_first_likelihood_) {
    is_first_likelihood_ = false;
  } else {
    annealing_ = goal_.annealing.stage(++stage_);
  }
  return true;
}

void StagedObjective::count(const SplitStatistics& example) const {
  if (example.nodes == 0) return;
  nodes_ += example.nodes;
  splits_ += example.splits;
  raise(largest_splits_, example.largest_splits);
  raise(largest_cut_, example.largest_cut);
}

SplitStatistics StagedObjective::statistics() const {
  return {nodes_, splits_, largest_splits_, largest_cut_};
}

std::string StagedObjective::remarks() const {
  std::string splits = describe(statistics());
  if (!goal_.of_corpus) return splits;
  return concat(splits, "; ", corpus_.cut, " of the corpus' mass outside windows");
}

}  // namespace coppice::learn

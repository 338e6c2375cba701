// The smallest structure: one answer of a few. Its engine answers by enumeration, and corpora of it
// are learnt by weights or by trees.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/learn/boostable.h"
#include "coppice/learn/learnable.h"
#include "coppice/trees/examples.h"
#include "learn/logistic.h"

namespace coppice::learn::choices {

// Answers that are right; none: nothing is annotated.
using Answers = std::vector<std::size_t>;

// The loss is tau for a wrong answer. Answer 0 is no item, the others are one.
class ChoiceEngine final : public Engine {
 public:
  ChoiceEngine(std::span<float> scores, const Answers& gold, double tau = 1,
               std::span<const double> teacher = {})
      : scores_(scores), gold_(gold), tau_(tau), teacher_(teacher) {}

  bool is_annotated() const override { return !gold_.empty(); }
  void require_complete() const override {
    if (gold_.size() != 1) throw InvalidArgument("annotated in part", {.code = "E313"});
  }
  double likelihood() override {
    const std::vector<double> all = distribution(1, 0);
    std::vector<double> right(all.size(), 0.0);
    double sum = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (allows(k)) sum += right[k] = all[k];
    }
    for (std::size_t k = 0; k < all.size(); ++k) set(k, all[k] - right[k] / sum);
    return -std::log(sum);
  }
  double pseudo_likelihood() override { return likelihood(); }
  double margin() override {
    require_complete();
    const double value = log_sum(1, tau_) - scores_[gold_[0]];
    const std::vector<double> tilted = distribution(1, tau_);
    for (std::size_t k = 0; k < tilted.size(); ++k) set(k, tilted[k] - (allows(k) ? 1 : 0));
    return value;
  }
  double risk(const AnnealedRiskOptions& annealing) override {
    require_complete();
    statistics_ = {.nodes = 1, .splits = scores_.size(), .largest_splits = scores_.size()};
    std::vector<double> r = distribution(annealing.scale, 0), cost(r.size());
    double value = 0;
    for (std::size_t k = 0; k < r.size(); ++k) {
      cost[k] = (allows(k) ? 0 : tau_) + annealing.temperature * std::log(r[k]);
      value += r[k] * cost[k];
    }
    for (std::size_t k = 0; k < r.size(); ++k) set(k, annealing.scale * r[k] * (cost[k] - value));
    return value;
  }
  double entropy(double weight) override {
    const std::vector<double> p = distribution(1, 0);
    double sum = 0;
    for (const double one : p) sum -= one * std::log(one);
    for (std::size_t k = 0; k < p.size(); ++k) set(k, -weight * p[k] * (std::log(p[k]) + sum));
    return weight * sum;
  }
  double teacher() override {
    const std::vector<double> p = distribution(1, 0);
    double value = 0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      value -= teacher_[k] * std::log(p[k]);
      set(k, p[k] - teacher_[k]);
    }
    return value;
  }
  double parts() override {
    double value = 0;
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      const LogLoss loss = log_loss(scores_[k], allows(k));
      value += loss.value;
      set(k, loss.derivative);
    }
    return value;
  }
  ExampleCounts counts() override {
    require_complete();
    ExampleCounts found{.table = {}, .gold = gold_[0] == 0 ? 0u : 1u};
    const std::vector<double> p = distribution(1, 0);
    for (std::size_t k = 0; k < p.size(); ++k) found.table.push_back({counts_of(k), p[k]});
    return found;
  }
  double margin_of_counts(const CountDistribution& /*table*/,
                          std::span<const double> losses) override {
    std::vector<double> p = distribution(1, 0);
    const double right = std::log(p[gold_[0]]);
    double sum = 0;
    for (std::size_t k = 0; k < p.size(); ++k) sum += p[k] *= std::exp(losses[k]);
    for (std::size_t k = 0; k < p.size(); ++k) set(k, p[k] / sum - (allows(k) ? 1 : 0));
    return -right;
  }
  void risk_of_counts(const CountDistribution& /*table*/, std::span<const double> losses) override {
    const std::vector<double> p = distribution(1, 0);
    double mean = 0;
    for (std::size_t k = 0; k < p.size(); ++k) mean += p[k] * losses[k];
    for (std::size_t k = 0; k < p.size(); ++k) set(k, p[k] * (losses[k] - mean));
  }
  Counts counts_of(std::size_t answer) const {
    return {answer != 0 && allows(answer) ? 1u : 0u, answer == 0 ? 0u : 1u};
  }

 private:
  bool allows(std::size_t answer) const {
    return gold_.empty() || std::find(gold_.begin(), gold_.end(), answer) != gold_.end();
  }
  void set(std::size_t answer, double derivative) {
    scores_[answer] = static_cast<float>(derivative);
  }
  // ln of the sum of e^{scale score + loss}.
  double log_sum(double scale, double tau) const {
    double sum = 0;
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      sum += std::exp(scale * scores_[k] + (allows(k) ? 0 : tau));
    }
    return std::log(sum);
  }
  std::vector<double> distribution(double scale, double tau) const {
    const double log_z = log_sum(scale, tau);
    std::vector<double> p;
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      p.push_back(std::exp(scale * scores_[k] + (allows(k) ? 0 : tau) - log_z));
    }
    return p;
  }

  std::span<float> scores_;
  const Answers& gold_;
  double tau_;
  std::span<const double> teacher_;
};

// Rows of features that are on, and answers that follow them with noise.
struct ChoiceData {
  static constexpr std::size_t kAnswers = 3, kFeatures = 8;
  std::vector<std::vector<std::uint32_t>> rows;
  std::vector<Answers> gold;
};

inline ChoiceData random_choices(std::uint64_t seed, std::size_t examples = 80) {
  Random random(seed);
  ChoiceData data;
  for (std::size_t i = 0; i < examples; ++i) {
    std::vector<std::uint32_t> row;
    for (std::uint32_t f = 0; f < ChoiceData::kFeatures; ++f) {
      if (random.below(2) == 0) row.push_back(f);
    }
    const std::size_t hint = !row.empty() && row[0] < 3 ? row[0] : 0;
    data.gold.push_back({random.below(5) == 0 ? random.below(3) : hint});
    data.rows.push_back(std::move(row));
  }
  return data;
}

// Weights of features with answers, [feature * answers + answer].
class ChoiceCorpus final : public Learnable {
 public:
  explicit ChoiceCorpus(ChoiceData data, const TrainingObjective& goal = {})
      : data_(std::move(data)), objective_(goal) {}

  std::size_t num_examples() const noexcept override { return data_.rows.size(); }
  std::size_t num_parameters() const noexcept override {
    return ChoiceData::kFeatures * ChoiceData::kAnswers;
  }
  std::size_t num_features() const noexcept override { return num_parameters(); }

  double evaluate(std::span<const float> weights, std::span<float> gradient,
                  const Threads& /*threads*/) override {
    std::fill(gradient.begin(), gradient.end(), 0.0f);
    double value = 0;
    for (std::size_t i = 0; i < num_examples(); ++i) {
      std::vector<float> scores = scores_of(i, weights);
      ChoiceEngine engine(scores, data_.gold[i], objective_.goal().loss_scale);
      value += objective_.evaluate(engine, i);
      for_parameters(i, [&](std::size_t parameter, std::size_t answer) {
        gradient[parameter] += scores[answer];
      });
    }
    return value;
  }
  void curvature(std::span<const float> weights, std::span<float> diagonal,
                 const Threads& /*threads*/) override {
    std::fill(diagonal.begin(), diagonal.end(), 0.0f);
    for (std::size_t i = 0; i < num_examples(); ++i) {
      std::vector<float> p = scores_of(i, weights);
      double sum = 0;
      for (float& one : p) sum += one = std::exp(one);
      for_parameters(i, [&](std::size_t parameter, std::size_t answer) {
        const float share = p[answer] / static_cast<float>(sum);
        diagonal[parameter] += share * (1 - share);
      });
    }
  }
  void begin_passes(const StepOptions& options) override {
    options_ = options;
    squares_.assign(num_parameters(), options.adaptive ? 1e-3f : 1.0f);
  }
  double pass(std::span<const std::uint32_t> order, double step, std::span<float> weights,
              const Threads& /*threads*/) override {
    const double l2 = options_.l2 / static_cast<double>(num_examples());
    double value = 0;
    for (const std::uint32_t i : order) {
      std::vector<float> scores = scores_of(i, weights);
      ChoiceEngine engine(scores, data_.gold[i], objective_.goal().loss_scale);
      value += objective_.warm_up(engine);
      for_parameters(i, [&](std::size_t parameter, std::size_t answer) {
        const auto slope = static_cast<float>(scores[answer] + 2 * l2 * weights[parameter]);
        if (options_.adaptive) squares_[parameter] += slope * slope;
        weights[parameter] -= static_cast<float>(step) * slope / std::sqrt(squares_[parameter]);
      });
    }
    return value;
  }
  std::vector<std::span<float>> step_state() override { return {squares_}; }
  bool prunes() const noexcept override { return prunes_; }
  void prune(std::span<const float> weights, const Threads& /*threads*/) override {
    pruned_by.assign(weights.begin(), weights.end());
  }
  StagedObjective& objective() noexcept override { return objective_; }
  const StagedObjective& objective() const noexcept override { return objective_; }

  void set_prunes() { prunes_ = true; }
  std::vector<float> pruned_by;

 private:
  template <class Visit>
  void for_parameters(std::size_t example, const Visit& visit) const {
    for (const std::uint32_t feature : data_.rows[example]) {
      for (std::size_t k = 0; k < ChoiceData::kAnswers; ++k) {
        visit(feature * ChoiceData::kAnswers + k, k);
      }
    }
  }
  std::vector<float> scores_of(std::size_t example, std::span<const float> weights) const {
    std::vector<float> scores(ChoiceData::kAnswers, 0.0f);
    for_parameters(example, [&](std::size_t parameter, std::size_t answer) {
      scores[answer] += weights[parameter];
    });
    return scores;
  }

  ChoiceData data_;
  StagedObjective objective_;
  StepOptions options_{};
  std::vector<float> squares_;
  bool prunes_ = false;
};

// A row for each example, an output for each answer, one state.
class BoostedChoices final : public Boostable {
 public:
  explicit BoostedChoices(ChoiceData data, const TrainingObjective& goal = {},
                          bool has_pseudo = false)
      : data_(std::move(data)), objective_(goal), has_pseudo_(has_pseudo) {
    schema_.add_binary(ChoiceData::kFeatures);
    for (const auto& row : data_.rows) table_.add(row);
    scores_.assign(data_.rows.size() * ChoiceData::kAnswers, 0.0f);
  }

  const trees::Schema& schema() const noexcept override { return schema_; }
  trees::BinMatrix rows() const noexcept override { return table_.view().rows; }
  std::size_t num_outputs() const noexcept override { return ChoiceData::kAnswers; }
  trees::States states() const override { return {}; }
  std::size_t num_examples() const noexcept override { return data_.rows.size(); }
  double differentiate(RoundGoal goal, std::span<float> descents,
                       const Threads& /*threads*/) override {
    goals.push_back(goal);
    if (goal == RoundGoal::kObjective && objective_.looks_ahead()) look();
    double value = 0;
    for (std::size_t i = 0; i < num_examples(); ++i) {
      std::vector<float> scores = scores_of(i);
      ChoiceEngine engine(scores, data_.gold[i], objective_.goal().loss_scale);
      value += goal == RoundGoal::kPseudoLikelihood ? engine.pseudo_likelihood()
                                                    : objective_.evaluate(engine, i);
      for (std::size_t k = 0; k < scores.size(); ++k) {
        descents[k * num_examples() + i] = -scores[k];
      }
    }
    return value;
  }
  void forget_impossible(std::size_t /*output*/,
                         std::span<std::int32_t> /*curvature*/) const override {}
  void add(const trees::Predictor& predictor, const Threads& /*threads*/,
           const Said& said) override {
    trees::Predictor::Scratch scratch;
    std::vector<double> values(ChoiceData::kAnswers);
    for (std::size_t i = 0; i < num_examples(); ++i) {
      predictor.score(rows().row(i), values, scratch);
      if (said) said(i, i, values);
      for (std::size_t k = 0; k < values.size(); ++k) {
        scores_[i * ChoiceData::kAnswers + k] += static_cast<float>(values[k]);
      }
    }
  }
  StagedObjective& objective() noexcept override { return objective_; }
  bool has_pseudo_likelihood() const noexcept override { return has_pseudo_; }

  std::vector<float> scores_of(std::size_t example) const {
    const auto first = scores_.begin() + static_cast<std::ptrdiff_t>(example * 3);
    return {first, first + 3};
  }
  std::vector<RoundGoal> goals;  // of the rounds so far
  std::size_t looks = 0;         // at all examples

 private:
  void look() {
    ++looks;
    objective_.begin_look(num_examples());
    for (std::size_t i = 0; i < num_examples(); ++i) {
      std::vector<float> scores = scores_of(i);
      ChoiceEngine engine(scores, data_.gold[i], objective_.goal().loss_scale);
      objective_.look(engine, i);
    }
    objective_.end_look();
  }

  ChoiceData data_;
  StagedObjective objective_;
  bool has_pseudo_;
  trees::Schema schema_;
  trees::ExampleTable table_;
  std::vector<float> scores_;
};

}  // namespace coppice::learn::choices

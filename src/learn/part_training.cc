#include "coppice/learn/part_training.h"

#include <optional>
#include <utility>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/forest/best.h"

namespace coppice::learn {

Counts counts_of(const PartTarget& target, std::span<const EdgeId> derivation) {
  Counts sum;
  for (const EdgeId edge : derivation) {
    require(index(edge) < target.counts.size(), "edge ", index(edge), " has no counts of items");
    sum = sum + target.counts[edge];
  }
  return sum;
}

struct PartTraining::State final : Development {
  State(const Structure& given, const Structure* checked, const PartTrainingOptions& settings)
      : train(given), development(checked), options(settings) {
    const bool has_trees = options.potential != Potential::kLinear;
    if (!has_trees) options.loop.rounds = 0;
    require(!has_trees || options.loop.rounds > 0, "trees are to be trained in no round");
    if (has_trees) {
      inputs.emplace(find_tree_inputs(train, options.tree_inputs, options.tree_min_count));
    }
    std::unique_ptr<PartCorpus> corpus;
    if (options.potential != Potential::kTrees) {
      corpus = std::make_unique<PartCorpus>(train, index_parts(train, options.linear),
                                            options.objective, options.batch);
      linear = &corpus->linear();
    }
    loop.emplace(
        TrainingLoop::Learner{.corpus = std::move(corpus),
                              .start_boosting = [this](std::span<const float> weights) -> Booster& {
                                return start_boosting(weights);
                              },
                              .development = development != nullptr ? this : nullptr},
        options.loop);
  }
  State(const State&) = delete;  // others look at this
  State& operator=(const State&) = delete;

  // Boosting starts from what the linear potential says.
  void start_from(const Structure& structure, std::span<const float> weights, PartScores& scores) {
    if (linear == nullptr) return;
    PartExample example;
    std::vector<SparseLinear::Hit> hits;
    for (std::size_t i = 0; i < structure.num_examples(); ++i) {
      example.clear();
      structure.lay_out(i, example);
      linear->find(example.features, hits);
      add_scores(hits, weights, scores.scores(i));
    }
  }

  Booster& start_boosting(std::span<const float> weights) {
    train_scores.emplace(train, *inputs);
    start_from(train, weights, *train_scores);
    boosted.emplace(train, *inputs, *train_scores, options.objective);
    if (development != nullptr) {
      development_scores.emplace(*development, *inputs);
      start_from(*development, weights, *development_scores);
      boosted->follow(*development_scores);
    }
    return booster.emplace(*boosted, options.boosting);
  }

  // The counts of the best derivation of a development example; none where there is none.
  Counts answer(std::size_t i, std::span<const float> weights, bool has_trees,
                std::uint32_t& num_gold) const {
    PartExample example;
    development->lay_out(i, example);
    num_gold = example.target.num_gold;
    std::vector<float> scores(example.features.num_parts(), 0.0f);
    if (has_trees) {
      const auto found = development_scores->scores(i);
      scores.assign(found.begin(), found.end());
    } else {
      std::vector<SparseLinear::Hit> hits;
      linear->find(example.features, hits);
      add_scores(hits, weights, scores);
    }
    const auto best =
        best_derivation(example.forest.forest, coppice::edge_scores(example.forest, scores));
    return best ? counts_of(example.target, best->edges) : Counts{};
  }

  DevelopmentScore score(std::span<const float> weights, bool has_trees,
                         const Threads& threads) override {
    std::vector<Counts> found(development->num_examples());
    std::vector<std::uint32_t> gold(found.size());
    threads.for_chunks(found.size(), [&](std::size_t i, unsigned) {
      found[i] = answer(i, weights, has_trees, gold[i]);
    });
    Counts sum;
    std::uint32_t sum_gold = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      sum = sum + found[i];
      sum_gold += gold[i];
    }
    const auto measured = [&](Measure::Kind kind) { return 1 - loss({kind, 1}, sum, sum_gold); };
    return {.score = measured(Measure::Kind::kF),
            .precision = measured(Measure::Kind::kPrecision),
            .recall = measured(Measure::Kind::kRecall)};
  }

  const Structure& train;
  const Structure* development;
  PartTrainingOptions options;
  const SparseLinear* linear = nullptr;  // the corpus' in the loop; null without
  std::optional<TreeInputs> inputs;
  std::optional<PartScores> train_scores, development_scores;
  std::optional<BoostedParts> boosted;
  std::optional<Booster> booster;
  std::optional<TrainingLoop> loop;
};

PartTraining::PartTraining(const Structure& train, const Structure* development,
                           const PartTrainingOptions& options)
    : state_(std::make_unique<State>(train, development, options)) {}
PartTraining::~PartTraining() = default;
PartTraining::PartTraining(PartTraining&&) noexcept = default;
PartTraining& PartTraining::operator=(PartTraining&&) noexcept = default;

bool PartTraining::iterate(const Threads& threads) { return state_->loop->iterate(threads); }
const TrainingLoop& PartTraining::loop() const noexcept { return *state_->loop; }

PartModel PartTraining::model() const {
  const State& s = *state_;
  PartModel::Parts parts;
  if (s.linear != nullptr) {
    parts.linear = *s.linear;
    const auto weights = s.loop->kept_weights();
    parts.weights.assign(weights.begin(), weights.end());
  }
  if (s.booster && s.loop->kept_rounds() > 0) {
    parts.inputs = *s.inputs;
    parts.trees.append(s.booster->trees(s.loop->kept_rounds()));
    parts.num_outputs = s.train.num_outputs();
  }
  return PartModel(std::move(parts));
}

void PartTraining::save(std::ostream& out) const { state_->loop->save(out); }
void PartTraining::load(std::istream& in, const Threads& threads) {
  state_->loop->load(in, threads);
}

}  // namespace coppice::learn

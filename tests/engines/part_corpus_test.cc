// The generic corpus: its gradient against central differences, and the same optimum as the
// chain's dense one.
#include "coppice/learn/part_corpus.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "base/aligned.h"
#include "chain/corpus_objective.h"
#include "chain/structure.h"
#include "coppice/base/random.h"
#include "coppice/learn/trainer.h"

namespace coppice::learn {
namespace {

const std::vector<std::string> kLabels{"O", "B-X", "I-X"};

chain::Dataset random_data(std::uint64_t seed) {
  Random random(seed);
  chain::Dataset data;
  data.num_labels = kLabels.size();
  data.design.num_attributes = 8;
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t t = 0; t < 1 + random.below(5); ++t) {
      const auto label = static_cast<std::uint16_t>(random.below(3));
      data.design.attributes.push_back(random.below(4) == 0 ? 3u : label);
      data.design.attributes.push_back(static_cast<std::uint32_t>(4 + random.below(4)));
      data.design.begin.push_back(static_cast<std::uint32_t>(data.design.attributes.size()));
      data.gold.push_back(label);
      data.gold_begin.push_back(static_cast<std::uint32_t>(data.gold.size()));
    }
    data.sentence_begin.push_back(static_cast<std::uint32_t>(data.gold.size()));
    data.weight.push_back(i % 3 == 0 ? 2.0f : 1.0f);
  }
  return data;
}

TEST(PartCorpus, GradientIsThatOfCentralDifferences) {
  const chain::Constraints constraints;
  const chain::ItemRules rules(kLabels, text::Scheme::kIob2);
  for (const TrainingObjective& goal :
       {TrainingObjective{},
        TrainingObjective{.goal = ObjectiveKind::kSoftmaxMargin, .loss = LossName::kF}}) {
    const chain::Dataset data = random_data(4);
    const chain::ChainStructure structure(data, constraints, 1, &rules);
    PartCorpus corpus(structure,
                      index_parts(structure, {.pairs = PartPairs::kAll, .bucket_bits = 2}), goal);
    Random random(7);
    AlignedVector<float> weights(corpus.num_parameters()), gradient(weights.size()),
        ignored(weights.size());
    for (float& weight : weights) weight = static_cast<float>(random.uniform() - 0.5);
    const Threads threads(2);
    corpus.evaluate(weights, gradient, threads);
    for (std::size_t p = 0; p < weights.size(); ++p) {
      auto above = weights, below = weights;
      above[p] += 0.01f;
      below[p] -= 0.01f;
      const double step = static_cast<double>(above[p]) - static_cast<double>(below[p]);
      const double slope =
          (corpus.evaluate(above, ignored, threads) - corpus.evaluate(below, ignored, threads)) /
          step;
      EXPECT_NEAR(gradient[p], slope, 2e-3 * (1 + std::abs(slope))) << p;
    }
  }
}

double optimum(std::unique_ptr<Learnable> corpus, unsigned passes, bool adaptive = true) {
  Trainer trainer(
      std::move(corpus),
      {.l2 = 0.1, .stochastic_passes = passes, .adaptive = adaptive, .stopping = {.delta = 1e-8}});
  const Threads threads(1);
  while (trainer.iterate(threads)) {
  }
  return trainer.value(threads);
}

TEST(PartCorpus, HasTheOptimumOfTheChainsOwnCorpus) {
  const chain::Constraints constraints;
  const chain::Dataset data = random_data(5);
  const chain::ItemRules rules(kLabels, text::Scheme::kIob2);
  for (const TrainingObjective& goal :
       {TrainingObjective{},
        TrainingObjective{.goal = ObjectiveKind::kSoftmaxMargin, .loss = LossName::kDecF1}}) {
    const chain::ChainStructure structure(data, constraints, 1, goal.has_loss() ? &rules : nullptr);
    const double generic =
        optimum(std::make_unique<PartCorpus>(structure, index_parts(structure, {}), goal), 3);
    const double dense = optimum(std::make_unique<chain::CorpusObjective>(
                                     data, constraints, chain::ChainOptions{}, goal,
                                     chain::LossTables(goal, kLabels, text::Scheme::kIob2)),
                                 3);
    EXPECT_NEAR(generic, dense, 1e-4 * dense);
  }
}

TEST(PartCorpus, StochasticPassesOfEitherKindDescend) {
  const chain::Constraints constraints;
  const chain::Dataset data = random_data(6);
  const chain::ChainStructure structure(data, constraints, 1, nullptr);
  for (const bool adaptive : {true, false}) {
    for (const double l1 : {0.0, 0.2}) {
      PartCorpus corpus(structure, index_parts(structure, {}), {}, 3);
      AlignedVector<float> weights(corpus.num_parameters(), 0.0f);
      corpus.begin_passes({.step = 0.2, .l1 = l1, .l2 = 0.1, .adaptive = adaptive});
      std::vector<std::uint32_t> order(data.num_sentences());
      for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
      const double first = corpus.pass(order, 0.2, weights, Threads(1));
      double last = first;
      for (int i = 0; i < 5; ++i) last = corpus.pass(order, 0.2, weights, Threads(1));
      EXPECT_LT(last, 0.9 * first);
    }
  }
}

}  // namespace
}  // namespace coppice::learn

// Gradient tree boosting of chains: it learns what it should, and the same with any threads.
#include "coppice/chain/boosting.h"

#include <gtest/gtest.h>

#include <cmath>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/forest/risk.h"
#include "coppice/trees/predictor.h"

namespace coppice::chain {
namespace {

// A token is labelled 1 when its input is on and the label before is 0: neither alone tells.
struct Corpus {
  trees::Schema schema;
  trees::ExampleTable table;
  Dataset gold;

  explicit Corpus(std::uint64_t seed, std::size_t sentences = 60) {
    Random random(seed);
    schema.add_categorical(4);
    schema.add_binary(3);
    gold.num_labels = 2;
    for (std::size_t i = 0; i < sentences; ++i) {
      std::uint16_t previous = 0;
      for (std::uint64_t t = 0, n = 1 + random.below(8); t < n; ++t) {
        const bool on = random.below(2) == 0;
        std::vector<std::uint32_t> row{static_cast<std::uint32_t>(random.below(4))};
        if (on) row.push_back(4);
        if (random.below(2) == 0) row.push_back(5);
        table.add(row);
        previous = on && previous == 0 ? 1 : 0;
        gold.gold.push_back(previous);
        gold.gold_begin.push_back(static_cast<std::uint32_t>(gold.gold.size()));
      }
      gold.sentence_begin.push_back(static_cast<std::uint32_t>(gold.gold.size()));
    }
  }
  TreeCorpus rows() const { return {table.view().rows, gold.sentence_begin}; }
};

double errors(const Corpus& corpus, const ChainBooster& booster, std::size_t followed) {
  double wrong = 0;
  std::vector<std::uint16_t> labels;
  for (std::size_t i = 0; i < corpus.gold.num_sentences(); ++i) {
    edge_best_labels(booster.shape(), booster.scores(followed, i), labels);
    for (std::size_t t = 0; t < labels.size(); ++t) {
      wrong += labels[t] != corpus.gold.gold[corpus.gold.sentence_begin[i] + t];
    }
  }
  return wrong / static_cast<double>(corpus.gold.num_tokens());
}

TEST(ChainBooster, LearnsWhatDependsOnTheLabelBefore) {
  for (const bool newton : {false, true}) {
    const Corpus train(1), test(2);
    const Constraints none;
    ChainBooster booster(train.schema, train.rows(), train.gold, none, 1,
                         {.max_leaves = 6, .newton = newton});
    booster.follow(test.rows());
    const Threads threads(1);
    double first = 0, last = 0;
    for (int i = 0; i < 30; ++i) {
      last = booster.round(threads);
      if (i == 3) first = last;
    }
    EXPECT_LT(last, first / 2);
    EXPECT_LT(errors(test, booster, 0), 0.03);
    EXPECT_EQ(booster.num_rounds(), 30u);
    EXPECT_EQ(booster.trees().num_trees(), 60u);
  }
}

TEST(ChainBooster, AChainOfOrderZeroCannot) {
  const Corpus train(3), test(4);
  const Constraints none;
  ChainBooster booster(train.schema, train.rows(), train.gold, none, 0, {.max_leaves = 6});
  booster.follow(test.rows());
  const Threads threads(1);
  for (int i = 0; i < 30; ++i) booster.round(threads);
  EXPECT_GT(errors(test, booster, 0), 0.1);
}

TEST(ChainBooster, ScoresAreSumsOfItsTrees) {
  const Corpus train(5, 20);
  const Constraints none;
  ChainBooster booster(
      train.schema, train.rows(), train.gold, none, 1,
      {.max_leaves = 5, .row_fraction = 0.7, .feature_fraction = 0.8, .trees_per_round = 3});
  const Threads threads(1);
  for (int i = 0; i < 8; ++i) booster.round(threads);
  EXPECT_EQ(booster.trees().num_trees(), 8u * 2 * 3);
  const EdgeShape shape = booster.shape();
  const trees::Predictor predictor(train.schema, booster.trees().view(), shape.states, 2);
  trees::Predictor::Scratch scratch;
  std::vector<double> scores(shape.block());
  for (std::size_t i = 0; i < train.gold.num_sentences(); ++i) {
    const auto kept = booster.scores(i);
    for (std::size_t t = 0; t < kept.size() / shape.block(); ++t) {
      predictor.score(train.table.view().rows.row(train.gold.sentence_begin[i] + t), scores,
                      scratch);
      for (std::size_t k = 0; k < shape.block(); ++k) {
        ASSERT_NEAR(kept[t * shape.block() + k], scores[k], 1e-5);
      }
    }
  }
}

// Targets are means of the gradient, so without draws three trees are thrice the same, a third
// each.
TEST(ChainBooster, AveragesTheTreesOfARound) {
  const Corpus train(5, 20);
  const Constraints none;
  const Threads threads(1);
  ChainBooster one(train.schema, train.rows(), train.gold, none, 1, {.max_leaves = 5});
  ChainBooster three(train.schema, train.rows(), train.gold, none, 1,
                     {.max_leaves = 5, .trees_per_round = 3});
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(one.round(threads), three.round(threads), 1e-3);
  }
  for (std::size_t i = 0; i < train.gold.num_sentences(); ++i) {
    for (std::size_t k = 0; k < one.scores(i).size(); ++k) {
      ASSERT_NEAR(one.scores(i)[k], three.scores(i)[k], 1e-4);
    }
  }
}

// Newton's steps are bounded: with |d| near 1 the curvature is next to nothing.
TEST(ChainBooster, NewtonStepsStayWithinBounds) {
  const Corpus train(13, 400);
  const Constraints none;
  const Threads threads(1);
  ChainBooster booster(train.schema, train.rows(), train.gold, none, 1,
                       {.max_leaves = 8, .newton = true, .ridge = 1e-6, .pseudo_rounds = 0});
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(std::isfinite(booster.round(threads)));
  for (const trees::Node& node : booster.trees().nodes) EXPECT_LE(std::fabs(node.value), 4.0f);
}

// Long stretches of one label, which noisy inputs hint at: whole stretches turn over together.
Corpus stretches(std::uint64_t seed) {
  Corpus made(seed, 0);
  Random random(seed);
  for (std::size_t i = 0; i < 20; ++i) {
    std::uint16_t label = 0;
    for (std::size_t t = 0; t < 80; ++t) {
      if (random.below(12) == 0) label = 1 - label;
      std::vector<std::uint32_t> row;
      for (const std::uint32_t bin : {4u, 5u, 6u}) {
        if (random.below(10) < 4u + 2u * label) row.push_back(bin);
      }
      made.table.add(row);
      made.gold.gold.push_back(label);
      made.gold.gold_begin.push_back(static_cast<std::uint32_t>(made.gold.gold.size()));
    }
    made.gold.sentence_begin.push_back(static_cast<std::uint32_t>(made.gold.gold.size()));
  }
  return made;
}

// What pairs bend by themselves is too little there, and steps by it alone overshoot.
TEST(ChainBooster, NewtonStepsDoNotOvershoot) {
  const Constraints none;
  const Threads threads(1);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Corpus train = stretches(seed);
    ChainBooster booster(train.schema, train.rows(), train.gold, none, 1,
                         {.max_leaves = 8, .shrinkage = 0.5, .newton = true, .pseudo_rounds = 3});
    double lowest = INFINITY;
    for (int i = 0; i < 40; ++i) {
      const double value = booster.round(threads);
      if (i <= 3) continue;  // pseudo-likelihood, and the first step that is none of it
      EXPECT_LT(value, 1.02 * lowest) << "seed " << seed << ", round " << i;
      lowest = std::min(lowest, value);
    }
  }
}

TEST(ChainBooster, GoesOnFromTreesAsIfItHadGrownThem) {
  const Corpus train = stretches(4);
  const Constraints none;
  const Threads threads(1);
  const BoostingOptions options{
      .max_leaves = 6, .shrinkage = 0.5, .newton = true, .row_fraction = 0.8};
  ChainBooster whole(train.schema, train.rows(), train.gold, none, 1, options),
      begun(train.schema, train.rows(), train.gold, none, 1, options),
      resumed(train.schema, train.rows(), train.gold, none, 1, options);
  for (int i = 0; i < 9; ++i) whole.round(threads);
  for (int i = 0; i < 6; ++i) begun.round(threads);
  resumed.replay(begun.trees().view(), threads);
  for (int i = 0; i < 3; ++i) resumed.round(threads);
  ASSERT_EQ(resumed.trees().nodes.size(), whole.trees().nodes.size());
  for (std::size_t i = 0; i < whole.trees().nodes.size(); ++i) {
    ASSERT_EQ(resumed.trees().nodes[i].value, whole.trees().nodes[i].value) << "node " << i;
  }
}

TEST(ChainBooster, KeepsConstraints) {
  const Corpus train(6);
  Constraints constraints;
  constraints.pairs = {1, 1, 1, 0};  // no 1 after 1, as in the data
  constraints.last = {1, 1};
  constraints.first = {1, 1};
  ChainBooster booster(train.schema, train.rows(), train.gold, constraints, 1, {.max_leaves = 4});
  const Threads threads(1);
  for (int i = 0; i < 10; ++i) booster.round(threads);
  const EdgeShape shape = booster.shape();
  for (std::size_t i = 0; i < train.gold.num_sentences(); ++i) {
    const auto scores = booster.scores(i);
    for (std::size_t t = 1; t < scores.size() / shape.block(); ++t) {
      ASSERT_EQ(scores[shape.place(t, 1, 1)], -INFINITY);
      ASSERT_TRUE(std::isfinite(scores[shape.place(t, 0, 1)]));
    }
  }
}

TEST(ChainBooster, LowersRiskWhenToldTo) {
  const Corpus train(7), test(8);
  const Constraints none;
  ChainBooster booster(
      train.schema, train.rows(), train.gold, none, 1, {.max_leaves = 6, .pseudo_rounds = 2},
      std::make_unique<ForestEdgeObjective>(
          [](const Forest& forest, const EdgeMap<double>& scores, const learn::Target& target) {
            return risk_gradient(forest, scores, target.losses);
          }));
  booster.follow(test.rows());
  const Threads threads(1);
  double first = 0, last = 0;
  for (int i = 0; i < 40; ++i) {
    last = booster.round(threads);
    if (i == 2) first = last;
  }
  EXPECT_LT(last, first / 2);
  EXPECT_LT(errors(test, booster, 0), 0.02);
}

// Counts its stages and what it is shown.
class Staged final : public EdgeObjective {
 public:
  struct Record {
    std::size_t stages = 0, looks = 0, rounds = 0;
  };
  explicit Staged(Record& record) : record_(record) {}
  double evaluate(const EdgeExample& example, std::span<float> derivatives,
                  EdgeObjectiveWorkspace& workspace) const override {
    return likelihood_.evaluate(example, derivatives, workspace);
  }
  bool advance() override { return ++record_.stages > 0; }
  bool looks_ahead() const noexcept override { return true; }
  void begin_look(std::size_t num_sentences) override { record_.looks += num_sentences; }
  void look(const EdgeExample& example, EdgeObjectiveWorkspace& /*workspace*/) override {
    EXPECT_LT(example.sentence, 60u);
    --record_.looks;
  }
  void end_look() override { ++record_.rounds; }

 private:
  EdgeLikelihood likelihood_;
  Record& record_;
};

TEST(ChainBooster, ShowsAllSentencesAndGoesThroughTheStages) {
  const Corpus train(7);
  const Constraints none;
  Staged::Record record;
  ChainBooster booster(train.schema, train.rows(), train.gold, none, 1,
                       {.max_leaves = 3, .pseudo_rounds = 2, .stage_rounds = 3},
                       std::make_unique<Staged>(record));
  for (int i = 0; i < 9; ++i) booster.round(Threads(1));
  EXPECT_EQ(record.rounds, 7u);
  EXPECT_EQ(record.looks, 0u);  // each sentence once
  EXPECT_EQ(record.stages, 2u);
}

TEST(ChainBooster, TrimsWithoutHarm) {
  const Corpus train(9), test(10);
  const Constraints none;
  ChainBooster booster(train.schema, train.rows(), train.gold, none, 1,
                       {.max_leaves = 6, .trim = 0.1});
  booster.follow(test.rows());
  const Threads threads(1);
  for (int i = 0; i < 30; ++i) booster.round(threads);
  EXPECT_EQ(errors(test, booster, 0), 0);
}

TEST(ChainBooster, LearnsTheSameWithAnyNumberOfThreads) {
  const Corpus train(11);
  const Constraints none;
  std::vector<std::vector<float>> values;
  for (const unsigned n : {1u, 3u}) {
    const Threads threads(n);
    ChainBooster booster(train.schema, train.rows(), train.gold, none, 1,
                         {.max_leaves = 6, .shrinkage = 0.5, .newton = true, .row_fraction = 0.8});
    for (int i = 0; i < 6; ++i) booster.round(threads);
    values.emplace_back();
    for (const trees::Node& node : booster.trees().nodes) values.back().push_back(node.value);
  }
  EXPECT_EQ(values[0], values[1]);
}

TEST(ChainBooster, RefusesOptionsOutOfRange) {
  const Corpus train(12);
  const Constraints none;
  const auto refuses = [&](const BoostingOptions& options) {
    EXPECT_THROW(ChainBooster(train.schema, train.rows(), train.gold, none, 1, options),
                 InvalidArgument);
  };
  refuses({.max_leaves = 1});
  refuses({.shrinkage = 0});
  refuses({.row_fraction = 2});
  refuses({.feature_fraction = 0});
  refuses({.trim = 1});
  refuses({.trees_per_round = 0});
  refuses({.stage_rounds = 0});
}

}  // namespace
}  // namespace coppice::chain

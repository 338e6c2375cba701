// Gradient tree boosting of chains: it learns what it should, and the same with any threads.
#include "chain/boosted_chain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/learn/booster.h"
#include "coppice/trees/predictor.h"

namespace coppice::chain {
namespace {

using learn::Booster;
using learn::BoostingOptions;
using learn::ObjectiveKind;

const std::vector<std::string> kTwoLabels{"0", "1"};

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

const Constraints kNoConstraints;

BoostedChain boosted(const Corpus& corpus, unsigned order = 1,
                     const learn::TrainingObjective& objective = {},
                     const Constraints& constraints = kNoConstraints) {
  return BoostedChain(corpus.schema, corpus.rows(), corpus.gold, constraints, {.order = order},
                      objective, LossTables(objective, kTwoLabels, text::Scheme::kRaw));
}

double errors(const Corpus& corpus, const BoostedChain& chain, std::size_t followed) {
  double wrong = 0;
  std::vector<std::uint16_t> labels;
  for (std::size_t i = 0; i < corpus.gold.num_sentences(); ++i) {
    edge_best_labels(chain.shape(), chain.scores(followed, i), labels);
    for (std::size_t t = 0; t < labels.size(); ++t) {
      wrong += labels[t] != corpus.gold.gold[corpus.gold.sentence_begin[i] + t];
    }
  }
  return wrong / static_cast<double>(corpus.gold.num_tokens());
}

TEST(BoostedChain, LearnsWhatDependsOnTheLabelBefore) {
  for (const bool newton : {false, true}) {
    const Corpus train(1), test(2);
    BoostedChain chain = boosted(train);
    Booster booster(chain, {.max_leaves = 6, .newton = newton});
    chain.follow(test.rows());
    const Threads threads(1);
    double first = 0, last = 0;
    for (int i = 0; i < 30; ++i) {
      last = booster.round(threads);
      if (i == 3) first = last;
    }
    EXPECT_LT(last, first / 2);
    EXPECT_LT(errors(test, chain, 0), 0.03);
    EXPECT_EQ(booster.num_rounds(), 30u);
    EXPECT_EQ(booster.trees().num_trees(), 60u);
  }
}

TEST(BoostedChain, AChainOfOrderZeroCannot) {
  const Corpus train(3), test(4);
  BoostedChain chain = boosted(train, 0);
  Booster booster(chain, {.max_leaves = 6});
  chain.follow(test.rows());
  const Threads threads(1);
  for (int i = 0; i < 30; ++i) booster.round(threads);
  EXPECT_GT(errors(test, chain, 0), 0.1);
}

TEST(BoostedChain, ScoresAreSumsOfItsTrees) {
  const Corpus train(5, 20);
  BoostedChain chain = boosted(train);
  Booster booster(
      chain, {.max_leaves = 5, .row_fraction = 0.7, .feature_fraction = 0.8, .trees_per_round = 3});
  const Threads threads(1);
  for (int i = 0; i < 8; ++i) booster.round(threads);
  EXPECT_EQ(booster.trees().num_trees(), 8u * 2 * 3);
  const EdgeShape shape = chain.shape();
  const trees::Predictor predictor(train.schema, booster.trees().view(), shape.states, 2);
  trees::Predictor::Scratch scratch;
  std::vector<double> scores(shape.block());
  for (std::size_t i = 0; i < train.gold.num_sentences(); ++i) {
    const auto kept = chain.scores(i);
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
TEST(BoostedChain, AveragesTheTreesOfARound) {
  const Corpus train(5, 20);
  const Threads threads(1);
  BoostedChain of_one = boosted(train), of_three = boosted(train);
  Booster one(of_one, {.max_leaves = 5});
  Booster three(of_three, {.max_leaves = 5, .trees_per_round = 3});
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(one.round(threads), three.round(threads), 1e-3);
  }
  for (std::size_t i = 0; i < train.gold.num_sentences(); ++i) {
    for (std::size_t k = 0; k < of_one.scores(i).size(); ++k) {
      ASSERT_NEAR(of_one.scores(i)[k], of_three.scores(i)[k], 1e-4);
    }
  }
}

// Newton's steps are bounded: with |d| near 1 the curvature is next to nothing.
TEST(BoostedChain, NewtonStepsStayWithinBounds) {
  const Corpus train(13, 400);
  const Threads threads(1);
  BoostedChain chain = boosted(train);
  Booster booster(chain, {.max_leaves = 8, .newton = true, .ridge = 1e-6, .pseudo_rounds = 0});
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
TEST(BoostedChain, NewtonStepsDoNotOvershoot) {
  const Threads threads(1);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Corpus train = stretches(seed);
    BoostedChain chain = boosted(train);
    Booster booster(chain, {.max_leaves = 8, .shrinkage = 0.5, .newton = true, .pseudo_rounds = 3});
    double lowest = INFINITY;
    for (int i = 0; i < 40; ++i) {
      const double value = booster.round(threads);
      if (i <= 3) continue;  // pseudo-likelihood, and the first step that is none of it
      EXPECT_LT(value, 1.02 * lowest) << "seed " << seed << ", round " << i;
      lowest = std::min(lowest, value);
    }
  }
}

TEST(BoostedChain, GoesOnFromTreesAsIfItHadGrownThem) {
  const Corpus train = stretches(4);
  const Threads threads(1);
  const BoostingOptions options{
      .max_leaves = 6, .shrinkage = 0.5, .newton = true, .row_fraction = 0.8};
  BoostedChain of_whole = boosted(train), of_begun = boosted(train), of_resumed = boosted(train);
  Booster whole(of_whole, options), begun(of_begun, options), resumed(of_resumed, options);
  for (int i = 0; i < 9; ++i) whole.round(threads);
  for (int i = 0; i < 6; ++i) begun.round(threads);
  resumed.replay(begun.trees().view(), threads);
  for (int i = 0; i < 3; ++i) resumed.round(threads);
  ASSERT_EQ(resumed.trees().nodes.size(), whole.trees().nodes.size());
  for (std::size_t i = 0; i < whole.trees().nodes.size(); ++i) {
    ASSERT_EQ(resumed.trees().nodes[i].value, whole.trees().nodes[i].value) << "node " << i;
  }
}

TEST(BoostedChain, KeepsConstraints) {
  const Corpus train(6);
  Constraints constraints;
  constraints.pairs = {1, 1, 1, 0};  // no 1 after 1, as in the data
  constraints.last = {1, 1};
  constraints.first = {1, 1};
  BoostedChain chain = boosted(train, 1, {}, constraints);
  Booster booster(chain, {.max_leaves = 4});
  const Threads threads(1);
  for (int i = 0; i < 10; ++i) booster.round(threads);
  const EdgeShape shape = chain.shape();
  for (std::size_t i = 0; i < train.gold.num_sentences(); ++i) {
    const auto scores = chain.scores(i);
    for (std::size_t t = 1; t < scores.size() / shape.block(); ++t) {
      ASSERT_EQ(scores[shape.place(t, 1, 1)], -INFINITY);
      ASSERT_TRUE(std::isfinite(scores[shape.place(t, 0, 1)]));
    }
  }
}

TEST(BoostedChain, LowersRiskWhenToldTo) {
  const Corpus train(7), test(8);
  BoostedChain chain = boosted(train, 1, {.goal = ObjectiveKind::kRisk});
  ASSERT_TRUE(chain.objective().advance());  // past the likelihood
  Booster booster(chain, {.max_leaves = 6, .pseudo_rounds = 2});
  chain.follow(test.rows());
  const Threads threads(1);
  double first = 0, last = 0;
  for (int i = 0; i < 40; ++i) {
    last = booster.round(threads);
    if (i == 2) first = last;
  }
  EXPECT_LT(last, first / 2);
  EXPECT_LT(errors(test, chain, 0), 0.02);
}

// The expected loss of all tokens under the scores so far.
double risk_of(const Corpus& corpus, const BoostedChain& chain) {
  double sum = 0;
  EdgeWorkspace workspace;
  std::vector<float> p, posterior(2);
  for (std::size_t i = 0; i < corpus.gold.num_sentences(); ++i) {
    p.resize(chain.scores(i).size());
    edge_marginals(chain.shape(), chain.scores(i), p, workspace);
    for (std::size_t t = 0; t < p.size() / chain.shape().block(); ++t) {
      edge_posterior(chain.shape(), p, t, posterior);
      sum += 1 - posterior[corpus.gold.gold[corpus.gold.sentence_begin[i] + t]];
    }
  }
  return sum;
}

TEST(BoostedChain, FollowsTheRiskAfterAStageOfTheLikelihood) {
  const Corpus train(7);
  BoostedChain chain = boosted(train, 1, {.goal = ObjectiveKind::kRisk});
  Booster booster(chain, {.max_leaves = 3, .pseudo_rounds = 2, .stage_rounds = 3});
  for (int round = 0; round < 9; ++round) {
    const double risk = risk_of(train, chain);
    const double value = booster.round(Threads(1));
    if (round < 5) {
      EXPECT_GT(std::abs(value - risk), 0.01) << round;
    } else {
      EXPECT_NEAR(value, risk, 1e-3 * risk) << round;
    }
  }
}

// All sentences are looked at before each round.
TEST(BoostedChain, LowersALossOfTheCorpus) {
  const Corpus train(7), test(8);
  BoostedChain chain = boosted(
      train, 1,
      {.goal = ObjectiveKind::kSoftmaxMargin, .loss = learn::LossName::kF, .of_corpus = true});
  ASSERT_TRUE(chain.objective().looks_ahead());
  Booster booster(chain, {.max_leaves = 6, .pseudo_rounds = 2});
  chain.follow(test.rows());
  double first = 0, last = 0;
  for (int i = 0; i < 20; ++i) {
    last = booster.round(Threads(2));
    if (i == 2) first = last;
  }
  EXPECT_LT(last, first / 2);
  EXPECT_LT(errors(test, chain, 0), 0.05);
}

TEST(BoostedChain, TrimsWithoutHarm) {
  const Corpus train(9), test(10);
  BoostedChain chain = boosted(train);
  Booster booster(chain, {.max_leaves = 6, .trim = 0.1});
  chain.follow(test.rows());
  const Threads threads(1);
  for (int i = 0; i < 30; ++i) booster.round(threads);
  EXPECT_EQ(errors(test, chain, 0), 0);
}

TEST(BoostedChain, LearnsTheSameWithAnyNumberOfThreads) {
  const Corpus train(11);
  std::vector<std::vector<float>> values;
  for (const unsigned n : {1u, 3u}) {
    const Threads threads(n);
    BoostedChain chain = boosted(train);
    Booster booster(chain,
                    {.max_leaves = 6, .shrinkage = 0.5, .newton = true, .row_fraction = 0.8});
    for (int i = 0; i < 6; ++i) booster.round(threads);
    values.emplace_back();
    for (const trees::Node& node : booster.trees().nodes) values.back().push_back(node.value);
  }
  EXPECT_EQ(values[0], values[1]);
}

TEST(BoostedChain, RefusesWhatDoesNotFit) {
  const Corpus train(12), other(13);
  const auto refuses = [&](const Corpus& corpus, const TreeCorpus& rows) {
    EXPECT_THROW(BoostedChain(corpus.schema, rows, corpus.gold, kNoConstraints, {}, {},
                              LossTables({}, kTwoLabels, text::Scheme::kRaw)),
                 InvalidArgument);
  };
  refuses(train, other.rows());
  const Corpus empty(1, 0);
  refuses(empty, empty.rows());
  Corpus weighted(12);
  weighted.gold.weight.assign(weighted.gold.num_sentences(), 2.0f);
  EXPECT_THROW(
      boosted(weighted, 1,
              {.goal = ObjectiveKind::kRisk, .loss = learn::LossName::kF, .of_corpus = true}),
      InvalidArgument);
}

TEST(BoostedChain, NamesTheSentenceWhoseObjectiveIsNotFinite) {
  const Corpus train(12);
  BoostedChain chain = boosted(train);
  for (float& score : chain.start_scores(4)) score = -std::numeric_limits<float>::infinity();
  Booster booster(chain, {.max_leaves = 3, .pseudo_rounds = 0});
  try {
    booster.round(Threads(1));
    FAIL() << "expected Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "E310");
    EXPECT_STREQ(error.what(), "the objective is not finite at sentence 5");
  }
}

}  // namespace
}  // namespace coppice::chain

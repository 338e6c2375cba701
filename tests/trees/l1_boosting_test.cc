// The l1-boosted learner: its gradients, its line search, its path.
#include "coppice/trees/l1_boosting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "coppice/base/error.h"
#include "coppice/trees/leaf_fit.h"
#include "trees/random_examples.h"

namespace coppice::trees {

namespace {

struct Problem {
  std::vector<float> scores, importance;
  std::vector<std::uint16_t> classes;
  std::vector<std::uint32_t> rows;

  explicit Problem(std::uint64_t seed, std::size_t size = 30) {
    Random random(seed);
    const double positives = random.uniform();
    for (std::uint32_t i = 0; i < size; ++i) {
      scores.push_back(static_cast<float>(6 * random.uniform() - 3));
      importance.push_back(static_cast<float>(0.1 + 2 * random.uniform()));
      classes.push_back(random.uniform() < positives ? 1 : 0);
      rows.push_back(i);
    }
  }
  BinaryMargins margins() const { return {scores, classes, 1, importance}; }
};

TEST(LossCurve, DerivativesAreThoseOfTheLoss) {
  const Threads threads(1);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Problem problem(seed);
    const double d = static_cast<double>(seed % 7) - 3, step = 1e-4;
    const auto at = [&](double x) {
      return loss_curve(problem.margins(), problem.rows, x, threads);
    };
    EXPECT_NEAR(at(d).first, (at(d + step).value - at(d - step).value) / (2 * step), 1e-5);
    EXPECT_NEAR(at(d).second, (at(d + step).first - at(d - step).first) / (2 * step), 1e-5);
  }
}

TEST(FitLeaf, NoOtherValueIsBetter) {
  const Threads threads(1);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Problem problem(seed);
    Random random(seed, 1);
    const double theta = seed % 2 == 0 ? 0 : 4 * random.uniform() - 2;
    const double lambda = std::pow(10.0, 3 * random.uniform() - 2);
    const auto objective = [&](double d) {
      return loss_curve(problem.margins(), problem.rows, d, threads).value +
             lambda * std::fabs(theta + d);
    };
    const double found = fit_leaf(problem.margins(), problem.rows, theta, lambda, threads);
    ASSERT_TRUE(std::isfinite(found));
    const double best = objective(found);
    for (const double other : {found - 1e-3, found + 1e-3, found - 1, found + 1, 0.0, -theta}) {
      ASSERT_GE(objective(other), best - 1e-9) << "at " << other << " instead of " << found;
    }
  }
}

TEST(FitLeaf, APureLeafHasAFiniteValue) {
  Problem problem(1, 5);
  problem.classes.assign(5, 1);
  problem.scores.assign(5, 0);
  problem.importance.clear();
  const double found = fit_leaf(problem.margins(), problem.rows, 0, 1e-6, Threads(1));
  EXPECT_NEAR(found, std::log(5 / 1e-6 - 1), 1e-6);  // 5 / (1 + e^d) = lambda
  EXPECT_THROW(fit_leaf(problem.margins(), problem.rows, 0, 0, Threads(1)), InvalidArgument);
}

// y depends on a conjunction of two features, and on noise.
struct Conjunctive {
  Schema schema;
  ExampleTable table;

  explicit Conjunctive(std::uint64_t seed, std::size_t rows = 400, std::size_t features = 12) {
    Random random(seed);
    schema.add_binary(features);
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<std::uint32_t> row;
      for (std::uint32_t f = 0; f < features; ++f) {
        if (random.below(2) == 0) row.push_back(f);
      }
      const bool both = find_bin(row, {2, 3}) != kNoBin && find_bin(row, {5, 6}) != kNoBin;
      const bool flipped = random.below(20) == 0;
      table.add(row, both != flipped ? 1 : 0, random.below(4) == 0 ? 2.0f : 1.0f);
    }
  }
};

double loss_of(const Conjunctive& data, const std::map<std::size_t, double>& scores) {
  double sum = 0;
  const ExampleView view = data.table.view();
  for (std::size_t i = 0; i < view.size(); ++i) {
    const auto found = scores.find(i);
    const double h = found == scores.end() ? 0 : found->second;
    const double margin = view.classes[i] == 1 ? h : -h;
    sum += view.importance_of(i) * std::log1p(std::exp(-margin));
  }
  return sum;
}

TEST(L1Booster, ObjectiveFallsWithEveryTreeAndIsWhatItSays) {
  const Conjunctive data(1);
  const Threads threads(1);
  const ExampleView view = data.table.view();
  L1Booster booster(data.schema, view, {}, 1, {.min_lambda = 2, .tolerance = 0});
  double last = INFINITY, last_lambda = INFINITY;
  while (booster.step(threads)) {
    if (booster.lambda() == last_lambda) {
      EXPECT_LE(booster.objective(), last);
    }
    last = booster.objective();
    last_lambda = booster.lambda();
  }
  // The objective again, from the trees: equal conjunctions are one feature.
  const EnsembleView trees = booster.trees().view();
  std::map<std::size_t, double> scores;
  std::map<std::set<std::pair<std::uint32_t, bool>>, double> weights;
  for (std::size_t tree = 0; tree < trees.num_trees(); ++tree) {
    const auto nodes = trees.tree(tree);
    std::vector<std::set<std::pair<std::uint32_t, bool>>> paths(nodes.size());
    for (std::size_t at = 0; at < nodes.size(); ++at) {
      if (nodes[at].is_leaf()) {
        weights[paths[at]] += nodes[at].value;
        continue;
      }
      paths[nodes[at].left] = paths[nodes[at].right()] = paths[at];
      paths[nodes[at].left].insert({nodes[at].feature, false});
      paths[nodes[at].right()].insert({nodes[at].feature, true});
    }
    for (std::size_t i = 0; i < view.size(); ++i) {
      scores[i] += nodes[leaf_of(data.schema, trees, tree, view.rows.row(i))].value;
    }
  }
  const PathPoint& end = booster.path().back();
  double penalty = 0;
  std::size_t features = 0;
  for (const auto& [path, weight] : weights) {
    penalty += std::fabs(weight);
    features += std::fabs(weight) > 1e-6;
  }
  EXPECT_NEAR(end.objective, loss_of(data, scores) + end.lambda * penalty, 1e-3);
  EXPECT_EQ(end.features, features);
  EXPECT_EQ(end.trees, trees.num_trees());
}

TEST(L1Booster, FindsAConjunction) {
  const Conjunctive data(2);
  const Threads threads(1);
  const ExampleView view = data.table.view();
  L1Booster booster(data.schema, view, {}, 1, {.min_lambda = 10});
  while (booster.step(threads)) {
  }
  const EnsembleView trees = booster.trees().view();
  bool found = false;
  for (std::size_t tree = 0; tree < trees.num_trees(); ++tree) {
    for (const Node& node : trees.tree(tree)) {
      if (node.is_leaf()) continue;
      const Node& below = trees.tree(tree)[node.right()];
      const std::set<std::uint32_t> pair{node.feature, below.feature};
      found = found || pair == std::set<std::uint32_t>{2, 5};
    }
  }
  EXPECT_TRUE(found);
  EXPECT_LT(booster.path().back().loss, 0.35);
}

TEST(L1Booster, PathBeginsWithoutFeatures) {
  const Conjunctive data(3);
  const Threads threads(1);
  const ExampleView view = data.table.view();
  L1Booster booster(data.schema, view, view, 1, {.lambda_factor = 0.5, .min_lambda = 4});
  while (booster.step(threads)) {
  }
  const auto& path = booster.path();
  ASSERT_GT(path.size(), 3u);
  EXPECT_EQ(path[0].trees, 0u);
  EXPECT_EQ(path[0].features, 0u);
  EXPECT_NEAR(path[0].loss, std::log(2.0), 1e-9);
  for (std::size_t i = 1; i < path.size(); ++i) {
    EXPECT_NEAR(path[i].lambda, path[i - 1].lambda / 2, 1e-9);
    EXPECT_GE(path[i].trees, path[i - 1].trees);
    EXPECT_NEAR(*path[i].development_loss, path[i].loss, 1e-5);  // the same examples
  }
  EXPECT_EQ(booster.best_point(), path.size() - 1);
}

TEST(L1Booster, DevelopmentDataEndThePath) {
  const Conjunctive data(4, 60, 40), other(5, 300, 40);
  const Threads threads(1);
  const ExampleView train = data.table.view(), development = other.table.view();
  L1Booster booster(data.schema, train, development, 1, {.min_lambda = 1e-3, .patience = 2});
  while (booster.step(threads)) {
  }
  const auto& path = booster.path();
  EXPECT_GT(path.back().lambda, 1e-3);
  unsigned changed = 0;  // points after the best one that had new trees
  for (std::size_t i = booster.best_point() + 1; i < path.size(); ++i) {
    changed += path[i].trees > path[i - 1].trees ? 1 : 0;
  }
  EXPECT_EQ(changed, 2u);
  for (const PathPoint& point : path) {
    EXPECT_GE(point.development_loss, path[booster.best_point()].development_loss);
  }
}

TEST(L1Booster, SampledSplitsStillFitLeavesOnAllExamples) {
  const Conjunctive data(6, 1000);
  const Threads threads(1);
  const ExampleView view = data.table.view();
  L1Booster booster(data.schema, view, {}, 1,
                    {.min_lambda = 10, .max_trees = 40, .sample = 0.3, .seed = 3});
  while (booster.step(threads)) {
  }
  EXPECT_LT(booster.path().back().loss, 0.4);
}

TEST(L1Booster, LearnsTheSameWithAnyNumberOfThreads) {
  const Conjunctive data(7, 3000, 30);
  const ExampleView view = data.table.view();
  std::vector<std::vector<float>> values;
  for (const unsigned n : {1u, 4u}) {
    const Threads threads(n);
    L1Booster booster(data.schema, view, view, 1, {.min_lambda = 20, .sample = 0.8});
    while (booster.step(threads)) {
    }
    values.emplace_back();
    for (const Node& node : booster.trees().nodes) values.back().push_back(node.value);
  }
  EXPECT_FALSE(values[0].empty());
  EXPECT_EQ(values[0], values[1]);
}

TEST(L1Booster, RefusesOptionsOutOfRange) {
  const Conjunctive data(8);
  const ExampleView view = data.table.view();
  EXPECT_THROW(L1Booster(data.schema, view, {}, 1, {.lambda_factor = 1}), InvalidArgument);
  EXPECT_THROW(L1Booster(data.schema, view, {}, 1, {.min_lambda = 0}), InvalidArgument);
  EXPECT_THROW(L1Booster(data.schema, view, {}, 1, {.sample = 0}), InvalidArgument);
  EXPECT_THROW(L1Booster(data.schema, {}, {}, 1, {}), InvalidArgument);
}

}  // namespace

}  // namespace coppice::trees

// The l1-boosted learner: its gradients, its line search, its path.
#include "coppice/trees/l1_boosting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "coppice/base/error.h"
#include "support/seeds.h"
#include "trees/leaf_fit.h"
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
  for (std::uint64_t seed = 0; seed < coppice::testing::seeds(50); ++seed) {
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
  for (std::uint64_t seed = 0; seed < coppice::testing::seeds(200); ++seed) {
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

TEST(WeightStep, LowersTheObjectiveByWhatItSays) {
  const Threads threads(1);
  for (std::uint64_t seed = 0; seed < coppice::testing::seeds(200); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Problem problem(seed);
    Random random(seed, 2);
    double theta = seed % 2 == 0 ? 0 : 4 * random.uniform() - 2;
    const double start = theta, lambda = std::pow(10.0, 3 * random.uniform() - 2);
    const auto curve = [&](double weight) {
      return loss_curve(problem.margins(), problem.rows, weight - start, threads);
    };
    const auto objective = [&](double weight) {
      return curve(weight).value + lambda * std::fabs(weight);
    };
    for (int i = 0; i < 60; ++i) {
      const LossCurve now = curve(theta);
      const WeightStep found = weight_step(theta, now.first, now.second, lambda);
      ASSERT_GE(found.decrease, -1e-12);
      ASSERT_LE(objective(theta + found.step), objective(theta) - found.decrease + 1e-9);
      ASSERT_GE(theta * (theta + found.step), 0) << "the step crosses 0";
      theta += found.step;
    }
    const double exact = fit_leaf(problem.margins(), problem.rows, start, lambda, threads);
    EXPECT_NEAR(theta, start + exact, 1e-4);
  }
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

// As in the paper.
L1Options one_tree_a_round(double min_lambda) {
  return {.grow = {}, .fit = Fit::kTree, .question_cost = 0, .min_lambda = min_lambda};
}

using Literals = std::set<std::pair<std::uint32_t, bool>>;

// By leaf, the questions that lead to it.
std::vector<Literals> literals_of(std::span<const Node> nodes) {
  std::vector<Literals> paths(nodes.size());
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    if (nodes[at].is_leaf()) continue;
    paths[nodes[at].left] = paths[nodes[at].right()] = paths[at];
    paths[nodes[at].left].insert({nodes[at].feature, false});
    paths[nodes[at].right()].insert({nodes[at].feature, true});
  }
  return paths;
}

// A model as its trees say it: equal conjunctions are one feature.
struct Unfolded {
  std::map<std::size_t, double> scores;
  std::map<Literals, double> weights;

  Unfolded(const Conjunctive& data, const EnsembleView& trees) {
    const ExampleView view = data.table.view();
    for (std::size_t tree = 0; tree < trees.num_trees(); ++tree) {
      const auto nodes = trees.tree(tree);
      const auto paths = literals_of(nodes);
      for (std::size_t at = 0; at < nodes.size(); ++at) {
        if (nodes[at].is_leaf()) weights[paths[at]] += nodes[at].value;
      }
      for (std::size_t i = 0; i < view.size(); ++i) {
        scores[i] += nodes[leaf_of(data.schema, trees, tree, view.rows.row(i))].value;
      }
    }
  }
};

void expect_objective_falls_and_is_what_it_says(const L1Options& options) {
  const Conjunctive data(1);
  const Threads threads(1);
  L1Booster booster(data.schema, data.table.view(), {}, 1, options);
  double last = INFINITY, last_lambda = INFINITY;
  while (booster.step(threads)) {
    if (booster.lambda() == last_lambda) {
      EXPECT_LE(booster.objective(), last);
    }
    last = booster.objective();
    last_lambda = booster.lambda();
  }
  for (const PathPoint& point : booster.path()) {
    const Ensemble used = trees_at(point, booster.trees().view());
    const Unfolded model(data, used.view());
    double penalty = 0;
    std::size_t features = 0;
    for (const auto& [literals, weight] : model.weights) {
      const double more = literals.empty() ? 0 : static_cast<double>(literals.size() - 1);
      penalty += (1 + options.question_cost * more) * std::fabs(weight);
      features += std::fabs(weight) > 1e-6;
    }
    EXPECT_NEAR(point.objective, loss_of(data, model.scores) + point.lambda * penalty, 1e-3);
    EXPECT_EQ(point.features, features);
    EXPECT_EQ(point.trees, used.num_trees());
  }
}

TEST(L1Booster, ObjectiveFallsWithEveryRoundAndIsWhatItSays) {
  L1Options paper = one_tree_a_round(2);
  paper.tolerance = 0;
  expect_objective_falls_and_is_what_it_says(paper);
  paper.question_cost = 0.5;
  expect_objective_falls_and_is_what_it_says(paper);
  for (const double cost : {0.0, 2.0}) {
    expect_objective_falls_and_is_what_it_says(
        {.question_cost = cost, .min_lambda = 2, .tolerance = 1e-5});
  }
}

// No weight can be moved to lower the objective, and no question alone is worth its penalty.
TEST(L1Booster, WeightsFittedTogetherAreOptimal) {
  const Conjunctive data(9, 300, 20);
  const Threads threads(1);
  const ExampleView view = data.table.view();
  L1Booster booster(data.schema, view, {}, 1, {.min_lambda = 2, .tolerance = 1e-8});
  while (booster.step(threads)) {
  }
  const PathPoint& point = booster.path().back();
  const Ensemble used = trees_at(point, booster.trees().view());
  Unfolded model(data, used.view());
  const auto derivative = [&](const Literals& literals) {
    double sum = 0;
    for (std::size_t i = 0; i < view.size(); ++i) {
      const auto row = view.rows.row(i);
      const bool holds = std::ranges::all_of(literals, [&](const auto& literal) {
        return std::ranges::binary_search(row, literal.first) == literal.second;
      });
      const double sign = view.classes[i] == 1 ? 1 : -1;
      if (holds) sum -= sign * view.importance_of(i) / (1 + std::exp(sign * model.scores[i]));
    }
    return sum;
  };
  std::size_t weighted = 0;
  for (const auto& [literals, weight] : model.weights) {
    if (weight == 0) continue;
    ++weighted;
    const double more = literals.empty() ? 0 : static_cast<double>(literals.size() - 1);
    const double penalty = point.lambda * (1 + 2 * more);
    EXPECT_NEAR(derivative(literals), weight > 0 ? -penalty : penalty, 0.02);
  }
  EXPECT_GT(weighted, 3u);
  for (std::uint32_t feature = 0; feature < 20; ++feature) {
    std::size_t on = 0;
    for (std::size_t i = 0; i < view.size(); ++i) {
      on += std::ranges::binary_search(view.rows.row(i), feature) ? 1 : 0;
    }
    EXPECT_LE(std::fabs(derivative({{feature, 2 * on <= view.size()}})), point.lambda + 0.02);
  }
}

TEST(L1Booster, FindsAConjunction) {
  const Conjunctive data(2);
  const Threads threads(1);
  const ExampleView view = data.table.view();
  L1Options together;
  together.min_lambda = 10;
  together.question_cost = 0.5;
  for (const L1Options& options : {one_tree_a_round(10), together}) {
    L1Booster booster(data.schema, view, {}, 1, options);
    while (booster.step(threads)) {
    }
    const Ensemble used = trees_at(booster.path().back(), booster.trees().view());
    bool found = false;
    for (const auto& [literals, weight] : Unfolded(data, used.view()).weights) {
      found = found || (weight > 0 && literals.contains({2, true}) && literals.contains({5, true}));
    }
    EXPECT_TRUE(found);
    EXPECT_LT(booster.path().back().loss, 0.35);
  }
}

TEST(L1Booster, FittingTogetherNeedsFewerFeaturesForALowerObjective) {
  const Conjunctive data(10, 1000, 40);
  const Threads threads(1);
  std::vector<PathPoint> ends;
  for (const Fit fit : {Fit::kTree, Fit::kAll}) {
    L1Booster booster(data.schema, data.table.view(), {}, 1,
                      {.fit = fit, .question_cost = 0.5, .min_lambda = 5});
    while (booster.step(threads)) {
    }
    ends.push_back(booster.path().back());
  }
  EXPECT_EQ(ends[0].lambda, ends[1].lambda);
  EXPECT_LT(ends[1].objective, ends[0].objective);
  EXPECT_LT(ends[1].features, ends[0].features);
}

TEST(L1Booster, KeepsTheMostGainfulFeaturesWhenThereAreTooMany) {
  const Conjunctive data(11, 400, 30);
  const Threads threads(1);
  L1Booster booster(data.schema, data.table.view(), {}, 1, {.min_lambda = 1, .max_trees = 5});
  while (booster.step(threads)) {
  }
  EXPECT_EQ(booster.path().back().features, 5u);
  EXPECT_LT(booster.path().back().loss, booster.path().front().loss);
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
  unsigned changed = 0;  // points after the best one that had another model
  for (std::size_t i = booster.best_point() + 1; i < path.size(); ++i) {
    changed += path[i].loss != path[i - 1].loss ? 1 : 0;
  }
  EXPECT_EQ(changed, 2u);
  for (const PathPoint& point : path) {
    EXPECT_GE(point.development_loss, path[booster.best_point()].development_loss);
  }
}

TEST(L1Booster, TakesASmallerModelThatIsNearlyAsGood) {
  const Conjunctive data(12, 300, 40), other(13, 600, 40);
  const Threads threads(1);
  std::vector<std::size_t> chosen;
  for (const double within : {0.0, 0.05}) {
    L1Booster booster(data.schema, data.table.view(), other.table.view(), 1,
                      {.lambda_factor = 0.9, .min_lambda = 0.1, .within = within});
    while (booster.step(threads)) {
    }
    const auto& path = booster.path();
    chosen.push_back(booster.best_point());
    const double most = *path[chosen[0]].development_loss * (1 + within);
    EXPECT_LE(*path[chosen.back()].development_loss, most);
    EXPECT_GT(*path[chosen.back() - 1].development_loss, most);
  }
  EXPECT_LT(chosen[1], chosen[0]);
}

TEST(L1Booster, SampledSplitsStillFitLeavesOnAllExamples) {
  const Conjunctive data(6, 1000);
  const Threads threads(1);
  const ExampleView view = data.table.view();
  L1Booster booster(data.schema, view, {}, 1,
                    {.fit = Fit::kTree,
                     .question_cost = 0,
                     .min_lambda = 10,
                     .max_trees = 40,
                     .sample = 0.3,
                     .seed = 3});
  while (booster.step(threads)) {
  }
  EXPECT_LT(booster.path().back().loss, 0.4);
}

TEST(L1Booster, LearnsTheSameWithAnyNumberOfThreads) {
  const Conjunctive data(7, 3000, 30);
  const ExampleView view = data.table.view();
  L1Options sampled = one_tree_a_round(20);
  sampled.sample = 0.8;
  for (const L1Options& options : {sampled, L1Options{.min_lambda = 20}}) {
    std::vector<std::vector<float>> values;
    for (const unsigned n : {1u, 4u}) {
      const Threads threads(n);
      L1Booster booster(data.schema, view, view, 1, options);
      while (booster.step(threads)) {
      }
      values.emplace_back();
      const Ensemble used = trees_at(booster.path().back(), booster.trees().view());
      for (const Node& node : used.nodes) values.back().push_back(node.value);
    }
    EXPECT_FALSE(values[0].empty());
    EXPECT_EQ(values[0], values[1]);
  }
}

TEST(L1Booster, RefusesOptionsOutOfRange) {
  const Conjunctive data(8);
  const ExampleView view = data.table.view();
  EXPECT_THROW(L1Booster(data.schema, view, {}, 1, {.lambda_factor = 1}), InvalidArgument);
  EXPECT_THROW(L1Booster(data.schema, view, {}, 1, {.min_lambda = 0}), InvalidArgument);
  EXPECT_THROW(L1Booster(data.schema, view, {}, 1, {.sample = 0}), InvalidArgument);
  EXPECT_THROW(L1Booster(data.schema, view, {}, 1, {.sample = 0.5}), InvalidArgument);
  EXPECT_THROW(L1Booster(data.schema, view, {}, 1, {.question_cost = -1}), InvalidArgument);
  Schema categorical;
  categorical.add_categorical(3);
  EXPECT_THROW(L1Booster(categorical, view, {}, 1, {}), InvalidArgument);
  EXPECT_THROW(L1Booster(data.schema, {}, {}, 1, {}), InvalidArgument);
}

}  // namespace

}  // namespace coppice::trees

// L-BFGS and OWL-QN reach the optima that slow solvers find, in float too, and go on bit for bit
// from a checkpoint.
#include "coppice/learn/lbfgs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "coppice/base/error.h"
#include "coppice/learn/stopping.h"
#include "learn/random_logistic.h"

namespace coppice::learn {
namespace {

using testing::by_coordinate_descent;
using testing::by_newton;
using testing::Logistic;
using testing::objective;
using testing::random_logistic;

// Runs until nothing decreases any more, or for so many iterations.
template <class T, class H = T>
Lbfgs<T, H> run(const Loss<T>& loss, std::vector<T> start, LbfgsOptions options,
                std::uint64_t iterations = 2000) {
  const Threads threads(1);
  Lbfgs<T, H> optimizer(std::move(start), std::move(options));
  while (optimizer.progress().iteration < iterations && optimizer.iterate(loss, threads) &&
         optimizer.progress().gradient_norm > 1e-9) {
  }
  return optimizer;
}

double rosenbrock(std::span<const double> w, std::span<double> gradient) {
  double value = 0;
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (std::size_t i = 0; i + 1 < w.size(); i += 2) {
    const double valley = w[i + 1] - w[i] * w[i];
    value += 100 * valley * valley + (1 - w[i]) * (1 - w[i]);
    gradient[i] = -400 * valley * w[i] - 2 * (1 - w[i]);
    gradient[i + 1] = 200 * valley;
  }
  return value;
}

TEST(Lbfgs, FollowsRosenbrocksValley) {
  const auto optimizer = run<double>(rosenbrock, {-1.2, 1, -1.2, 1, 3, -4}, {.value_noise = 1e-15});
  for (double weight : optimizer.weights()) EXPECT_NEAR(weight, 1, 1e-7);
  EXPECT_LT(optimizer.progress().evaluations, 120U);
}

template <class T>
Loss<T> quadratic(const std::vector<double>& curvature) {
  return [curvature](std::span<const T> w, std::span<T> gradient) {
    double value = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double distance = static_cast<double>(w[i]) - static_cast<double>(i);
      value += curvature[i] * distance * distance / 2;
      gradient[i] = static_cast<T>(curvature[i] * distance);
    }
    return value;
  };
}

TEST(Lbfgs, SolvesAnIllConditionedQuadratic) {
  std::vector<double> curvature;
  for (int i = 0; i < 50; ++i) curvature.push_back(std::pow(10, i / 10.0));
  const auto optimizer = run<double>(quadratic<double>(curvature), std::vector<double>(50), {});
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_NEAR(optimizer.weights()[i], static_cast<double>(i), 1e-5);
}

TEST(Lbfgs, NeedsAboutOneEvaluationAnIteration) {
  const Logistic problem = random_logistic(300, 30, 100, 1);
  const auto optimizer = run<double>(problem, std::vector<double>(30), {.penalty = {.l2 = 0.1}});
  EXPECT_LT(static_cast<double>(optimizer.progress().evaluations),
            1.3 * static_cast<double>(optimizer.progress().iteration) + 5);
}

TEST(Lbfgs, AgreesWithNewtonInEveryPrecision) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Logistic problem = random_logistic(100, 20, 100, seed);  // condition above 1e4
    Penalty penalty{.l2 = 1e-3};
    if (seed % 2 == 1) {
      penalty.l2_scale.assign(20, 1);
      penalty.l2_scale[3] = 0;
      penalty.l2_scale[4] = 50;
      penalty.l1_scale = penalty.l2_scale;
    }
    const double best = objective<double>(problem, penalty, by_newton(problem, penalty));
    const auto doubles = run<double>(problem, std::vector<double>(20), {.penalty = penalty});
    const auto mixed = run<double, float>(problem, std::vector<double>(20), {.penalty = penalty});
    const auto floats = run<float>(problem, std::vector<float>(20), {.penalty = penalty});
    EXPECT_NEAR(doubles.progress().value / best, 1, 1e-10);
    EXPECT_NEAR(mixed.progress().value / best, 1, 1e-10);
    EXPECT_NEAR(floats.progress().value / best, 1, 1e-6);
    EXPECT_NEAR(objective(problem, penalty, floats.weights()) / best, 1, 1e-6);
  }
}

// Iterations until within 1e-6 of the best value.
template <class T, class H = T>
std::uint64_t iterations_to(const Logistic& problem, const Penalty& penalty, double best) {
  const Threads threads(1);
  Lbfgs<T, H> optimizer(std::vector<T>(problem.num_weights()), {.penalty = penalty});
  const Loss<T> loss = problem;
  while (optimizer.progress().iteration < 2000 && optimizer.iterate(loss, threads))
    if (optimizer.progress().value <= best * (1 + 1e-6)) return optimizer.progress().iteration;
  ADD_FAILURE() << "stuck at " << optimizer.progress().value << " above " << best;
  return 0;
}

TEST(Lbfgs, IsNotSlowedDownByAHistoryInFloat) {
  double doubles = 0;
  double mixed = 0;
  double floats = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Logistic problem = random_logistic(200, 30, 100, seed);  // condition above 1e4
    const Penalty penalty{.l2 = 1e-4};
    const double best = objective<double>(problem, penalty, by_newton(problem, penalty));
    doubles += static_cast<double>(iterations_to<double>(problem, penalty, best));
    mixed += static_cast<double>(iterations_to<double, float>(problem, penalty, best));
    floats += static_cast<double>(iterations_to<float>(problem, penalty, best));
  }
  RecordProperty("iterations_double", static_cast<int>(doubles));
  RecordProperty("iterations_float_history", static_cast<int>(mixed));
  RecordProperty("iterations_float", static_cast<int>(floats));
  EXPECT_LT(mixed, 1.15 * doubles);
  EXPECT_LT(floats, 1.15 * doubles);
}

TEST(OwlQn, AgreesWithCoordinateDescent) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Logistic problem = random_logistic(100, 20, 3, seed);
    Penalty penalty{.l1 = 2, .l2 = seed % 2 == 0 ? 0.0 : 0.5};
    if (seed % 3 == 0) {
      penalty.l2_scale.assign(20, 1);
      penalty.l2_scale[0] = 0;
      penalty.l1_scale = penalty.l2_scale;
    }
    const std::vector<double> expected = by_coordinate_descent(problem, penalty, 60);
    const double best = objective<double>(problem, penalty, expected);
    const auto doubles = run<double, float>(problem, std::vector<double>(20), {.penalty = penalty});
    EXPECT_NEAR(doubles.progress().value / best, 1, 1e-8);
    const auto floats = run<float>(problem, std::vector<float>(20), {.penalty = penalty});
    EXPECT_NEAR(floats.progress().value / best, 1, 1e-6);
    for (std::size_t j = 0; j < 20; ++j) {
      EXPECT_NEAR(doubles.weights()[j], expected[j], 1e-3);
      EXPECT_EQ(doubles.weights()[j] == 0, expected[j] == 0) << "weight " << j;
    }
  }
}

TEST(OwlQn, MeetsTheOptimalityConditions) {
  const Logistic problem = random_logistic(200, 30, 10, 7);
  const Penalty penalty{.l1 = 3, .l2 = 0.1};
  const auto optimizer = run<double>(problem, std::vector<double>(30), {.penalty = penalty});
  std::vector<double> gradient(30);
  problem(optimizer.weights(), std::span(gradient));
  std::uint64_t nonzero = 0;
  for (std::size_t j = 0; j < 30; ++j) {
    const double weight = optimizer.weights()[j];
    const double smooth = gradient[j] + 2 * penalty.l2 * weight;
    if (weight == 0) {
      EXPECT_LE(std::abs(smooth), penalty.l1 + 1e-4);
    } else {
      EXPECT_NEAR(smooth, weight > 0 ? -penalty.l1 : penalty.l1, 1e-4);
      ++nonzero;
    }
  }
  EXPECT_EQ(optimizer.progress().nonzero, nonzero);
  EXPECT_GT(nonzero, 0U);
  EXPECT_LT(nonzero, 30U);
}

TEST(OwlQn, TakesTheSameStepsBesideWeightsThatStayZero) {
  constexpr std::size_t kFree = 20;
  const Logistic all = random_logistic(150, 600, 3, 11);
  Logistic free = all;
  for (std::vector<double>& row : free.rows) row.resize(kFree);
  Penalty penalty{.l1 = 1, .l2 = 0.01};
  Lbfgs<double> small(std::vector<double>(kFree), {.penalty = penalty});
  penalty.l1_scale.assign(all.num_weights(), 1e6F);
  std::fill_n(penalty.l1_scale.begin(), kFree, 1.0F);
  Lbfgs<double> large(std::vector<double>(all.num_weights()), {.penalty = penalty});
  const Threads threads(1);
  const Loss<double> loss_of_small = free;
  const Loss<double> loss_of_large = all;
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(small.iterate(loss_of_small, threads));
    ASSERT_TRUE(large.iterate(loss_of_large, threads));
    EXPECT_NEAR(large.progress().value / small.progress().value, 1, 1e-9) << "iteration " << i;
    EXPECT_EQ(large.progress().evaluations, small.progress().evaluations);
  }
}

TEST(OwlQn, LeavesEverythingZeroUnderAHugePenalty) {
  const Logistic problem = random_logistic(50, 5, 2, 3);
  const auto optimizer = run<double>(problem, std::vector<double>(5), {.penalty = {.l1 = 1e4}});
  EXPECT_EQ(optimizer.progress().nonzero, 0U);
  EXPECT_EQ(optimizer.progress().gradient_norm, 0);
  EXPECT_EQ(optimizer.progress().iteration, 0U);
}

TEST(Lbfgs, ResumesBitForBit) {
  const Logistic problem = random_logistic(100, 15, 30, 5);
  const Threads threads(1);
  for (const double l1 : {0.0, 1.0}) {
    for (const int before : {0, 1, 4, 9}) {
      const Loss<float> loss = problem;
      Lbfgs<float> whole(std::vector<float>(15), {.penalty = {.l1 = l1, .l2 = 0.01}});
      for (int i = 0; i < before; ++i) ASSERT_TRUE(whole.iterate(loss, threads));
      std::stringstream file;
      whole.save(file);
      auto resumed = Lbfgs<float>::load(file);
      for (int i = 0; i < 10; ++i)
        ASSERT_EQ(whole.iterate(loss, threads), resumed.iterate(loss, threads));
      EXPECT_EQ(whole.progress(), resumed.progress());
      EXPECT_TRUE(
          std::equal(whole.weights().begin(), whole.weights().end(), resumed.weights().begin()));
    }
  }
}

TEST(Lbfgs, RefusesADamagedCheckpoint) {
  const Logistic problem = random_logistic(20, 3, 2, 5);
  Lbfgs<float> optimizer(std::vector<float>(3));
  for (int i = 0; i < 3; ++i) optimizer.iterate(problem, Threads(1));
  std::ostringstream out;
  optimizer.save(out);
  const std::string bytes = out.str();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::istringstream in(bytes.substr(0, size));
    EXPECT_THROW(Lbfgs<float>::load(in), ModelError) << size;
  }
  std::istringstream other(bytes);
  EXPECT_THROW((Lbfgs<double, double>::load(other)), ModelError);
  for (std::size_t at = 0; at < bytes.size(); ++at) {  // no flip of a bit may crash
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    std::istringstream in(damaged);
    try {
      Lbfgs<float>::load(in);
    } catch (const ModelError&) {
    }
  }
}

TEST(Lbfgs, IsTheSameForAnyNumberOfThreads) {
  constexpr std::size_t kWeights = 200'000;
  std::vector<double> curvature(kWeights);
  for (std::size_t i = 0; i < kWeights; ++i)
    curvature[i] = 1e-6 * (1.0 + static_cast<double>(i % 97));
  for (const double l1 : {0.0, 0.01}) {
    const auto after_six = [&](unsigned num_threads) {
      const Threads threads(num_threads);
      Lbfgs<float> optimizer(std::vector<float>(kWeights), {.penalty = {.l1 = l1, .l2 = 1e-7}});
      for (int i = 0; i < 6; ++i) optimizer.iterate(quadratic<float>(curvature), threads);
      return std::vector<float>(optimizer.weights().begin(), optimizer.weights().end());
    };
    const auto single = after_six(1);
    EXPECT_EQ(single, after_six(2));
    EXPECT_EQ(single, after_six(3));
  }
}

TEST(Lbfgs, ShrinksAStepThatLeavesTheDomain) {
  // -log(w) + w, with its minimum at 1 and no value at or below 0; the first step overshoots.
  const Loss<double> loss = [](std::span<const double> w, std::span<double> gradient) {
    gradient[0] = 1 - 1 / w[0];
    return w[0] - std::log(w[0]);
  };
  EXPECT_NEAR(run<double>(loss, {0.5}, {}).weights()[0], 1, 1e-6);
  EXPECT_NEAR(run<double>(loss, {1.9}, {}).weights()[0], 1, 1e-6);
}

TEST(Lbfgs, NamesAnObjectiveThatIsNotFinite) {
  const Loss<double> never = [](std::span<const double>, std::span<double>) { return NAN; };
  const Loss<double> only_here = [](std::span<const double> w, std::span<double> gradient) {
    gradient[0] = 1;
    return w[0] == 0 ? 0.0 : INFINITY;
  };
  const auto message = [](const Loss<double>& loss, double l1) -> std::string {
    try {
      Lbfgs<double>({0.0}, {.penalty = {.l1 = l1}, .max_trials = 3}).iterate(loss, Threads(1));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "E310");
      return error.what();
    }
    return "nothing thrown";
  };
  EXPECT_EQ(message(never, 0), "the objective is nan at iteration 0, step 0");
  EXPECT_EQ(message(only_here, 0), "the objective is inf at iteration 0, step 0.01");
  EXPECT_EQ(message(only_here, 0.5), "the objective is inf at iteration 0, step 0.5");
}

TEST(Lbfgs, StopsWhereTheGradientIsZero) {
  Lbfgs<double> optimizer(std::vector<double>{0, 1, 2});
  EXPECT_FALSE(optimizer.iterate(quadratic<double>({1, 1, 1}), Threads(1)));
  EXPECT_EQ(optimizer.progress().iteration, 0U);
}

TEST(Lbfgs, AcceptsNoWeightsAtAll) {
  Lbfgs<float> optimizer(std::vector<float>{});
  EXPECT_FALSE(optimizer.iterate(quadratic<float>({}), Threads(2)));
}

TEST(Lbfgs, RefusesOptionsOutOfRange) {
  const auto message = [](LbfgsOptions options) -> std::string {
    try {
      const Lbfgs<float> optimizer(std::vector<float>(2), std::move(options));
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing thrown";
  };
  EXPECT_EQ(message({.penalty = {.l2_scale = {1}}}), "L-BFGS: 1 penalty scales for 2 weights");
  EXPECT_EQ(message({.history = 0}), "L-BFGS: a history of 0 pairs is not in 1..1000");
  EXPECT_EQ(message({.penalty = {.l2 = -1}}),
            "L-BFGS: penalties must be finite and not negative, found l1 = 0, l2 = -1");
}

TEST(StoppingRule, WaitsForAPeriodWithoutEnoughDecrease) {
  StoppingRule rule({.delta = 0.1, .period = 2, .epsilon = 0});
  const auto observe = [&](double value) {
    return rule.observe({.value = value, .gradient_norm = 1});
  };
  EXPECT_EQ(observe(100), StopReason::kNone);
  EXPECT_EQ(observe(50), StopReason::kNone);
  EXPECT_EQ(observe(49), StopReason::kNone);       // 100 -> 49
  EXPECT_EQ(observe(48), StopReason::kConverged);  // 50 -> 48 is 4%
  EXPECT_EQ(rule.values(), (std::vector<double>{49, 48}));
}

TEST(StoppingRule, KnowsSmallGradientsAndLimits) {
  StoppingRule rule({.max_iterations = 3, .epsilon = 1e-3});
  EXPECT_EQ(rule.observe({.iteration = 1, .gradient_norm = 1}), StopReason::kNone);
  EXPECT_EQ(rule.observe({.iteration = 2, .gradient_norm = 0.09, .weight_norm = 100}),
            StopReason::kSmallGradient);
  EXPECT_EQ(rule.observe({.iteration = 3, .gradient_norm = 1}), StopReason::kMaxIterations);
  EXPECT_EQ(name(StopReason::kMaxIterations), "iteration limit");
}

}  // namespace
}  // namespace coppice::learn

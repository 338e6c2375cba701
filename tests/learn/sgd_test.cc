// Lazy stochastic steps equal the dense, eager ones, and reach the optimum.
#include "learn/sgd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "learn/random_logistic.h"

namespace coppice::learn {
namespace {

constexpr std::size_t kWeights = 12;

// A sparse gradient that depends on the weights it touches: each index at most once.
template <class Weight, class Update>
void random_step(Random& random, const Weight& weight, const Update& update) {
  std::vector<std::pair<std::size_t, double>> gradient;
  for (std::size_t i = 0; i < kWeights; ++i)
    if (random.uniform() < 0.2) {
      const double target = 2 * random.uniform() - 0.5;
      gradient.emplace_back(i, weight(i) - target);
    }
  for (const auto& [i, g] : gradient) update(i, g);
}

struct Case {
  StochasticOptions options;
  std::uint64_t seed;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    for (const auto& [l1, l2] : {std::pair{0.0, 0.0}, {0.0, 2.0}, {1.0, 0.0}, {1.0, 2.0}})
      all.push_back({{.step = 0.2, .l1 = l1, .l2 = l2, .examples = 20}, seed});
  return all;
}

TEST(Sgd, EqualsTheEagerSteps) {
  for (const Case& test : cases()) {
    const auto& options = test.options;
    if (options.l1 > 0 && options.l2 > 0) continue;  // the order of the two shrinkings differs
    SCOPED_TRACE(::testing::Message() << "seed " << test.seed << " l1 " << options.l1);
    Random lazy_random(test.seed);
    Random eager_random(test.seed);
    Sgd<double> lazy(std::vector<double>(kWeights, 0.3), options);
    std::vector<double> w(kWeights, 0.3), received(kWeights, 0.0);
    double owed = 0;
    for (int t = 0; t < 300; ++t) {
      random_step(
          lazy_random, [&](std::size_t i) { return lazy.weight(i); },
          [&](std::size_t i, double g) { lazy.update(i, g); });
      lazy.finish();
      const double rate = 2 * options.l2 / options.examples;
      const double eta = options.step / (1 + options.step * rate * t);
      std::vector<double> moved = w;
      for (double& weight : moved) weight *= 1 - eta * rate;
      random_step(
          eager_random, [&](std::size_t i) { return w[i]; },
          [&](std::size_t i, double g) { moved[i] -= eta * g; });
      w = moved;
      owed += eta * options.l1 / options.examples;
      for (std::size_t i = 0; i < kWeights && options.l1 > 0; ++i) {  // every weight, every step
        const double before = w[i];
        if (w[i] > 0)
          w[i] = std::max(0.0, w[i] - (owed + received[i]));
        else if (w[i] < 0)
          w[i] = std::min(0.0, w[i] + (owed - received[i]));
        received[i] += w[i] - before;
      }
      for (std::size_t i = 0; i < kWeights; ++i) ASSERT_NEAR(lazy.weight(i), w[i], 1e-9) << t;
    }
    EXPECT_EQ(lazy.weights()[3], lazy.weight(3));
  }
}

TEST(Sgd, AveragesAsIfEveryStepWereKept) {
  for (const double l2 : {0.0, 4.0, 40.0}) {
    Random random(3);
    Sgd<double> sgd(std::vector<double>(kWeights, 0.5),
                    {.step = 0.1, .l2 = l2, .examples = 20, .averaging = true});
    EXPECT_EQ(sgd.averaged_weights(), sgd.weights());
    std::vector<double> sum(kWeights, 0.0);
    for (int t = 0; t < 400; ++t) {
      random_step(
          random, [&](std::size_t i) { return sgd.weight(i); },
          [&](std::size_t i, double g) { sgd.update(i, g); });
      sgd.finish();
      for (std::size_t i = 0; i < kWeights; ++i) sum[i] += sgd.weight(i);
    }
    for (std::size_t i = 0; i < kWeights; ++i)
      ASSERT_NEAR(sgd.averaged_weights()[i], sum[i] / 400, 1e-9);
  }
}

TEST(Sgd, LosesNothingWhenTheCommonFactorIsRenewed) {
  // Without gradients the decays telescope: (1 - a) / (1 + a (t - 1)) is left after t steps.
  constexpr double kRate = 0.4;
  Sgd<double> sgd({1.0}, {.step = 0.1, .l2 = 40, .examples = 20, .averaging = true});
  double sum = 0;
  for (int t = 1; t <= 2'000'000; ++t) {  // below 1e-6 after 1.5 million
    sgd.finish();
    sum += (1 - kRate) / (1 + kRate * (t - 1));
  }
  EXPECT_NEAR(sgd.weight(0) * (1 + kRate * 1'999'999) / (1 - kRate), 1, 1e-8);
  EXPECT_NEAR(sgd.averaged_weights()[0] / (sum / 2e6), 1, 1e-8);
}

TEST(AdaGrad, EqualsTheEagerSteps) {
  for (const Case& test : cases()) {
    const auto& options = test.options;
    SCOPED_TRACE(::testing::Message()
                 << "seed " << test.seed << " l1 " << options.l1 << " l2 " << options.l2);
    Random lazy_random(test.seed);
    Random eager_random(test.seed);
    AdaGrad<double> lazy(std::vector<double>(kWeights, 0.3), options);
    std::vector<double> w(kWeights, 0.3), squares(kWeights, 0.0);
    for (int t = 0; t < 300; ++t) {
      random_step(
          lazy_random, [&](std::size_t i) { return lazy.weight(i); },
          [&](std::size_t i, double g) { lazy.update(i, g); });
      lazy.finish();
      random_step(
          eager_random, [&](std::size_t i) { return w[i]; },
          [&](std::size_t i, double g) {
            squares[i] += g * g;
            w[i] -= options.step / (1 + std::sqrt(squares[i])) * g;
          });
      for (std::size_t i = 0; i < kWeights; ++i) {
        const double step = options.step / (1 + std::sqrt(squares[i])) / options.examples;
        const double size = std::max(0.0, std::abs(w[i]) - options.l1 * step);
        w[i] = std::copysign(size / (1 + 2 * options.l2 * step), w[i]);
      }
      for (std::size_t i = 0; i < kWeights; ++i) ASSERT_NEAR(lazy.weight(i), w[i], 1e-9) << t;
    }
  }
}

template <class Optimizer>
double train(const testing::Logistic& problem, StochasticOptions options, int epochs) {
  Random random(1);
  Optimizer optimizer(std::vector<float>(problem.num_weights()), options);
  for (int t = 0; t < epochs * static_cast<int>(problem.rows.size()); ++t) {
    const std::size_t row = random.below(problem.rows.size());
    const auto w = optimizer.weights();
    const double slope =
        testing::Logistic::slope(problem.margin(row, std::vector<double>(w.begin(), w.end())));
    for (std::size_t j = 0; j < w.size(); ++j)
      optimizer.update(j, slope * problem.labels[row] * problem.rows[row][j]);
    optimizer.finish();
  }
  const auto w = optimizer.weights();
  return testing::objective<float>(problem, {.l1 = options.l1, .l2 = options.l2}, w);
}

TEST(Stochastic, ConvergesWithEveryPenalty) {
  const auto problem = testing::random_logistic(200, 10, 2, 1);
  for (const auto& [l1, l2] : {std::pair{0.0, 1.0}, {4.0, 0.0}, {4.0, 1.0}}) {
    SCOPED_TRACE(::testing::Message() << "l1 " << l1 << " l2 " << l2);
    const Penalty penalty{.l1 = l1, .l2 = l2};
    const double best = testing::objective<double>(
        problem, penalty, testing::by_coordinate_descent(problem, penalty, 50));
    const StochasticOptions options{.step = 0.02, .l1 = l1, .l2 = l2, .examples = 200};
    EXPECT_LT(train<Sgd<float>>(problem, options, 60), best * 1.01);
    StochasticOptions longer = options;
    longer.step = 0.3;
    EXPECT_LT(train<AdaGrad<float>>(problem, longer, 60), best * 1.01);
  }
}

template <class Optimizer>
void expect_resumes(StochasticOptions options) {
  const auto steps = [&](Optimizer& optimizer, Random draws) {
    for (int t = 0; t < 40; ++t) {
      random_step(
          draws, [&](std::size_t i) { return optimizer.weight(i); },
          [&](std::size_t i, double g) { optimizer.update(i, g); });
      optimizer.finish();
    }
  };
  Optimizer whole(std::vector<float>(kWeights), options);
  steps(whole, Random(1));
  std::stringstream file;
  whole.save(file);
  const std::string bytes = file.str();
  Optimizer resumed = Optimizer::load(file);
  steps(whole, Random(2));
  steps(resumed, Random(2));
  EXPECT_EQ(whole.weights(), resumed.weights());
  EXPECT_EQ(whole.steps(), resumed.steps());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::istringstream cut(bytes.substr(0, size));
    EXPECT_THROW(Optimizer::load(cut), ModelError);
  }
}

TEST(Stochastic, ResumesBitForBitAndRefusesACutCheckpoint) {
  expect_resumes<Sgd<float>>({.l1 = 1, .l2 = 1, .examples = 10});
  expect_resumes<Sgd<float>>({.l2 = 1, .examples = 10, .averaging = true});
  expect_resumes<AdaGrad<float>>({.l1 = 1, .l2 = 1, .examples = 10});
}

TEST(Stochastic, RefusesOptionsOutOfRange) {
  const auto message = [](StochasticOptions options) -> std::string {
    try {
      const Sgd<float> sgd({}, options);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing thrown";
  };
  EXPECT_EQ(message({.step = 0}), "stochastic steps: step 0 must be above 0");
  EXPECT_EQ(message({.l1 = 1, .averaging = true}), "sgd: averaging does not go with l1");
  EXPECT_EQ(message({.step = 1, .l2 = 1}), "sgd: step 1 is too long for l2 = 1 over 1 examples");
}

TEST(CalibrateStep, FindsTheBestPowerOfTwo) {
  const auto bowl = [](double best) {
    return [best](double step) { return std::abs(std::log(step / best)); };
  };
  EXPECT_DOUBLE_EQ(calibrate_step(bowl(0.1)), 0.1);
  EXPECT_DOUBLE_EQ(calibrate_step(bowl(1.6)), 1.6);
  EXPECT_DOUBLE_EQ(calibrate_step(bowl(0.0125)), 0.0125);
  EXPECT_DOUBLE_EQ(calibrate_step([](double step) { return step > 0.03 ? NAN : -step; }), 0.025);
}

TEST(CalibrateStep, SaysWhenNothingIsFinite) {
  try {
    calibrate_step([](double) { return NAN; });
    FAIL() << "expected Error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no step size gave a finite objective; the first tried was 0.1");
  }
}

}  // namespace
}  // namespace coppice::learn

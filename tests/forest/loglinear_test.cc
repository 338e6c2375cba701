// Log-linear models: gradients by parameters and by the scale, and the Hessian of ln Z.
#include "coppice/forest/loglinear.h"

#include <gtest/gtest.h>

#include "coppice/base/error.h"
#include "coppice/forest/entropy.h"
#include "coppice/forest/marginals.h"
#include "support/distribution.h"
#include "support/shapes.h"

namespace coppice {
namespace {

constexpr double kScale = 1.3;
constexpr double kStep = 1e-5;

struct Model {
  explicit Model(const testing::Example& example) : forest(example.forest) {
    for (EdgeId edge : forest.edges()) {
      const auto first = static_cast<FeatureId>(index(edge) % 4);
      features.add_edge({{first, example.values[edge] / 4}, {FeatureId{1}, 0.5}});
    }
    theta.resize(std::max<std::size_t>(features.num_features(), 2));
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] = 0.3 * static_cast<double>(i) - 0.4;
  }
  EdgeMap<double> scores(double scale = kScale) const {
    return log_linear_scores(features, theta, scale);
  }
  const Forest& forest;
  EdgeFeatures features;
  std::vector<double> theta;
};

// d f(theta) / d theta_i by central differences, f a vector or a number.
template <class F>
auto moved(Model model, std::size_t i, double step, F f) {
  model.theta[i] += step;
  return f(model);
}

TEST(LogLinear, GradientsByThetaAndScaleMatchCentralDifferences) {
  testing::for_each_example([](const testing::Example& example) {
    const Model model(example);
    const auto value = [](const Model& m) { return entropy(m.forest, m.scores()); };
    const auto edges = entropy_gradient(model.forest, model.scores()).gradient;
    const auto gradient = feature_gradient(model.features, edges, kScale);
    double by_theta = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const double expected =
          (moved(model, i, kStep, value) - moved(model, i, -kStep, value)) / (2 * kStep);
      ASSERT_NEAR(gradient[i], expected, 1e-6);
      by_theta += model.theta[i] * gradient[i] / kScale;
    }
    const double by_scale = scale_derivative(model.scores(), edges, kScale);
    const double above = entropy(model.forest, model.scores(kScale + kStep));
    const double below = entropy(model.forest, model.scores(kScale - kStep));
    ASSERT_NEAR(by_scale, (above - below) / (2 * kStep), 1e-6);
    ASSERT_NEAR(by_scale, by_theta, 1e-9);
  });
}

TEST(LogLinear, HessianMatchesDifferencesOfTheGradient) {
  testing::for_each_example([](const testing::Example& example) {
    const Model model(example);
    const auto gradient = [](const Model& m) {
      return feature_gradient(m.features, edge_marginals(m.forest, m.scores()), kScale);
    };
    const auto hessian =
        log_partition_hessian(model.forest, model.scores(), model.features, kScale);
    std::vector<double> direction(hessian.size), product(hessian.size, 0.0);
    for (std::size_t i = 0; i < hessian.size; ++i) {
      const auto above = moved(model, i, kStep, gradient);
      const auto below = moved(model, i, -kStep, gradient);
      direction[i] = static_cast<double>(i) - 1.5;
      for (std::size_t j = 0; j < hessian.size; ++j) {
        ASSERT_NEAR(hessian(i, j), (above[j] - below[j]) / (2 * kStep), 1e-5);
        product[j] += direction[i] * hessian(i, j);
      }
    }
    const auto found = log_partition_hessian_product(model.forest, model.scores(), model.features,
                                                     direction, kScale);
    for (std::size_t i = 0; i < product.size(); ++i) ASSERT_NEAR(found[i], product[i], 1e-8);
  });
}

TEST(LogLinear, NeedsAParameterForEveryFeature) {
  EdgeFeatures features;
  features.add_edge({{FeatureId{4}, 1.0}});
  try {
    log_linear_scores(features, std::vector<double>(2));
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "log-linear model: 2 parameters for 5 features");
  }
}

TEST(LogLinear, ScaleDerivativeLeavesOutForbiddenEdges) {
  EdgeMap<double> scores(2, 1.0), gradient(2, 0.0);
  scores[EdgeId{0}] = -std::numeric_limits<double>::infinity();
  gradient[EdgeId{1}] = 3.0;
  EXPECT_EQ(scale_derivative(scores, gradient, 2.0), 1.5);
}

}  // namespace
}  // namespace coppice

#include "learn/stiffness.h"

#include <gtest/gtest.h>

namespace coppice::learn {
namespace {

BoostingStep step_of(float descent, double added) {
  BoostingStep step;
  step.add(descent, added);
  return step;
}

TEST(Stiffness, IsHowManyTimesAsMuchAParabolaBends) {
  constexpr float kDescent = 0.25f;
  constexpr double kAdded = 0.5, kBends = 3.0 * 0.25 * 0.75;  // three times what the pair does
  Stiffness stiffness;
  stiffness.evaluated(1);
  EXPECT_EQ(stiffness.factor(), 1);
  stiffness.stepped(step_of(kDescent, kAdded), true);
  stiffness.evaluated(1 - kDescent * kAdded + kBends * kAdded * kAdded / 2);
  EXPECT_NEAR(stiffness.factor(), 3, 1e-6);
}

// After a step that raised the objective by `rise`.
Stiffness after_step(double added, double rise) {
  Stiffness stiffness;
  stiffness.evaluated(1);
  stiffness.stepped(step_of(0.25f, added), true);
  stiffness.evaluated(1 + rise);
  return stiffness;
}

TEST(Stiffness, IsKeptWhereTheObjectiveChanged) {
  Stiffness stiffness = after_step(0.5, 0);
  const double before = stiffness.factor();
  EXPECT_GT(before, 1);
  stiffness.stepped(step_of(0.25f, 0.5), false);
  stiffness.evaluated(7);
  EXPECT_EQ(stiffness.factor(), before);
}

// Else a training that once took steps too short to measure would never take others.
TEST(Stiffness, ShrinksWhereStepsAreTooShortToMeasure) {
  Stiffness stiffness = after_step(0.01, 1);
  const double before = stiffness.factor();
  EXPECT_GT(before, 100);
  stiffness.stepped(step_of(0.25f, 1e-6), true);
  stiffness.evaluated(2);
  EXPECT_EQ(stiffness.factor(), before / 2);
}

TEST(Stiffness, LeavesNoPairWithoutCurvature) {
  EXPECT_NEAR(cell_curvature(-0.25f), 0.25 * 0.75, 1e-7);
  for (const float descent : {0.95f, 1.0f, -1.0f, 7.0f}) EXPECT_GT(cell_curvature(descent), 0);
}

}  // namespace
}  // namespace coppice::learn

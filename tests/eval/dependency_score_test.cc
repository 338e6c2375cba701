#include "coppice/eval/dependency_score.h"

#include <gtest/gtest.h>

#include <vector>

namespace coppice::eval {
namespace {

using text::PargDependency;

PargDependency dependency(std::uint32_t functor, std::uint32_t slot, std::uint32_t argument,
                          const char* category = "V") {
  PargDependency made;
  made.functor = functor;
  made.slot = slot;
  made.argument = argument;
  made.category = category;
  return made;
}

TEST(DependencyScore, CountsLabelledAndUnlabelledSets) {
  const std::vector<PargDependency> gold = {dependency(1, 1, 0), dependency(1, 2, 2)};
  const std::vector<PargDependency> predicted = {dependency(1, 1, 0), dependency(1, 1, 0),
                                                 dependency(1, 3, 2), dependency(2, 1, 1),
                                                 dependency(1, 1, 0, "W")};
  DependencyScorer scorer;
  scorer.add(gold, predicted);
  EXPECT_EQ(scorer.labelled(), (Counts{.gold = 2, .predicted = 4, .correct = 1}));
  // (1, 0), (1, 2), (2, 1): an ordered pair.
  EXPECT_EQ(scorer.unlabelled(), (Counts{.gold = 2, .predicted = 3, .correct = 2}));
  EXPECT_EQ(scorer.exact(), 0U);
}

TEST(DependencyScore, CountsFailuresAsMissingOnlyWhereItSaysSo) {
  const std::vector<PargDependency> gold = {dependency(1, 1, 0)};
  DependencyScorer scorer;
  scorer.add(gold, gold);
  scorer.add_failure(gold);
  EXPECT_DOUBLE_EQ(scorer.labelled().f1(), 1);
  EXPECT_DOUBLE_EQ(scorer.labelled_of_all().recall(), 0.5);
  EXPECT_DOUBLE_EQ(scorer.unlabelled_of_all().recall(), 0.5);
  EXPECT_DOUBLE_EQ(scorer.coverage(), 0.5);
  EXPECT_EQ(scorer.exact(), 1U);
}

TEST(DependencyScore, CountsSupertags) {
  DependencyScorer scorer;
  EXPECT_EQ(scorer.supertag_accuracy(), 0);
  EXPECT_EQ(scorer.coverage(), 0);
  const std::vector<std::string_view> gold = {"N", "V"}, predicted = {"N", "N"};
  scorer.add_supertags(gold, predicted);
  EXPECT_DOUBLE_EQ(scorer.supertag_accuracy(), 0.5);
}

}  // namespace
}  // namespace coppice::eval

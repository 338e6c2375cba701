// Objectives against enumeration and central differences, and the identities between them.
#include "coppice/learn/objective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "coppice/base/error.h"
#include "coppice/forest/entropy.h"
#include "coppice/learn/annealing.h"
#include "coppice/learn/measure.h"
#include "coppice/span/parse.h"
#include "learn/annotated.h"
#include "support/distribution.h"
#include "support/shapes.h"

namespace coppice::learn {
namespace {

using testing::EdgeList;

TEST(Objective, AgreesWithEnumerationAndCentralDifferences) {
  for (const Objective& objective : objectives()) {
    SCOPED_TRACE(name(objective.kind));
    for_each_annotated([&](const Annotated& example) {
      const auto cost = [&](const EdgeList& d) { return testing::total(d, example.target.losses); };
      const auto found = evaluate(objective, example.forest, example.scores, example.target);
      ASSERT_NEAR(found.value, example.value(objective, example.scores, cost), 1e-9);
      testing::expect_central_differences(
          example.scores, found.gradient,
          [&](const EdgeMap<double>& at) { return example.value(objective, at, cost); });
    });
  }
}

TEST(Objective, IsExactForALossOfCountsOnTheSplitForest) {
  for (const Objective& objective : objectives()) {
    SCOPED_TRACE(name(objective.kind));
    for_each_annotated([&](const Annotated& example) {
      const auto cost = [&](const EdgeList& d) { return example.f1_loss(example.counts_of(d)); };
      const SplitForest split = split_by_counts(example.forest, example.counts);
      const auto found = evaluate(objective, split, example.scores, example.target.gold,
                                  [&](Counts sum) { return example.f1_loss(sum); });
      ASSERT_NEAR(found.value, example.value(objective, example.scores, cost), 1e-9);
      testing::expect_central_differences(
          example.scores, found.gradient,
          [&](const EdgeMap<double>& at) { return example.value(objective, at, cost); });
    });
  }
}

// The parses of a sentence, annotated with one of its trees; items are labelled constituents.
Annotated parsed_sentence(std::uint64_t seed) {
  const span::Grammar grammar = span::parse_grammar(
      "S -> 'we' VP\n VP -> 'saw' NP | VP PP\n NP -> 'men' | 'parks' | NP PP | NP 'and' NP\n"
      "PP -> 'in' NP\n");
  const std::vector<std::string> words{"we", "saw",   "men", "and",  "men",
                                       "in", "parks", "in",  "parks"};
  const span::ParseResult parsed = span::parse(grammar, words);
  testing::Example example(0);
  example.forest = parsed.forest;
  example.scores = testing::random_scores(parsed.forest, seed);
  example.values = EdgeMap<double>(parsed.forest.num_edges(), 0.0);
  example.listed = testing::distribution(example.forest, example.scores);
  Annotated sentence(example, seed);
  const EdgeList& gold = example.listed.support[seed % example.listed.support.size()];
  NodeMap<unsigned char> is_gold(parsed.forest.num_nodes(), 0);
  sentence.target.gold = EdgeMap<unsigned char>(parsed.forest.num_edges(), 0);
  for (EdgeId edge : gold) {
    sentence.target.gold[edge] = 1;
    is_gold[parsed.forest.head(edge)] = 1;
  }
  for (EdgeId edge : parsed.forest.edges()) {
    const NodeId node = parsed.forest.head(edge);
    const bool is_item = parsed.nodes[node].kind == span::NodeKind::kNonterminal;
    sentence.counts[edge] = {is_item && is_gold[node] != 0 ? 1u : 0u, is_item ? 1u : 0u};
  }
  return sentence;
}

TEST(Objective, IsExactForTheConstituentsOfAGrammar) {
  for (const Objective& objective : objectives()) {
    SCOPED_TRACE(name(objective.kind));
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      Annotated sentence = parsed_sentence(seed);
      ASSERT_GE(sentence.listed.support.size(), 9u);
      std::uint32_t wanted = 0;
      for (EdgeId edge : sentence.forest.edges()) {
        if (sentence.target.gold[edge] != 0) wanted += sentence.counts[edge].n;
      }
      const auto of_counts = [&](Counts sum) { return loss(Measure{}, sum, wanted); };
      const SplitForest split = split_by_counts(sentence.forest, sentence.counts);
      const auto exact =
          evaluate(objective, split, sentence.scores, sentence.target.gold, of_counts);
      const auto cost = [&](const EdgeList& d) { return of_counts(sentence.counts_of(d)); };
      ASSERT_NEAR(exact.value, sentence.value(objective, sentence.scores, cost), 1e-9);
      testing::expect_central_differences(
          sentence.scores, exact.gradient,
          [&](const EdgeMap<double>& at) { return sentence.value(objective, at, cost); });
      const EdgeMap<std::uint32_t> none(sentence.forest.num_edges(), 0u);
      sentence.target.losses = decomposed_loss(sentence.counts, none, kPrecisionErrors);
      const auto wrong = [&](const EdgeList& d) {
        const Counts sum = sentence.counts_of(d);
        return static_cast<double>(sum.d - sum.n);
      };
      const auto added = evaluate(objective, sentence.forest, sentence.scores, sentence.target);
      ASSERT_NEAR(added.value, sentence.value(objective, sentence.scores, wrong), 1e-9);
    }
  }
}

TEST(Objective, SoftmaxMarginWithoutLossIsLikelihoodAndBoundsTheRisk) {
  for_each_annotated([](const Annotated& example) {
    const auto at = [&](const Objective& objective) {
      return evaluate(objective, example.forest, example.scores, example.target);
    };
    const auto likelihood = at({.kind = ObjectiveKind::kLikelihood});
    const auto unscaled = at({.kind = ObjectiveKind::kSoftmaxMargin, .loss_scale = 0});
    ASSERT_EQ(unscaled.value, likelihood.value);
    ASSERT_EQ(unscaled.gradient, likelihood.gradient);
    const double risk = at({.kind = ObjectiveKind::kRisk}).value;
    const double margin = at({.kind = ObjectiveKind::kSoftmaxMargin}).value;
    ASSERT_GE(margin, risk - 1e-9);
  });
}

TEST(Objective, AnnealedRiskEndsAsRisk) {
  for_each_annotated([](const Annotated& example) {
    const auto risk =
        evaluate({.kind = ObjectiveKind::kRisk}, example.forest, example.scores, example.target);
    const auto annealed = evaluate({.kind = ObjectiveKind::kAnnealedRisk}, example.forest,
                                   example.scores, example.target);
    ASSERT_EQ(annealed.value, risk.value);
    ASSERT_EQ(annealed.gradient, risk.gradient);
  });
}

// -E_t[ln p], t the distribution that other scores give.
TEST(Objective, TeacherIsTheCrossEntropyToItsDistribution) {
  for_each_annotated([](const Annotated& example) {
    EdgeMap<double> other = example.scores;
    for (double& score : other.values()) score *= -0.5;
    Target target;
    target.teacher = EdgeMap<double>(example.forest.num_edges(), 0.0);
    const auto none = [](const EdgeList&) { return 0.0; };
    const double teacher_z = example.log_sum(other, false, none);
    for (const EdgeList& d : example.listed.support) {
      const double t = std::exp(testing::total(d, other) - teacher_z);
      for (EdgeId edge : d) target.teacher[edge] += t;
    }
    const auto value = [&](const EdgeMap<double>& at) {
      const double log_z = example.log_sum(at, false, none);
      double sum = 0;
      for (const EdgeList& d : example.listed.support) {
        sum -= std::exp(testing::total(d, other) - teacher_z) * (testing::total(d, at) - log_z);
      }
      return sum;
    };
    const auto found =
        evaluate({.kind = ObjectiveKind::kTeacher}, example.forest, example.scores, target);
    ASSERT_NEAR(found.value, value(example.scores), 1e-9);
    testing::expect_central_differences(example.scores, found.gradient, value);
  });
}

TEST(Objective, PartsAreDecisionsOfTheirOwn) {
  for_each_annotated([](const Annotated& example) {
    const auto value = [&](const EdgeMap<double>& at) {
      double sum = 0;
      for (EdgeId edge : example.forest.edges()) {
        const double sign = example.target.gold[edge] != 0 ? 1 : -1;
        sum += std::log(1 + std::exp(-sign * at[edge]));
      }
      return sum;
    };
    const auto found =
        evaluate({.kind = ObjectiveKind::kParts}, example.forest, example.scores, example.target);
    ASSERT_NEAR(found.value, value(example.scores), 1e-9);
    testing::expect_central_differences(example.scores, found.gradient, value);
  });
}

TEST(Objective, PartsStayFiniteForLargeScores) {
  const Forest forest = testing::one_leaf();
  const Target wrong{EdgeMap<unsigned char>(1, 0), {}, {}};
  const auto found =
      evaluate({.kind = ObjectiveKind::kParts}, forest, EdgeMap<double>(1, 1e4), wrong);
  EXPECT_EQ(found.value, 1e4);
  EXPECT_EQ(found.gradient[EdgeId{0}], 1);
}

TEST(Objective, RefusesWhatTheScoresForbid) {
  const Forest forest = testing::one_leaf();
  const EdgeMap<double> never(1, -std::numeric_limits<double>::infinity());
  Target target{EdgeMap<unsigned char>(1, 1), {}, EdgeMap<double>(1, 1.0)};
  EXPECT_THROW(evaluate({.kind = ObjectiveKind::kParts}, forest, never, target), InvalidArgument);
  EXPECT_THROW(evaluate({.kind = ObjectiveKind::kTeacher}, forest, never, target), InvalidArgument);
  target.teacher[EdgeId{0}] = -1;
  EXPECT_THROW(evaluate({.kind = ObjectiveKind::kTeacher}, forest, EdgeMap<double>(1, 0.0), target),
               InvalidArgument);
}

TEST(Objective, RefusesThePseudoLikelihoodOfAForest) {
  EXPECT_THROW(evaluate({.kind = ObjectiveKind::kPseudoLikelihood}, testing::one_leaf(),
                        EdgeMap<double>(1, 0.0), {EdgeMap<unsigned char>(1, 1), {}, {}}),
               InvalidArgument);
}

TEST(Objective, SaysThatTheAnnotationAllowsNothing) {
  const Forest forest = testing::one_leaf();
  try {
    evaluate({}, forest, EdgeMap<double>(1, 0.0), {EdgeMap<unsigned char>(1, 0), {}, {}});
    FAIL() << "expected InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.code(), "E302");
    EXPECT_STREQ(error.what(), "the annotation allows no derivation of positive weight");
  }
  EXPECT_THROW(
      evaluate({.kind = ObjectiveKind::kSoftmaxMargin, .loss_scale = -1}, forest,
               EdgeMap<double>(1, 0.0), {EdgeMap<unsigned char>(1, 1), EdgeMap<double>(1, 0.0)}),
      InvalidArgument);
  EXPECT_THROW(evaluate({}, SplitForest{}, {}, {}, [](Counts) { return 0.0; }), InvalidArgument);
}

TEST(Objective, HasNamesThatReadBack) {
  std::set<std::string_view> names;
  for (const Objective& objective : objectives()) {
    EXPECT_EQ(objective_kind(name(objective.kind)), objective.kind);
    names.insert(name(objective.kind));
  }
  EXPECT_EQ(names.size(), 5u);
  for (const char* other : {"pseudo", "teacher", "parts"}) {
    ASSERT_TRUE(objective_kind(other).has_value()) << other;
    EXPECT_EQ(name(*objective_kind(other)), other);
  }
  EXPECT_FALSE(objective_kind("margin").has_value());
}

TEST(Measure, CountsNothingAnsweredAsNothingWrong) {
  const Measure precision{.kind = Measure::Kind::kPrecision};
  const Measure recall{.kind = Measure::Kind::kRecall};
  EXPECT_EQ(loss(precision, {0, 0}, 5), 0);
  EXPECT_EQ(loss(precision, {1, 4}, 5), 0.75);
  EXPECT_EQ(loss(recall, {0, 3}, 0), 0);
  EXPECT_EQ(loss(recall, {1, 4}, 5), 0.8);
  EXPECT_EQ(loss(Measure{}, {3, 4}, 6), 1 - 0.6);
  EXPECT_EQ(loss(Measure{}, {0, 0}, 0), 0);
}

TEST(Measure, DecomposesIntoCostsOfEdges) {
  const EdgeMap<Counts> counts(std::vector<Counts>{{1, 1}, {0, 2}, {0, 0}, {1, 1}});
  const EdgeMap<std::uint32_t> gold(std::vector<std::uint32_t>{1, 1, 2, 0});
  const auto losses = [&](const ErrorCosts& costs) {
    const auto table = decomposed_loss(counts, gold, costs);
    return std::vector<double>(table.values().begin(), table.values().end());
  };
  EXPECT_EQ(losses(kPrecisionErrors), (std::vector<double>{0, 2, 0, 0}));
  EXPECT_EQ(losses(kRecallErrors), (std::vector<double>{0, 1, 2, 0}));
  EXPECT_EQ(losses(kAllErrors), (std::vector<double>{0, 3, 2, 0}));
  EXPECT_EQ(losses({.false_positive = 1, .false_negative = 5}), (std::vector<double>{0, 7, 10, 0}));
  EXPECT_THROW(losses({.false_positive = -1, .false_negative = 5}), InvalidArgument);
}

TEST(AnnealingSchedule, CoolsAndThenSharpens) {
  const AnnealingSchedule schedule{.temperature = 1, .least_temperature = 0.3, .largest_scale = 4};
  ASSERT_EQ(schedule.num_stages(), 5u);
  const double temperatures[] = {1, 0.5, 0, 0, 0, 0};
  const double scales[] = {1, 1, 1, 2, 4, 4};
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(schedule.stage(k).temperature, temperatures[k]) << k;
    EXPECT_EQ(schedule.stage(k).scale, scales[k]) << k;
  }
  const AnnealingSchedule cold{.temperature = 0};
  EXPECT_EQ(cold.num_stages(), 1u);
  EXPECT_THROW((AnnealingSchedule{.cooling = 1}.check()), InvalidArgument);
}

}  // namespace
}  // namespace coppice::learn

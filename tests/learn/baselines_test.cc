// Lists of derivations, MERT and minimum-risk decoding against search through all derivations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "coppice/base/error.h"
#include "coppice/forest/kbest.h"
#include "coppice/forest/risk.h"
#include "coppice/learn/derivation_list.h"
#include "coppice/learn/measure.h"
#include "coppice/learn/mert.h"
#include "coppice/learn/min_risk.h"
#include "coppice/learn/objective.h"
#include "support/distribution.h"
#include "support/shapes.h"

namespace coppice::learn {
namespace {

using testing::EdgeList;

EdgeMap<Counts> random_counts(const Forest& forest, std::uint64_t seed) {
  Random random(seed, 4);
  EdgeMap<Counts> counts(forest.num_edges(), {});
  for (Counts& edge : counts.values()) {
    edge.d = static_cast<std::uint32_t>(random.below(3));
    edge.n = static_cast<std::uint32_t>(random.below(edge.d + 1));
  }
  return counts;
}

Counts counts_of(const EdgeList& derivation, const EdgeMap<Counts>& counts) {
  Counts sum;
  for (EdgeId edge : derivation) sum = sum + counts[edge];
  return sum;
}

TEST(DerivationList, OfAllDerivationsHasTheRiskOfTheForest) {
  testing::for_each_example([](const testing::Example& example) {
    const DerivationList list(k_best(example.forest, example.scores, 1000));
    ASSERT_EQ(list.derivations.size(), example.listed.support.size());
    const auto listed =
        risk_gradient(list.forest, list.sums(example.scores), list.sums(example.values));
    const auto spread = list.spread(listed, example.forest.num_edges());
    const auto whole = risk_gradient(example.forest, example.scores, example.values);
    ASSERT_NEAR(spread.value, whole.value, 1e-9);
    for (EdgeId edge : example.forest.edges()) {
      ASSERT_NEAR(spread.gradient[edge], whole.gradient[edge], 1e-9);
    }
  });
}

TEST(DerivationList, OfTheBestThreeHasTheDerivativesOfItsOwnRisk) {
  testing::for_each_example([](const testing::Example& example) {
    const DerivationList list(k_best(example.forest, example.scores, 3));
    const auto value = [&](const EdgeMap<double>& scores) {
      return risk(list.forest, list.sums(scores), list.sums(example.values));
    };
    const auto listed =
        risk_gradient(list.forest, list.sums(example.scores), list.sums(example.values));
    EdgeMap<double> gradient = list.spread(listed, example.forest.num_edges()).gradient;
    testing::expect_central_differences(example.scores, gradient, value);
  });
}

TEST(DerivationList, RefusesTablesThatAreTooShort) {
  const DerivationList list({{{EdgeId{4}}, 0}});
  EXPECT_THROW(list.sums(EdgeMap<double>(2, 0.0)), InvalidArgument);
  EXPECT_THROW(list.spread({0, EdgeMap<double>(1, 1.0)}, 2), InvalidArgument);
}

TEST(UpperEnvelope, HasTheBestDerivationAtEveryPoint) {
  testing::for_each_example([](const testing::Example& example) {
    const auto counts = random_counts(example.forest, 1);
    const auto envelope = upper_envelope(example.forest, example.scores, example.values, counts);
    ASSERT_FALSE(envelope.empty());
    for (const double x : {-20.0, -1.3, -0.21, 0.07, 0.9, 30.0}) {
      double best = -HUGE_VAL;
      for (const EdgeList& d : example.listed.support) {
        best = std::max(best,
                        testing::total(d, example.scores) + x * testing::total(d, example.values));
      }
      const auto after = std::find_if(envelope.begin(), envelope.end(),
                                      [&](const EnvelopePiece& piece) { return piece.from > x; });
      const EnvelopePiece& piece = *(after - 1);
      ASSERT_NEAR(piece.intercept + x * piece.slope, best, 1e-9);
      const bool has_counts = std::any_of(
          example.listed.support.begin(), example.listed.support.end(), [&](const EdgeList& d) {
            return counts_of(d, counts) == piece.counts &&
                   std::abs(testing::total(d, example.values) - piece.slope) < 1e-9;
          });
      ASSERT_TRUE(has_counts);
    }
  });
}

TEST(BestStep, IsNoWorseThanAnyPointOfTheLine) {
  const auto f1 = [](Counts counts) { return loss(Measure{}, counts, 9); };
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<Envelope> envelopes;
    for (std::uint64_t i = 0; i < 3; ++i) {
      const testing::Example example(3 * seed + i);
      envelopes.push_back(upper_envelope(example.forest, example.scores, example.values,
                                         random_counts(example.forest, seed)));
    }
    const auto loss_at = [&](double x) {
      Counts sum;
      for (const Envelope& envelope : envelopes) {
        if (envelope.empty()) continue;
        std::size_t i = 0;
        while (i + 1 < envelope.size() && envelope[i + 1].from <= x) ++i;
        sum = sum + envelope[i].counts;
      }
      return f1(sum);
    };
    const LineStep step = best_step(envelopes, f1);
    ASSERT_EQ(loss_at(step.x), step.loss);
    for (double x = -10; x <= 10; x += 0.037) ASSERT_LE(step.loss, loss_at(x));
  }
}

TEST(BestStep, StaysWhereItIsWhenNothingIsBetter) {
  const Envelope flat{{-HUGE_VAL, 0, 1, {1, 1}}};
  const LineStep step =
      best_step(std::vector<Envelope>{flat, {}}, [](Counts counts) { return 3.0 - counts.n; });
  EXPECT_EQ(step.x, 0);
  EXPECT_EQ(step.loss, 2);
}

// Every edge is an item of its own.
EdgeFeatures edges_as_items(const Forest& forest) {
  EdgeFeatures items;
  for (EdgeId edge : forest.edges()) {
    items.add_edge({{static_cast<FeatureId>(index(edge)), 1.0}});
  }
  return items;
}

TEST(MinRisk, AgreesWithEnumeration) {
  const ErrorCosts costs{.false_positive = 0.7, .false_negative = 1.9};
  testing::for_each_example([&](const testing::Example& example) {
    for (const EdgeList& d : example.listed.support) {  // an edge used twice is no single item
      for (EdgeId edge : d) {
        if (testing::count(d, edge) > 1) return;
      }
    }
    const auto expected_loss = [&](const EdgeList& answer) {
      return example.listed.expected([&](const EdgeList& truth) {
        double right = 0;
        for (EdgeId edge : answer) right += testing::count(truth, edge);
        return costs.false_positive * (static_cast<double>(answer.size()) - right) +
               costs.false_negative * (static_cast<double>(truth.size()) - right);
      });
    };
    double least = HUGE_VAL;
    for (const EdgeList& d : example.listed.support) least = std::min(least, expected_loss(d));
    const auto found =
        min_risk(example.forest, example.scores, edges_as_items(example.forest), costs);
    ASSERT_TRUE(found.has_value());
    ASSERT_NEAR(found->risk, least, 1e-9);
    ASSERT_NEAR(expected_loss(found->derivation.edges), least, 1e-9);
    ASSERT_NEAR(found->derivation.score, testing::total(found->derivation.edges, example.scores),
                1e-9);
  });
}

TEST(MinRisk, IsNothingWhereThereIsNoDerivation) {
  const Forest forest = testing::no_derivation();
  EXPECT_FALSE(
      min_risk(forest, EdgeMap<double>(forest.num_edges(), 0.0), edges_as_items(forest), {})
          .has_value());
  EXPECT_THROW(min_risk(forest, EdgeMap<double>(forest.num_edges(), 0.0), {}, {}), InvalidArgument);
}

}  // namespace
}  // namespace coppice::learn

// The graph of possible label sequences against the generic algorithm on a split forest.
#include "chain/item_graph.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chain/annotated_chain.h"
#include "chain/goal.h"
#include "coppice/forest/split.h"
#include "coppice/learn/objective.h"

namespace coppice::chain {
namespace {

using testing::AnnotatedChain;

// The edges of the graph as those of a forest.
struct GraphForest {
  explicit GraphForest(const ItemGraph& graph) {
    ForestBuilder builder;
    for (std::size_t node = 0; node < graph.paths.num_nodes; ++node) builder.add_node();
    for (std::size_t i = 0; i < graph.steps.size(); ++i) {
      const Paths::Edge& edge = graph.paths.edges[i];
      if (edge.from == 0) {
        builder.add_edge(static_cast<NodeId>(edge.head), {});
      } else {
        builder.add_edge(static_cast<NodeId>(edge.head), {static_cast<NodeId>(edge.from)});
      }
      scores.push_back(std::log(edge.weight));
      counts.push_back({graph.steps[i].n, graph.steps[i].d});
    }
    forest = std::move(builder).build();
  }
  Forest forest;
  EdgeMap<double> scores;
  EdgeMap<Counts> counts;
};

TEST(ItemGraph, AgreesWithTheGenericSplitForest) {
  testing::for_each_annotated_chain([](const AnnotatedChain& sentence) {
    const ItemRules rules = sentence.rules();
    const GoldItems gold(rules, sentence.gold);
    AlignedVector<float> posteriors = sentence.chain.scores;
    Workspace workspace;
    marginals(posteriors.data(), sentence.chain.length, sentence.chain.transitions, workspace,
              nullptr);
    ItemGraph graph = build_item_graph({sentence.chain.scores.data(), posteriors.data(),
                                        sentence.chain.length, sentence.chain.transitions},
                                       rules, &gold, 0);
    normalise(graph);
    const GraphForest same(graph);
    const SplitForest generic = split_by_counts(same.forest, same.counts);
    SplitPaths split = split_paths(graph, 0);
    ASSERT_EQ(split.goal_counts, generic.goal_counts);
    ASSERT_EQ(split.largest_splits, generic.largest_splits);
    ASSERT_EQ(split.cut, 0);
    const auto f1 = [&](Counts sum) { return learn::loss({}, sum, gold.number); };
    const EdgeGradient expected =
        learn::evaluate({.kind = learn::ObjectiveKind::kRisk}, generic, same.scores, {}, f1);
    std::vector<double> values(split.paths.edges.size(), 0.0);
    for (std::size_t i = 0; i < split.goal_counts.size(); ++i) {
      values[values.size() - split.goal_counts.size() + i] = f1(split.goal_counts[i]);
    }
    const StepGradient found =
        step_expectation(split.paths, forward(split.paths), values, graph.steps.size());
    ASSERT_NEAR(found.value, expected.value, 1e-12);
    for (EdgeId edge : same.forest.edges()) {
      ASSERT_NEAR(found.gradient[index(edge)], expected.gradient[edge], 1e-12);
    }
  });
}

TEST(ItemGraph, SaysWhatItCutAndStaysCloseWhenItCutsMore) {
  AnnotatedChain sentence(3, testing::kSchemes[0], 4);
  const testing::Goal risk({.goal = learn::ObjectiveKind::kRisk, .loss = learn::LossName::kF},
                           sentence.scheme.labels, sentence.scheme.scheme);
  const LossTables slow = testing::graph_tables(1, sentence.rules(), risk.tables.loss());
  PairDerivatives pairs;
  const auto expect_counted = [](const learn::SplitStatistics& statistics) {
    EXPECT_GT(statistics.average_splits(), 1);
    EXPECT_GE(statistics.largest_splits, 5u);
    EXPECT_LT(statistics.largest_cut, 1e-8);
  };
  const double fast = sentence.with_engine(&risk.tables, pairs, [&](SentenceEngine& engine) {
    return risk.objective.evaluate(engine, 0);
  });
  expect_counted(risk.objective.statistics());
  const double cut = sentence.with_engine(&slow, pairs, [&](SentenceEngine& engine) {
    const double value = engine.risk({});
    expect_counted(engine.statistics());
    return value;
  });
  EXPECT_NEAR(fast, cut, 1e-6);
}

}  // namespace
}  // namespace coppice::chain

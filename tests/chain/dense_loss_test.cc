// The dense kernels of costs of spans and of losses of counts against the item graph, which
// dense_engine_test.cc holds to enumeration and item_graph_test.cc to the generic split forest, on
// sentences too long to enumerate.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "chain/engine.h"
#include "chain/enumerate_chain.h"
#include "chain/goal.h"
#include "coppice/chain/constraints.h"

namespace coppice::chain {
namespace {

using learn::ErrorCosts;

struct LabelScheme {
  std::vector<std::string> labels;
  text::Scheme scheme;
};

std::vector<LabelScheme> label_schemes() {
  return {{{"O", "B-X", "I-X", "B-Y", "I-Y"}, text::Scheme::kIob2},
          {{"O", "I-X", "B-X", "I-Y"}, text::Scheme::kIob1},
          {{"O", "I-X", "I-Y", "I-Z"}, text::Scheme::kIob1},
          {{"S-X", "B-X", "O", "I-X", "E-X", "S-Y", "B-Y", "I-Y", "E-Y"}, text::Scheme::kBioes}};
}

struct Drawn {
  testing::Chain chain;
  std::vector<std::uint16_t> gold{};
  std::vector<std::uint32_t> begin{0};
  std::vector<ErrorCosts> costs{};
};

// The gold labels follow what the chain finds likely in half of the sentences; costs differ by
// type.
Drawn draw(std::uint64_t seed, const LabelScheme& scheme, std::size_t length, double spread,
           std::uint64_t forbid_one_in = 0) {
  const std::size_t labels = scheme.labels.size();
  Drawn drawn{testing::random_chain(seed, {length, labels, spread, forbid_one_in})};
  Random random(seed, 7);
  drawn.gold.resize(length);
  Workspace workspace;
  best_labels(drawn.chain.scores.data(), length, drawn.chain.transitions, workspace, drawn.gold);
  for (std::size_t t = 0; t < length; ++t) {
    if (forbid_one_in == 0 && seed % 2 == 0) {
      drawn.gold[t] = static_cast<std::uint16_t>(random.below(labels));
    }
    drawn.begin.push_back(static_cast<std::uint32_t>(t + 1));
  }
  for (const std::string& label : scheme.labels) {
    const double of_type = label.back() == 'X' ? 0.4 : 1.3;
    drawn.costs.push_back({of_type, 2 - of_type});
  }
  return drawn;
}

bool is_possible(const Drawn& drawn) {
  Workspace workspace;
  return std::isfinite(log_partition(drawn.chain.scores.data(), drawn.chain.length,
                                     drawn.chain.transitions, workspace));
}

struct Evaluated {
  double value;
  AlignedVector<float> scores;
  std::vector<float> pairs;
};

template <class Ask>
Evaluated evaluate(const LossTables& tables, const Drawn& drawn, const Transitions& transitions,
                   const Ask& ask) {
  Evaluated result{0, drawn.chain.scores, {}};
  PairDerivatives pairs;
  pairs.reset(transitions);
  Workspace workspace;
  DenseEngine engine(result.scores.data(), transitions, {{drawn.begin, drawn.gold, true}, &tables},
                     pairs, workspace);
  result.value = ask(engine);
  if (!pairs.none()) {
    const auto sums = pairs.finish(transitions);
    result.pairs.assign(sums.begin(), sums.end());
  }
  return result;
}

void expect_same(const Evaluated& found, const Evaluated& expected, const Drawn& drawn,
                 double tolerance) {
  ASSERT_NEAR(found.value, expected.value, tolerance * (1 + std::abs(expected.value)));
  const std::size_t labels = drawn.chain.labels, stride = drawn.chain.stride;
  for (std::size_t t = 0; t < drawn.chain.length; ++t) {
    for (std::size_t y = 0; y < labels; ++y) {
      ASSERT_NEAR(found.scores[t * stride + y], expected.scores[t * stride + y], tolerance)
          << t << ' ' << y;
    }
  }
  ASSERT_EQ(found.pairs.size(), expected.pairs.size());
  for (std::size_t k = 0; k < found.pairs.size(); ++k) {
    ASSERT_NEAR(found.pairs[k], expected.pairs[k], 4 * tolerance)
        << k / stride << ' ' << k % stride;
  }
}

void expect_margin_as_graph(const Drawn& drawn, const LabelScheme& scheme, double scale,
                            const Transitions& transitions) {
  const ItemRules rules(scheme.labels, scheme.scheme);
  const ChainLoss loss{.kind = ChainLoss::Kind::kErrorCosts, .errors = drawn.costs};
  const LossTables fast({.goal = learn::ObjectiveKind::kSoftmaxMargin, .loss_scale = scale}, rules,
                        loss);
  ASSERT_NE(fast.span_factors(), nullptr);
  const LossTables slow = testing::graph_tables(scale, rules, loss);
  const auto margin = [](SentenceEngine& engine) { return engine.margin(); };
  expect_same(evaluate(fast, drawn, transitions, margin),
              evaluate(slow, drawn, transitions, margin), drawn, 1e-5);
}

template <class Check>
void for_each_drawn(Check check) {
  for (const LabelScheme& scheme : label_schemes()) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      SCOPED_TRACE(::testing::Message() << text::to_string(scheme.scheme) << " seed " << seed);
      check(seed, scheme);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(SpanKernel, AgreesWithTheGraph) {
  for_each_drawn([](std::uint64_t seed, const LabelScheme& scheme) {
    const Drawn drawn = draw(seed, scheme, 1 + seed % 23, seed % 3 == 0 ? 12 : 4);
    expect_margin_as_graph(drawn, scheme, 0.5 * static_cast<double>(seed % 5),
                           drawn.chain.transitions);
  });
}

TEST(SpanKernel, AgreesWhereLabelsAndPairsAreForbidden) {
  for_each_drawn([](std::uint64_t seed, const LabelScheme& scheme) {
    const Drawn drawn = draw(seed, scheme, 9, 4, 6);
    Workspace workspace;
    std::vector<std::uint16_t> best(9);
    if (std::isinf(
            best_labels(drawn.chain.scores.data(), 9, drawn.chain.transitions, workspace, best))) {
      return;
    }
    expect_margin_as_graph(drawn, scheme, 1.2, drawn.chain.transitions);
  });
}

// Forbids what the scheme does not have, at the first token only every other time, so that labels
// that cannot begin a span elsewhere may do so there.
Drawn constrained(Drawn drawn, const LabelScheme& scheme, bool at_first) {
  const Constraints constraints = scheme_constraints(scheme.labels, scheme.scheme);
  testing::Chain& chain = drawn.chain;
  std::vector<float> pairs(chain.labels * chain.stride, testing::kForbidden);
  for (std::size_t u = 0; u < chain.labels; ++u) {
    for (std::size_t y = 0; y < chain.labels; ++y) {
      if (!constraints.allows(u, y, chain.labels)) continue;
      pairs[u * chain.stride + y] = chain.transitions.score(u, y);
    }
    if (at_first && !constraints.may_begin(u)) chain.scores[u] = testing::kForbidden;
  }
  chain.transitions = Transitions(chain.labels, pairs);
  Workspace workspace;
  best_labels(chain.scores.data(), chain.length, chain.transitions, workspace, drawn.gold);
  return drawn;
}

TEST(SpanKernel, AgreesUnderTheConstraintsOfTheScheme) {
  for_each_drawn([](std::uint64_t seed, const LabelScheme& scheme) {
    const Drawn drawn = constrained(draw(seed, scheme, 1 + seed % 23, seed % 3 == 0 ? 12 : 4),
                                    scheme, seed % 2 == 0);
    expect_margin_as_graph(drawn, scheme, 0.5 * static_cast<double>(seed % 5),
                           drawn.chain.transitions);
  });
}

TEST(SpanKernel, AgreesInAChainOfOrderZero) {
  for_each_drawn([](std::uint64_t seed, const LabelScheme& scheme) {
    const Drawn drawn = draw(seed, scheme, 1 + seed % 9, 4);
    expect_margin_as_graph(drawn, scheme, 1.2, Transitions(scheme.labels.size()));
  });
}

TEST(SpanKernel, LeavesToTheGraphWhatIsTooFarApartForFloats) {
  const LabelScheme scheme = label_schemes()[0];
  Drawn drawn = draw(3, scheme, 4, 4);
  for (std::size_t y = 1; y < 5; ++y) drawn.chain.scores[y] -= 300;
  for (std::size_t t = 1; t < 4; ++t) drawn.chain.scores[t * drawn.chain.stride] -= 300;
  expect_margin_as_graph(drawn, scheme, 200, drawn.chain.transitions);
}

// A loss of counts by the dense kernel, and as the sum over counts on the split graph.
void expect_counts_as_graph(const Drawn& drawn, const LabelScheme& scheme,
                            const Transitions& transitions) {
  const ItemRules rules(scheme.labels, scheme.scheme);
  const ChainLoss loss{.kind = ChainLoss::Kind::kMeasure};
  const LossTables fast({.goal = learn::ObjectiveKind::kRisk}, rules, loss);
  ASSERT_NE(fast.count_rules(), nullptr);
  const LossTables slow = testing::graph_tables(1, rules, loss);
  const auto risk = [](SentenceEngine& engine) { return engine.risk({}); };
  expect_same(evaluate(fast, drawn, transitions, risk), evaluate(slow, drawn, transitions, risk),
              drawn, 1e-5);
}

TEST(CountKernel, AgreesWithTheSplitGraph) {
  for_each_drawn([](std::uint64_t seed, const LabelScheme& scheme) {
    const Drawn drawn = draw(seed, scheme, 1 + seed % 23, seed % 3 == 0 ? 12 : 4);
    expect_counts_as_graph(drawn, scheme, drawn.chain.transitions);
    expect_counts_as_graph(drawn, scheme, Transitions(scheme.labels.size()));
  });
}

TEST(CountKernel, AgreesWhereLabelsAndPairsAreForbidden) {
  for_each_drawn([](std::uint64_t seed, const LabelScheme& scheme) {
    const Drawn drawn = draw(seed, scheme, 9, 4, 6);
    if (!is_possible(drawn)) return;
    expect_counts_as_graph(drawn, scheme, drawn.chain.transitions);
  });
}

TEST(CountKernel, LeavesToTheGraphWhatIsTooFarApartForFloats) {
  const LabelScheme scheme = label_schemes()[0];
  Drawn drawn = draw(3, scheme, 4, 4);
  for (std::size_t t = 0; t < 4; ++t) drawn.chain.scores[t * drawn.chain.stride] -= 300;
  std::vector<float> pairs(5 * drawn.chain.stride, 0.0f);
  for (std::size_t u = 1; u < 5; ++u) {
    for (std::size_t y = 1; y < 5; ++y) pairs[u * drawn.chain.stride + y] = -200;
  }
  expect_counts_as_graph(drawn, scheme, Transitions(5, pairs));
}

}  // namespace
}  // namespace coppice::chain

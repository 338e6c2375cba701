// Trees in chains of order 2 and 3: what they see of the labels before, the engine over scores of a
// lattice's edges against enumeration, central differences and the forest, and boosting.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "chain/boosted_chain.h"
#include "chain/boosted_lattices.h"
#include "chain/engine.h"
#include "chain/enumerate_chain.h"
#include "chain/forest_builder.h"
#include "chain/forest_target.h"
#include "chain/goal.h"
#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/learn/booster.h"
#include "coppice/learn/objective.h"
#include "coppice/trees/tree.h"

namespace coppice::chain {
namespace {

using learn::BoostingOptions;
using learn::LossName;
using learn::ObjectiveKind;
using testing::each_sequence;
using testing::Goal;

TEST(LabelHistories, NumbersEveryHistoryOnce) {
  for (unsigned depth = 0; depth <= kMaxOrder; ++depth) {
    const LabelHistories histories(3, depth);
    const trees::States states = histories.states();
    std::set<std::size_t> seen;
    for (std::size_t length = 0; length <= depth; ++length) {
      each_sequence(length, 3, [&](const std::vector<std::uint16_t>& labels) {
        LabelKey key = 0;
        for (const std::uint16_t label : labels) key = extended(key, label, kMaxOrder);
        const std::size_t number = histories.number(key);
        EXPECT_TRUE(seen.insert(number).second);
        ASSERT_EQ(states.factors.size(), depth);
        for (std::size_t distance = 1; distance <= depth; ++distance) {
          const std::size_t value = distance <= length ? labels[length - distance] : 3;
          EXPECT_EQ(states.factors[distance - 1][number], value);
        }
      });
    }
    EXPECT_EQ(seen.size(), histories.size());
    EXPECT_EQ(*seen.rbegin() + 1, histories.size());
    EXPECT_EQ(histories.number(0) + 1, histories.size());  // the start is the last
  }
}

TEST(LabelHistories, SeesTheLastLabelsOnly) {
  const LabelHistories histories(4, 2);
  LabelKey longer = 0, shorter = 0;
  for (const std::uint16_t label : std::vector<std::uint16_t>{3, 1, 2})
    longer = extended(longer, label, 3);
  for (const std::uint16_t label : std::vector<std::uint16_t>{1, 2})
    shorter = extended(shorter, label, 3);
  EXPECT_EQ(histories.number(longer), histories.number(shorter));
  EXPECT_THROW(LabelHistories(300, 2), InvalidArgument);
}

// Scores of all label sequences of a lattice, by its edges.
struct LatticeSentence {
  std::size_t labels = 0;
  LabelLattice lattice{};
  std::vector<float> scores{};
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint16_t> gold{};
  bool complete = true;

  Annotation annotation() const { return {begin, gold, complete}; }
  // -inf for sequences that the lattice does not have.
  double score(std::span<const std::uint16_t> sequence) const {
    const auto path = path_of(lattice, sequence);
    double sum = path.empty() ? -INFINITY : 0;
    for (const std::uint32_t edge : path) sum += static_cast<double>(scores[edge]);
    return sum;
  }
};

LatticeSentence random_lattice(std::uint64_t seed, bool partial, std::size_t labels = 3) {
  Random random(seed);
  LatticeSentence made{.labels = labels};
  const std::size_t length = 1 + random.below(4);
  std::vector<std::uint16_t> path;
  for (std::size_t t = 0; t < length; ++t) {
    path.push_back(static_cast<std::uint16_t>(random.below(labels)));
    if (!partial || random.below(2) == 0) made.gold.push_back(path.back());
    made.begin.push_back(static_cast<std::uint32_t>(made.gold.size()));
    made.complete = made.complete && made.begin[t] + 1 == made.begin[t + 1];
  }
  Constraints constraints;
  constraints.pairs.assign(labels * labels, 1);
  if (seed % 3 == 0) constraints.pairs[random.below(labels * labels)] = 0;
  for (std::size_t t = 1; t < length; ++t) constraints.pairs[path[t - 1] * labels + path[t]] = 1;
  const PlainChain chain(labels, constraints);
  BoostedLattices lattices;
  AlignedVector<float> rows(length * row_stride(labels), 0.0f);
  Workspace workspace;
  lattices.add(rows.data(), length, chain.model(2 + static_cast<unsigned>(seed % 2)), constraints,
               nullptr, workspace);
  made.lattice = lattices.lattices[0];
  for (const float start : lattices.scores[0]) EXPECT_EQ(start, 0);
  made.scores.resize(made.lattice.num_edges());
  for (float& score : made.scores) score = static_cast<float>(4 * random.uniform() - 2);
  return made;
}

struct LatticeEvaluation {
  double value;
  std::vector<float> derivatives;
};

// Calls use(engine) with an engine of these edges, which get the derivatives.
template <class Use>
double with_engine(const LatticeSentence& s, const LossTables& tables, std::vector<float>& edges,
                   const Use& use) {
  const Transitions none(s.labels);
  AlignedVector<float> rows(s.lattice.length() * none.stride(), 0.0f);
  Workspace workspace;
  LatticeEngine engine(s.lattice, {rows.data(), none.stride(), {}, edges}, none,
                       {s.annotation(), &tables}, nullptr, workspace);
  return use(engine);
}

LatticeEvaluation evaluate(const Goal& goal, const LatticeSentence& s, std::size_t number = 0) {
  LatticeEvaluation result{0, s.scores};
  result.value = with_engine(s, goal.tables, result.derivatives, [&](SentenceEngine& engine) {
    return goal.objective.evaluate(engine, number);
  });
  return result;
}

void expect_lattice_differences(const Goal& goal, const LatticeSentence& sentence) {
  const LatticeEvaluation found = evaluate(goal, sentence);
  constexpr float step = 0.03125f;
  for (std::size_t i = 0; i < sentence.scores.size(); ++i) {
    LatticeSentence moved = sentence;
    moved.scores[i] = sentence.scores[i] + step;
    const double above = evaluate(goal, moved).value;
    moved.scores[i] = sentence.scores[i] - step;
    const double below = evaluate(goal, moved).value;
    ASSERT_NEAR(found.derivatives[i], (above - below) / (2 * step), 2e-3) << "edge " << i;
  }
}

Goal lattice_goal(const learn::TrainingObjective& objective) {
  return Goal(objective, std::vector<std::string>{"O", "B-X", "I-X"}, text::Scheme::kIob2);
}

// ln of the sum of exp(score) over the sequences that the annotation allows, and over all.
std::pair<double, double> enumerated_sums(const LatticeSentence& s) {
  double right = 0, all = 0;
  const Annotation gold = s.annotation();
  each_sequence(gold.length(), s.labels, [&](const std::vector<std::uint16_t>& labels) {
    bool is_right = true;
    for (std::size_t t = 0; t < labels.size(); ++t)
      is_right = is_right && gold.allows(t, labels[t]);
    const double weight = std::exp(s.score(labels));
    all += weight;
    if (is_right) right += weight;
  });
  return {std::log(right), std::log(all)};
}

TEST(EdgesOfLattices, HaveTheLikelihoodOfAllSequencesWithItsDerivatives) {
  const Goal likelihood = lattice_goal({});
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    for (const bool partial : {false, true}) {
      const LatticeSentence s = random_lattice(seed, partial);
      const auto [right, all] = enumerated_sums(s);
      ASSERT_NEAR(evaluate(likelihood, s).value, all - right, 1e-5);
      expect_lattice_differences(likelihood, s);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(EdgesOfLattices, HaveThePseudoLikelihoodOfEachLabelGivenTheOthers) {
  const Goal pseudo = lattice_goal({.goal = ObjectiveKind::kPseudoLikelihood});
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const LatticeSentence s = random_lattice(seed, false);
    double expected = 0;
    std::vector<std::uint16_t> labels = s.gold;
    for (std::size_t t = 0; t < labels.size(); ++t) {
      double sum = 0;
      for (std::uint16_t v = 0; v < s.labels; ++v) {
        labels[t] = v;
        sum += std::exp(s.score(labels));
      }
      labels[t] = s.gold[t];
      expected += std::log(sum) - s.score(labels);
    }
    ASSERT_NEAR(evaluate(pseudo, s).value, expected, 1e-5);
    expect_lattice_differences(pseudo, s);
    if (HasFatalFailure()) return;
  }
}

TEST(EdgesOfLattices, HaveTheDerivativesOfEveryLoss) {
  for (const ObjectiveKind kind : {ObjectiveKind::kPseudoLikelihood, ObjectiveKind::kSoftmaxMargin,
                                   ObjectiveKind::kRisk, ObjectiveKind::kAnnealedRisk}) {
    for (const LossName loss : {LossName::kHamming, LossName::kDecF1, LossName::kF}) {
      const Goal goal = lattice_goal({.goal = kind, .loss = loss, .loss_scale = 0.7});
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ' ' << learn::name(kind) << " loss "
                                          << static_cast<int>(loss));
        expect_lattice_differences(goal, random_lattice(seed, false));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(EdgesOfLattices, HaveTheDerivativesOfPartsAndOfTheEntropyOfUnlabelledSentences) {
  const Goal entropy = lattice_goal({.entropy_weight = 0.6});
  const Goal parts = lattice_goal({.goal = ObjectiveKind::kParts});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    LatticeSentence s = random_lattice(seed, false);
    expect_lattice_differences(parts, s);
    s.gold.clear();
    std::fill(s.begin.begin(), s.begin.end(), 0);
    s.complete = false;
    expect_lattice_differences(entropy, s);
    if (HasFatalFailure()) return;
  }
}

TEST(EdgesOfLattices, AgreeWithTheForestOfTheLattice) {
  for (const ObjectiveKind kind :
       {ObjectiveKind::kLikelihood, ObjectiveKind::kSoftmaxMargin, ObjectiveKind::kRisk}) {
    const Goal goal = lattice_goal({.goal = kind, .loss_scale = 0.7});
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ' ' << learn::name(kind));
      const LatticeSentence s =
          random_lattice(seed, kind == ObjectiveKind::kLikelihood && seed % 4 > 1);
      const Transitions none(s.labels);
      const AlignedVector<float> rows(s.lattice.length() * none.stride(), 0.0f);
      const ChainForest chain = chain_forest(s.lattice, {rows.data(), none.stride(), {}, s.scores});
      const EdgeGradient expected =
          learn::evaluate({.kind = kind, .loss_scale = 0.7}, chain.forest, chain.scores,
                          testing::forest_target(chain, s.annotation()));
      std::vector<double> derivatives(s.scores.size(), 0.0);
      for (const EdgeId edge : chain.forest.edges()) {
        const EdgeLabels& labels = chain.labels[edge];
        if (labels.label != kNoLabel) derivatives[labels.lattice_edge] += expected.gradient[edge];
      }
      const LatticeEvaluation found = evaluate(goal, s);
      ASSERT_NEAR(found.value, expected.value, 1e-5);
      for (std::size_t e = 0; e < derivatives.size(); ++e) {
        ASSERT_NEAR(found.derivatives[e], derivatives[e], 1e-5) << e;
      }
    }
  }
}

TEST(EdgesOfLattices, HaveALossOfTheCorpusAfterALookAtAllSentences) {
  std::vector<LatticeSentence> corpus;
  for (std::uint64_t seed = 0; seed < 3; ++seed) corpus.push_back(random_lattice(seed, false));
  Goal goal = lattice_goal({.goal = ObjectiveKind::kRisk, .loss = LossName::kF, .of_corpus = true});
  const auto value = [&](const std::vector<LatticeSentence>& all, auto& out) {
    goal.objective.begin_look(3);
    for (std::size_t i = 0; i < 3; ++i) {
      std::vector<float> scores = all[i].scores;
      with_engine(all[i], goal.tables, scores, [&](SentenceEngine& engine) {
        goal.objective.look(engine, i);
        return 0.0;
      });
    }
    goal.objective.end_look();
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      LatticeEvaluation one = evaluate(goal, all[i], i);
      sum += one.value;
      out[i] = std::move(one.derivatives);
    }
    return sum;
  };
  std::vector<std::vector<float>> derivatives(3), ignored(3);
  value(corpus, derivatives);
  constexpr float step = 0.03125f;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t e = 0; e < corpus[i].scores.size(); ++e) {
      std::vector<LatticeSentence> moved = corpus;
      moved[i].scores[e] += step;
      const double above = value(moved, ignored);
      moved[i].scores[e] -= 2 * step;
      ASSERT_NEAR(derivatives[i][e], (above - value(moved, ignored)) / (2 * step), 2e-3);
    }
  }
}

// A token is labelled 1 when its input is on and the label two before is 0: neither that input nor
// the label before tells.
struct SecondOrder {
  trees::Schema schema;
  trees::ExampleTable table;
  Dataset gold;
  BoostedLattices lattices;

  explicit SecondOrder(std::uint64_t seed) {
    Random random(seed);
    schema.add_binary(3);
    gold.num_labels = 2;
    for (std::size_t i = 0; i < 60; ++i) {
      std::uint16_t before = 0, previous = 0;
      for (std::uint64_t t = 0, n = 1 + random.below(8); t < n; ++t) {
        std::vector<std::uint32_t> row;
        for (std::uint32_t bin = 0; bin < 3; ++bin) {
          if (random.below(2) == 0) row.push_back(bin);
        }
        const bool on = !row.empty() && row[0] == 0;
        table.add(row);
        gold.gold.push_back(on && before == 0 ? 1 : 0);
        before = std::exchange(previous, gold.gold.back());
        gold.gold_begin.push_back(static_cast<std::uint32_t>(gold.gold.size()));
      }
      gold.sentence_begin.push_back(static_cast<std::uint32_t>(gold.gold.size()));
    }
  }
  TreeCorpus rows(unsigned order) {
    lattices = {};
    const PlainChain chain(2, none);
    Workspace workspace;
    for (std::size_t i = 0; i < gold.num_sentences(); ++i) {
      const std::size_t length = gold.sentence_begin[i + 1] - gold.sentence_begin[i];
      AlignedVector<float> scores(length * row_stride(2), 0.0f);
      lattices.add(scores.data(), length, chain.model(order), none, nullptr, workspace);
    }
    return {table.view().rows, gold.sentence_begin, lattices.lattices};
  }
  Constraints none{};
};

BoostedChain boosted(const SecondOrder& corpus, const TreeCorpus& rows, unsigned order,
                     unsigned label_depth = kMaxOrder) {
  return BoostedChain(corpus.schema, rows, corpus.gold, corpus.none, {order, label_depth}, {},
                      LossTables({}, std::vector<std::string>{"0", "1"}, text::Scheme::kRaw));
}

double last_value(SecondOrder& corpus, unsigned order, const BoostingOptions& options,
                  unsigned label_depth = kMaxOrder) {
  BoostedChain chain = boosted(corpus, corpus.rows(order), order, label_depth);
  learn::Booster booster(chain, options);
  double value = 0;
  for (int i = 0; i < 25; ++i) value = booster.round(Threads(1));
  return value / static_cast<double>(corpus.gold.num_tokens());
}

TEST(BoostedLattice, LearnsWhatDependsOnTheLabelTwoBefore) {
  for (const bool newton : {false, true}) {
    SecondOrder corpus(1);
    const BoostingOptions options{.max_leaves = 6, .newton = newton};
    EXPECT_LT(last_value(corpus, 2, options), 0.1);
    EXPECT_LT(last_value(corpus, 3, options), 0.1);
    EXPECT_GT(last_value(corpus, 2, options, 1), 0.2);
    EXPECT_GT(last_value(corpus, 1, options), 0.2);
  }
}

// At order 1 a lattice of all pairs is the dense chain.
TEST(BoostedLattice, AgreesWithTheDenseChainAtOrderOne) {
  SecondOrder corpus(2);
  const TreeCorpus sparse = corpus.rows(1), dense{sparse.rows, sparse.sentence_begin};
  const BoostingOptions options{.max_leaves = 5, .shrinkage = 0.5, .newton = true};
  BoostedChain of_lattices = boosted(corpus, sparse, 1), of_pairs = boosted(corpus, dense, 1);
  learn::Booster first(of_lattices, options), second(of_pairs, options);
  for (int i = 0; i < 8; ++i) {
    const double value = first.round(Threads(1));
    EXPECT_NEAR(value, second.round(Threads(1)), 1e-4 * value);
  }
}

TEST(BoostedLattice, ScoresAreSumsOfItsTrees) {
  SecondOrder corpus(3);
  const TreeCorpus rows = corpus.rows(3);
  BoostedChain chain = boosted(corpus, rows, 3, 2);
  learn::Booster booster(chain, {.max_leaves = 5, .row_fraction = 0.7});
  for (int i = 0; i < 6; ++i) booster.round(Threads(2));
  const trees::EnsembleView trees = booster.trees().view();
  ASSERT_EQ(chain.histories().size(), 7u);
  for (std::size_t i = 0; i < corpus.gold.num_sentences(); ++i) {
    const LabelLattice& lattice = rows.lattices[i];
    for (std::size_t t = 0; t < lattice.length(); ++t) {
      const auto row = rows.rows.row(corpus.gold.sentence_begin[i] + t);
      for (std::size_t e = lattice.first_edge(t); e < lattice.first_edge(t + 1); ++e) {
        const std::size_t history = chain.histories().number(lattice.history[lattice.tail[e]]);
        double sum = 0;
        for (std::size_t tree = 0; tree < trees.num_trees(); ++tree) {
          if (trees.output[tree] != lattice.label[e]) continue;
          sum += trees.tree(tree)[leaf_of(corpus.schema, trees, tree, row, history)].value;
        }
        ASSERT_NEAR(chain.scores(i)[e], sum, 1e-5);
      }
    }
  }
}

TEST(BoostedLattice, TakesLatticesWhereTheChainNeedsThem) {
  SecondOrder corpus(4);
  const TreeCorpus rows = corpus.rows(2);
  const auto refuses = [&](const TreeCorpus& given, unsigned order) {
    EXPECT_THROW(boosted(corpus, given, order), InvalidArgument);
  };
  refuses({rows.rows, rows.sentence_begin}, 2);
  refuses({rows.rows, rows.sentence_begin, rows.lattices.first(1)}, 2);
  refuses(rows, 0);
  EXPECT_THROW(boosted(corpus, rows, 2, 0), InvalidArgument);
}

}  // namespace
}  // namespace coppice::chain

// Trees in chains of order 2 and 3: what they see of the labels before, objectives over scores of a
// lattice's edges against enumeration and central differences, and boosting.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "chain/boosted_lattices.h"
#include "chain/enumerate_chain.h"
#include "coppice/base/error.h"
#include "coppice/base/random.h"
#include "coppice/chain/boosting.h"
#include "coppice/forest/risk.h"
#include "coppice/learn/training_objective.h"
#include "coppice/trees/tree.h"

namespace coppice::chain {
namespace {

using testing::each_sequence;

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

  EdgeExample example(std::size_t number = 0) const {
    return {EdgeShape{.labels = labels}, scores, {begin, gold, complete}, number, &lattice};
  }
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

void expect_lattice_differences(const EdgeObjective& objective, const LatticeSentence& sentence) {
  EdgeObjectiveWorkspace workspace;
  std::vector<float> derivatives(sentence.scores.size()), ignored(sentence.scores.size());
  objective.evaluate(sentence.example(), derivatives, workspace);
  constexpr float step = 0.03125f;
  for (std::size_t i = 0; i < sentence.scores.size(); ++i) {
    LatticeSentence moved = sentence;
    moved.scores[i] = sentence.scores[i] + step;
    const double above = objective.evaluate(moved.example(), ignored, workspace);
    moved.scores[i] = sentence.scores[i] - step;
    const double below = objective.evaluate(moved.example(), ignored, workspace);
    ASSERT_NEAR(derivatives[i], (above - below) / (2 * step), 2e-3) << "edge " << i;
  }
}

// ln of the sum of exp(score) over the sequences that the annotation allows, and over all.
std::pair<double, double> enumerated_sums(const LatticeSentence& s) {
  double right = 0, all = 0;
  const Annotation gold = s.example().gold;
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

TEST(LatticeLikelihood, IsThatOfAllSequencesWithItsDerivatives) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    for (const bool partial : {false, true}) {
      const LatticeSentence s = random_lattice(seed, partial);
      const auto [right, all] = enumerated_sums(s);
      EdgeObjectiveWorkspace workspace;
      std::vector<float> derivatives(s.scores.size());
      ASSERT_NEAR(EdgeLikelihood().evaluate(s.example(), derivatives, workspace), all - right,
                  1e-5);
      expect_lattice_differences(EdgeLikelihood(), s);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(LatticePseudoLikelihood, ConditionsOnAllOtherLabels) {
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
    EdgeObjectiveWorkspace workspace;
    std::vector<float> derivatives(s.scores.size());
    ASSERT_NEAR(EdgePseudoLikelihood().evaluate(s.example(), derivatives, workspace), expected,
                1e-5);
    expect_lattice_differences(EdgePseudoLikelihood(), s);
    if (HasFatalFailure()) return;
  }
}

const std::vector<std::string> kLatticeLabels{"O", "B-X", "I-X"};

TEST(LatticeObjectives, DerivativesAreThoseOfTheValue) {
  for (const TrainingGoal goal : {TrainingGoal::kPseudoLikelihood, TrainingGoal::kSoftmaxMargin,
                                  TrainingGoal::kRisk, TrainingGoal::kAnnealedRisk}) {
    for (const LossName loss : {LossName::kHamming, LossName::kDecF1, LossName::kF}) {
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << " goal " << static_cast<int>(goal)
                                          << " loss " << static_cast<int>(loss));
        const SentenceEdgeObjective objective(make_objective(
            {.goal = goal, .loss = loss, .loss_scale = 0.7}, kLatticeLabels, text::Scheme::kIob2));
        expect_lattice_differences(objective, random_lattice(seed, false));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(LatticeObjectives, TakeUnlabelledSentencesAndFunctionsOfForests) {
  const SentenceEdgeObjective entropy(
      make_objective({.entropy_weight = 0.6}, kLatticeLabels, text::Scheme::kIob2));
  const ForestEdgeObjective risk(
      [](const Forest& forest, const EdgeMap<double>& scores, const learn::Target& target) {
        return risk_gradient(forest, scores, target.losses);
      });
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    LatticeSentence s = random_lattice(seed, false);
    expect_lattice_differences(risk, s);
    s.gold.clear();
    std::fill(s.begin.begin(), s.begin.end(), 0);
    s.complete = false;
    expect_lattice_differences(entropy, s);
    if (HasFatalFailure()) return;
  }
}

TEST(LatticeObjectives, ALossOfTheCorpusLooksAtAllSentences) {
  std::vector<LatticeSentence> corpus;
  for (std::uint64_t seed = 0; seed < 3; ++seed) corpus.push_back(random_lattice(seed, false));
  SentenceEdgeObjective objective(
      make_objective({.goal = TrainingGoal::kRisk, .loss = LossName::kF, .of_corpus = true},
                     kLatticeLabels, text::Scheme::kIob2));
  EdgeObjectiveWorkspace workspace;
  std::vector<std::vector<float>> derivatives(3), ignored(3);
  const auto value = [&](const std::vector<LatticeSentence>& all, auto& out) {
    objective.begin_look(3);
    for (std::size_t i = 0; i < 3; ++i) objective.look(all[i].example(i), workspace);
    objective.end_look();
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      out[i].resize(all[i].scores.size());
      sum += objective.evaluate(all[i].example(i), out[i], workspace);
    }
    return sum;
  };
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

double last_value(SecondOrder& corpus, unsigned order, const BoostingOptions& options) {
  ChainBooster booster(corpus.schema, corpus.rows(order), corpus.gold, corpus.none, order, options);
  double value = 0;
  for (int i = 0; i < 25; ++i) value = booster.round(Threads(1));
  return value / static_cast<double>(corpus.gold.num_tokens());
}

TEST(LatticeBooster, LearnsWhatDependsOnTheLabelTwoBefore) {
  for (const bool newton : {false, true}) {
    SecondOrder corpus(1);
    const BoostingOptions options{.max_leaves = 6, .newton = newton};
    EXPECT_LT(last_value(corpus, 2, options), 0.1);
    EXPECT_LT(last_value(corpus, 3, options), 0.1);
    BoostingOptions one_label = options;
    one_label.label_depth = 1;
    EXPECT_GT(last_value(corpus, 2, one_label), 0.2);
    EXPECT_GT(last_value(corpus, 1, options), 0.2);
  }
}

// At order 1 a lattice of all pairs is the dense chain.
TEST(LatticeBooster, AgreesWithTheDenseChainAtOrderOne) {
  SecondOrder corpus(2);
  const TreeCorpus sparse = corpus.rows(1), dense{sparse.rows, sparse.sentence_begin};
  const BoostingOptions options{.max_leaves = 5, .shrinkage = 0.5, .newton = true};
  ChainBooster first(corpus.schema, sparse, corpus.gold, corpus.none, 1, options);
  ChainBooster second(corpus.schema, dense, corpus.gold, corpus.none, 1, options);
  for (int i = 0; i < 8; ++i) {
    const double value = first.round(Threads(1));
    EXPECT_NEAR(value, second.round(Threads(1)), 1e-4 * value);
  }
}

TEST(LatticeBooster, ScoresAreSumsOfItsTrees) {
  SecondOrder corpus(3);
  const TreeCorpus rows = corpus.rows(3);
  ChainBooster booster(corpus.schema, rows, corpus.gold, corpus.none, 3,
                       {.max_leaves = 5, .row_fraction = 0.7, .label_depth = 2});
  for (int i = 0; i < 6; ++i) booster.round(Threads(2));
  const trees::EnsembleView trees = booster.trees().view();
  ASSERT_EQ(booster.histories().size(), 7u);
  for (std::size_t i = 0; i < corpus.gold.num_sentences(); ++i) {
    const LabelLattice& lattice = rows.lattices[i];
    for (std::size_t t = 0; t < lattice.length(); ++t) {
      const auto row = rows.rows.row(corpus.gold.sentence_begin[i] + t);
      for (std::size_t e = lattice.first_edge(t); e < lattice.first_edge(t + 1); ++e) {
        const std::size_t history = booster.histories().number(lattice.history[lattice.tail[e]]);
        double sum = 0;
        for (std::size_t tree = 0; tree < trees.num_trees(); ++tree) {
          if (trees.output[tree] != lattice.label[e]) continue;
          sum += trees.tree(tree)[leaf_of(corpus.schema, trees, tree, row, history)].value;
        }
        ASSERT_NEAR(booster.scores(i)[e], sum, 1e-5);
      }
    }
  }
}

TEST(LatticeBooster, TakesLatticesWhereTheChainNeedsThem) {
  SecondOrder corpus(4);
  const TreeCorpus rows = corpus.rows(2);
  const auto refuses = [&](const TreeCorpus& given, unsigned order) {
    EXPECT_THROW(ChainBooster(corpus.schema, given, corpus.gold, corpus.none, order, {}),
                 InvalidArgument);
  };
  refuses({rows.rows, rows.sentence_begin}, 2);
  refuses({rows.rows, rows.sentence_begin, rows.lattices.first(1)}, 2);
  refuses(rows, 0);
}

}  // namespace
}  // namespace coppice::chain

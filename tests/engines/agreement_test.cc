// Every engine of every structure answers every question as the generic engine does, on random
// small inputs. A new engine joins by a line in for_each_engine().
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "chain/coarse_to_fine.h"
#include "chain/engine.h"
#include "chain/enumerate_chain.h"
#include "chain/listed_items.h"
#include "chain/structure.h"
#include "coppice/learn/forest_engine.h"
#include "coppice/learn/staged_objective.h"

namespace coppice::chain {
namespace {

using learn::LossName;
using learn::ObjectiveKind;
using learn::TrainingObjective;
using testing::HigherChain;

constexpr float kTolerance = 2e-3f;

// A sentence with scores, as all engines of chains see it.
struct Sentence {
  Sentence(std::uint64_t seed, unsigned order, const testing::Scheme& of, bool is_partial)
      : scheme(of),
        rules(of.labels, of.scheme),
        higher(testing::random_higher_chain(seed, order, {1 + seed % 4, of.labels.size(), 4.0})) {
    Random random(seed, 9);
    data.num_labels = of.labels.size();
    data.design.begin.resize(higher.chain.length + 1);
    data.sentence_begin.push_back(static_cast<std::uint32_t>(higher.chain.length));
    for (std::size_t t = 0; t < higher.chain.length; ++t) {
      for (std::uint16_t y = 0, first = 1; y < data.num_labels; ++y) {
        const bool is_last = y + 1u == data.num_labels;
        if (is_partial ? random.below(2) == 0 : first == 0 || (!is_last && random.below(3) > 0)) {
          continue;
        }
        data.gold.push_back(y);
        first = 0;
      }
      data.gold_begin.push_back(static_cast<std::uint32_t>(data.gold.size()));
      add_soft(random);
    }
    if (order == 0) higher.chain.transitions = Transitions(data.num_labels);
  }

  void add_soft(Random& random) {
    std::vector<double> shares;
    double sum = 0;
    for (std::size_t y = 0; y < data.num_labels; ++y) sum += shares.emplace_back(random.uniform());
    for (const double share : shares) data.soft.push_back(static_cast<float>(share / sum));
  }

  SentenceTarget target(const LossTables& tables) const {
    return {data.annotation(0), &tables, data.soft_targets(0)};
  }

  const testing::Scheme& scheme;
  ItemRules rules;
  HigherChain higher;
  Dataset data;
  Constraints constraints;
};

// A part of a chain: a token's label, or a label sequence.
struct Part {
  std::size_t token = 0;  // of a label
  std::vector<std::uint16_t> labels;
};

struct Answer {
  double value = 0;
  std::function<float(const Part&)> derivative;
};

double ask(const TrainingObjective& goal, learn::Engine& engine) {
  learn::StagedObjective objective(goal);
  if (goal.is_risk()) objective.advance();
  if (objective.looks_ahead()) {
    objective.begin_look(1);
    objective.look(engine, 0);
    objective.end_look();
  }
  return objective.evaluate(engine, 0);
}

std::vector<float> finished(PairDerivatives& pairs, const Transitions& transitions) {
  if (pairs.none()) return {};
  const auto sums = pairs.finish(transitions);
  return {sums.begin(), sums.end()};
}

Answer ask_dense(Sentence& sentence, const TrainingObjective& goal, const LossTables& tables) {
  const testing::Chain& chain = sentence.higher.chain;
  auto rows = std::make_shared<AlignedVector<float>>(chain.scores);
  PairDerivatives pairs;
  pairs.reset(chain.transitions);
  Workspace workspace;
  DenseEngine engine(rows->data(), chain.transitions, sentence.target(tables), pairs, workspace);
  const double value = ask(goal, engine);
  const std::vector<float> sums = finished(pairs, chain.transitions);
  return {value, [=, stride = chain.stride](const Part& part) {
            if (part.labels.size() == 1) return (*rows)[part.token * stride + part.labels[0]];
            return sums[part.labels[0] * stride + part.labels[1]];
          }};
}

Answer ask_edges(Sentence& sentence, const TrainingObjective& goal, const LossTables& tables) {
  const testing::Chain& chain = sentence.higher.chain;
  const EdgeShape shape = EdgeShape::of_order(sentence.higher.order, chain.labels);
  auto scores = std::make_shared<std::vector<float>>(chain.length * shape.block());
  fill_edges(shape, chain.scores.data(), chain.transitions, *scores);
  Workspace workspace;
  EdgeEngine engine(shape, *scores, sentence.target(tables), workspace);
  const double value = ask(goal, engine);
  return {value, [=, length = chain.length](const Part& part) {
            float sum = 0;
            const bool is_label = part.labels.size() == 1;
            const std::size_t first = is_label ? part.token : 1;
            for (std::size_t t = first; t < (is_label ? first + 1 : length); ++t) {
              for (std::size_t s = shape.first_state(t); s < shape.last_state(t); ++s) {
                if (!is_label && s != part.labels[0]) continue;
                sum += (*scores)[shape.place(t, s, part.labels.back())];
              }
            }
            return sum;
          }};
}

Answer ask_lattice(Sentence& sentence, const TrainingObjective& goal, const LossTables& tables) {
  const HigherChain& higher = sentence.higher;
  const testing::Chain& chain = higher.chain;
  Workspace workspace;
  const LabelLattice lattice =
      coarse_to_fine(chain.scores.data(), chain.length, higher.model(), nullptr, workspace);
  auto rows = std::make_shared<AlignedVector<float>>(chain.scores);
  PairDerivatives pairs;
  pairs.reset(chain.transitions, higher.ngrams.size());
  LatticeEngine engine(lattice, {rows->data(), chain.stride, higher.parts}, chain.transitions,
                       sentence.target(tables), &pairs, workspace);
  const double value = ask(goal, engine);
  const std::vector<float> sums = finished(pairs, chain.transitions);
  return {value, [=, &higher](const Part& part) {
            const std::size_t stride = higher.chain.stride;
            if (part.labels.size() == 1) return (*rows)[part.token * stride + part.labels[0]];
            if (part.labels.size() == 2) return sums[part.labels[0] * stride + part.labels[1]];
            LabelKey key = 0;
            for (const std::uint16_t y : part.labels) key = extended(key, y, kMaxOrder + 1);
            const std::uint32_t number = higher.ngrams.find(key);
            return number == LabelNgrams::kNone ? std::numeric_limits<float>::quiet_NaN()
                                                : sums[higher.chain.labels * stride + number];
          }};
}

// Calls check(name, answer) for every engine that can hold the sentence.
template <class Check>
void for_each_engine(Sentence& sentence, const TrainingObjective& goal, const LossTables& tables,
                     const Check& check) {
  if (sentence.higher.order <= 1) {
    check("dense", ask_dense(sentence, goal, tables));
    check("edges", ask_edges(sentence, goal, tables));
  }
  if (sentence.higher.order >= 1) check("lattice", ask_lattice(sentence, goal, tables));
}

// The generic engine's parts, with the scores of the sentence.
struct Generic {
  Generic(const Sentence& sentence, bool counts_items)
      : structure(sentence.data, sentence.constraints, sentence.higher.order,
                  counts_items ? &sentence.rules : nullptr) {
    structure.lay_out(0, example);
    const HigherChain& higher = sentence.higher;
    for (const PartCell& cell : example.features.cells()) {
      Part part;
      std::size_t length = 1;
      while (structure.first_output(length + 1) <= cell.output) ++length;
      std::size_t code = cell.output - structure.first_output(length);
      for (; part.labels.size() < length; code /= sentence.data.num_labels) {
        part.labels.insert(part.labels.begin(),
                           static_cast<std::uint16_t>(code % sentence.data.num_labels));
      }
      if (length == 1) part.token = cell.row - higher.order;
      scores.push_back(score(higher, part));
      parts.push_back(std::move(part));
    }
  }
  static float score(const HigherChain& higher, const Part& part) {
    const auto& y = part.labels;
    if (y.size() == 1) return higher.chain.scores[part.token * higher.chain.stride + y[0]];
    if (y.size() == 2) return higher.chain.transitions.score(y[0], y[1]);
    LabelKey key = 0;
    for (const std::uint16_t label : y) key = extended(key, label, kMaxOrder + 1);
    const std::uint32_t number = higher.ngrams.find(key);
    const std::size_t pairs = higher.chain.labels * higher.chain.stride;
    return number == LabelNgrams::kNone ? 0.0f : higher.parts[pairs + number];
  }

  ChainStructure structure;
  learn::PartExample example;
  std::vector<Part> parts;
  std::vector<float> scores;
};

void expect_agreement(Sentence& sentence, const TrainingObjective& goal) {
  const bool counts_items = goal.has_loss();
  Generic generic(sentence, counts_items);
  const learn::PartLoss loss(goal, {});
  learn::ForestEngine engine(generic.example.forest, generic.example.target, &loss, generic.scores);
  const double value = ask(goal, engine);
  const LossTables tables(goal, sentence.scheme.labels, sentence.scheme.scheme);
  for_each_engine(sentence, goal, tables, [&](const char* name, const Answer& answer) {
    SCOPED_TRACE(name);
    ASSERT_NEAR(answer.value, value, kTolerance * (1 + std::abs(value)));
    for (std::size_t i = 0; i < generic.parts.size(); ++i) {
      const float derivative = answer.derivative(generic.parts[i]);
      if (std::isnan(derivative)) continue;  // a sequence that has no score of its own there
      ASSERT_NEAR(derivative, generic.scores[i], kTolerance * (1 + std::abs(generic.scores[i])))
          << "part " << i << " of " << generic.parts[i].labels.size() << " labels";
    }
  });
}

template <class Check>
void for_each_sentence(bool is_partial, const Check& check) {
  for (const testing::Scheme& scheme : testing::kSchemes) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      for (unsigned order = 0; order <= (seed % 4 > 1 ? 1u : kMaxOrder); ++order) {
        SCOPED_TRACE(::testing::Message()
                     << text::to_string(scheme.scheme) << " seed " << seed << " order " << order);
        Sentence sentence(seed, order, scheme, is_partial);
        check(sentence);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Engines, AgreeWithTheGenericOneOnEveryObjectiveAndLoss) {
  for_each_sentence(false, [](Sentence& sentence) {
    for (const ObjectiveKind goal : {ObjectiveKind::kLikelihood, ObjectiveKind::kTeacher,
                                     ObjectiveKind::kParts, ObjectiveKind::kEntropy}) {
      SCOPED_TRACE(std::string(name(goal)));
      expect_agreement(sentence, {.goal = goal});
      if (::testing::Test::HasFatalFailure()) return;
    }
    for (const ObjectiveKind goal :
         {ObjectiveKind::kSoftmaxMargin, ObjectiveKind::kRisk, ObjectiveKind::kAnnealedRisk}) {
      for (const LossName loss :
           {LossName::kHamming, LossName::kDecPrecision, LossName::kDecRecall, LossName::kDecF1,
            LossName::kPrecision, LossName::kRecall, LossName::kF}) {
        SCOPED_TRACE(::testing::Message() << name(goal) << " loss " << static_cast<int>(loss));
        expect_agreement(sentence, {.goal = goal, .loss = loss, .loss_scale = 1.5});
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

TEST(Engines, AgreeWithTheGenericOneOnLossesOfTheCorpus) {
  for_each_sentence(false, [](Sentence& sentence) {
    for (const ObjectiveKind goal : {ObjectiveKind::kSoftmaxMargin, ObjectiveKind::kRisk}) {
      SCOPED_TRACE(std::string(name(goal)));
      expect_agreement(sentence, {.goal = goal, .loss = LossName::kF, .of_corpus = true});
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(Engines, AgreeWithTheGenericOneOnPartialAnnotation) {
  for_each_sentence(true, [](Sentence& sentence) { expect_agreement(sentence, {}); });
}

TEST(Engines, OfChainsAgreeOnPseudoLikelihoodWhichForestsDoNotHave) {
  for_each_sentence(false, [](Sentence& sentence) {
    if (sentence.higher.order != 1) return;
    const TrainingObjective goal{.goal = ObjectiveKind::kPseudoLikelihood};
    const LossTables tables(goal, sentence.scheme.labels, sentence.scheme.scheme);
    const Answer dense = ask_dense(sentence, goal, tables);
    for_each_engine(sentence, goal, tables, [&](const char* name, const Answer& answer) {
      EXPECT_NEAR(answer.value, dense.value, kTolerance * (1 + dense.value)) << name;
    });
    Generic generic(sentence, false);
    learn::ForestEngine engine(generic.example.forest, generic.example.target, nullptr,
                               generic.scores);
    EXPECT_THROW(engine.pseudo_likelihood(), InvalidArgument);
  });
}

}  // namespace
}  // namespace coppice::chain

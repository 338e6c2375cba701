// Structure x potential x objective x decoder: chains, the trees of a grammar and the segments of
// examples/own_structure.cc run through the same table, each by saying no more of itself than
// learn/structure.h asks for.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <tuple>

#define main own_structure_main  // NOLINT: the example's own, which is a test by itself
#include "examples/own_structure.cc"
#undef main

#include "chain/structure.h"
#include "coppice/base/random.h"
#include "coppice/forest/sample.h"
#include "coppice/learn/forest_engine.h"
#include "coppice/learn/min_risk.h"
#include "coppice/learn/part_explanation.h"
#include "coppice/semiring/log.h"
#include "coppice/span/parse.h"
#include "coppice/text/spans.h"

namespace {

using learn::LossName;
using learn::ObjectiveKind;
using learn::PartExample;
using learn::PartModel;
using learn::PartTraining;
using learn::Potential;
using learn::TrainingObjective;

// --- three structures ---------------------------------------------------------------------------

class Chains final : public learn::Structure {
 public:
  Chains() : rules_(kNames, text::Scheme::kIob2) {
    Random random(3);
    data_.num_labels = kNames.size();
    data_.design.num_attributes = 6;
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t t = 0; t < 2 + i % 3; ++t) {
        const auto label = static_cast<std::uint16_t>(random.below(kNames.size()));
        data_.design.attributes.push_back(label);  // tells, mostly
        data_.design.attributes.push_back(static_cast<std::uint32_t>(3 + random.below(3)));
        data_.design.begin.push_back(static_cast<std::uint32_t>(data_.design.attributes.size()));
        data_.gold.push_back(random.below(5) == 0 ? 0 : label);
        data_.gold_begin.push_back(static_cast<std::uint32_t>(data_.gold.size()));
        for (std::size_t y = 0; y < kNames.size(); ++y)
          data_.soft.push_back(y == label ? .5f : .25f);
      }
      data_.sentence_begin.push_back(static_cast<std::uint32_t>(data_.gold.size()));
    }
    chain_ = std::make_unique<chain::ChainStructure>(data_, constraints_, 1, &rules_);
  }
  std::size_t num_examples() const noexcept override { return chain_->num_examples(); }
  std::size_t num_outputs() const noexcept override { return chain_->num_outputs(); }
  void lay_out(std::size_t i, PartExample& out) const override {
    chain_->lay_out(i, out);
    // Of the edges that differ in the bit "still matching" a teacher says nothing: it gets the
    // gold answer.
    out.target.teacher = EdgeMap<double>(out.forest.forest.num_edges(), 0.0);
    const auto right = best_derivation(out.forest.forest, gold_scores(out));
    for (const EdgeId edge : right->edges) out.target.teacher[edge] = 1;
  }
  static EdgeMap<double> gold_scores(const PartExample& example) {
    EdgeMap<double> scores(example.forest.forest.num_edges(), -1e6);
    for (const EdgeId edge : example.forest.forest.edges()) {
      if (example.target.gold[edge] != 0) scores[edge] = 0;
    }
    return scores;
  }

 private:
  static inline const std::vector<std::string> kNames{"O", "B-X", "I-X"};
  chain::Dataset data_;
  chain::Constraints constraints_;
  chain::ItemRules rules_;
  std::unique_ptr<chain::ChainStructure> chain_;
};

// Trees of an ambiguous grammar: parts are rules, and rules with the word that they begin at. The
// first tree is right; its nodes are the items.
class GrammarTrees final : public learn::Structure {
 public:
  GrammarTrees() : parser_(span::parse_grammar("S -> S S | 'a' | 'b'\nS -> S 'b'\n")) {
    for (const char* text : {"a a b", "b a a b", "a b b", "a a", "b b a"}) {
      std::istringstream words(text);
      sentences_.emplace_back(std::istream_iterator<std::string>(words),
                              std::istream_iterator<std::string>());
    }
  }
  std::size_t num_examples() const noexcept override { return sentences_.size(); }
  std::size_t num_outputs() const noexcept override { return parser_.grammar().num_rules(); }

  void lay_out(std::size_t i, PartExample& out) const override {
    const span::ParseResult parsed = parser_.parse(sentences_[i]);
    const auto right =
        best_derivation(parsed.forest, EdgeMap<double>(parsed.forest.num_edges(), 0.0));
    const std::set<EdgeId> gold(right->edges.begin(), right->edges.end());
    std::set<NodeId> gold_nodes;
    for (const EdgeId edge : gold) gold_nodes.insert(parsed.forest.head(edge));
    learn::ExampleBuilder forest(out);
    const std::uint32_t anywhere = out.features.add_row();
    out.features.add(text::key_of_name("rule"));
    const PartId first = out.features.add_parts(anywhere, 0, num_outputs());
    std::uint32_t num_gold = 0;
    for (const NodeId node : parsed.forest.nodes()) {
      const bool is_item = parsed.nodes[node].kind == span::NodeKind::kNonterminal;
      const bool is_right = gold_nodes.contains(node);
      num_gold += is_item && is_right ? 1 : 0;
      const std::uint32_t row = out.features.add_row();
      out.features.add(text::key_of_name("word=" + sentences_[i][parsed.nodes[node].begin]));
      const PartId here = out.features.add_parts(row, 0, num_outputs());
      forest.add_node();
      for (const EdgeId edge : parsed.forest.incoming(node)) {
        std::vector<PartId> parts;
        if (parsed.rules[edge] != span::kNoRule) {
          parts = {first + index(parsed.rules[edge]), here + index(parsed.rules[edge])};
        }
        forest.add_edge(node, parsed.forest.tails(edge), parts,
                        {.is_gold = gold.contains(edge),
                         .counts = {is_item && is_right ? 1u : 0u, is_item ? 1u : 0u},
                         .due = is_item && is_right ? 1u : 0u});
        out.target.teacher.push_back(gold.contains(edge) ? 1 : 0);
      }
    }
    forest.finish(num_gold);
  }

 private:
  span::Parser parser_;
  std::vector<std::vector<std::string>> sentences_;
};

class Segments final : public learn::Structure {
 public:
  Segments() {
    const Text short_text{{"two", "ripe", "tomatoes"}, {0, 0, kNone, 1}, {0, 5, 0, 2}};
    const Text other{{"chopped", "tomatoes"}, {0, 0, 1}, {0, 4, 2}};
    const Text last{{"two", "cups", "of", "rice"}, {0, 0, 1, 2, 3}, {0, 5, 7, 0, 2}};
    segmenter_.texts = {short_text, other, last};
  }
  std::size_t num_examples() const noexcept override { return segmenter_.num_examples(); }
  std::size_t num_outputs() const noexcept override { return segmenter_.num_outputs(); }
  void lay_out(std::size_t i, PartExample& out) const override {
    segmenter_.lay_out(i, out);
    out.target.teacher = EdgeMap<double>(out.forest.forest.num_edges(), 0.0);
    const auto right = best_derivation(out.forest.forest, Chains::gold_scores(out));
    for (const EdgeId edge : right->edges) out.target.teacher[edge] = 1;
  }

 private:
  Segmenter segmenter_;
};

// --- the table ----------------------------------------------------------------------------------

std::vector<TrainingObjective> objectives() {
  std::vector<TrainingObjective> all;
  for (const ObjectiveKind goal :
       {ObjectiveKind::kLikelihood, ObjectiveKind::kTeacher, ObjectiveKind::kParts}) {
    all.push_back({.goal = goal});
  }
  for (const LossName loss :
       {LossName::kHamming, LossName::kDecPrecision, LossName::kDecRecall, LossName::kDecF1,
        LossName::kPrecision, LossName::kRecall, LossName::kF}) {
    for (const ObjectiveKind goal :
         {ObjectiveKind::kSoftmaxMargin, ObjectiveKind::kRisk, ObjectiveKind::kAnnealedRisk}) {
      all.push_back({.goal = goal, .loss = loss});
    }
  }
  for (const ObjectiveKind goal : {ObjectiveKind::kSoftmaxMargin, ObjectiveKind::kRisk}) {
    all.push_back({.goal = goal, .loss = LossName::kF, .of_corpus = true});
  }
  return all;
}

// The objective, in its first own stage, at the scores of a model (null: all 0).
double value_of(const learn::Structure& structure, const TrainingObjective& goal,
                const PartModel* model) {
  learn::StagedObjective objective(goal);
  if (goal.is_risk()) objective.advance();
  const learn::PartLoss loss(goal, {});
  const auto for_each = [&](const auto& visit) {
    for (std::size_t i = 0; i < structure.num_examples(); ++i) {
      PartExample example;
      structure.lay_out(i, example);
      std::vector<float> scores(example.features.num_parts(), 0.0f);
      if (model != nullptr) scores = model->part_scores(example.features);
      learn::ForestEngine engine(example.forest, example.target, &loss, scores);
      visit(engine, i);
    }
  };
  if (objective.looks_ahead()) {
    objective.begin_look(structure.num_examples());
    for_each([&](learn::Engine& engine, std::size_t i) { objective.look(engine, i); });
    objective.end_look();
  }
  double sum = 0;
  for_each([&](learn::Engine& engine, std::size_t i) { sum += objective.evaluate(engine, i); });
  return sum;
}

learn::PartTrainingOptions options_of(const TrainingObjective& goal, Potential potential) {
  learn::PartTrainingOptions options{.potential = potential, .objective = goal};
  options.objective.annealing.temperature = 0.5;
  options.loop.trainer = {.l2 = 0.01, .stochastic_passes = 2, .stage_iterations = 3};
  options.loop.trainer.stopping.max_iterations = 8;
  options.loop.rounds = potential == Potential::kLinear ? 0 : 8;
  options.boosting = {.max_leaves = 4, .shrinkage = 0.5, .stage_rounds = 2};
  return options;
}

PartModel train(const learn::Structure& structure, const TrainingObjective& goal,
                Potential potential, unsigned threads = 1) {
  PartTraining training(structure, nullptr, options_of(goal, potential));
  const Threads workers(threads);
  while (training.iterate(workers)) {
  }
  return training.model();
}

void expect_decoders(const learn::Structure& structure, const PartModel& model) {
  Random random(5);
  for (std::size_t i = 0; i < structure.num_examples(); ++i) {
    PartExample example;
    structure.lay_out(i, example);
    const Forest& forest = example.forest.forest;
    const EdgeMap<double> scores = model.edge_scores(example);
    const auto best = best_derivation(forest, scores);
    ASSERT_TRUE(best.has_value());
    const auto listed = k_best(forest, scores, 4);
    ASSERT_NEAR(listed.front().score, best->score, 1e-9);
    for (std::size_t k = 1; k < listed.size(); ++k) {
      EXPECT_LE(listed[k].score, listed[k - 1].score);
      EXPECT_NE(listed[k].edges, listed[k - 1].edges);
    }
    const auto sampled =
        sample_derivation(forest, scores, inside<LogSemiring>(forest, scores), random);
    ASSERT_TRUE(sampled.has_value());
    EXPECT_TRUE(is_derivation(forest, sampled->edges));
    double sum = 0;
    const auto p = part_marginals(example.forest, scores, example.features.num_parts());
    for (const double one : p) sum += one;
    EXPECT_GT(sum, 0);
    EdgeFeatures items;
    for (const EdgeId edge : forest.edges()) {
      if (example.target.counts[edge].d > 0) {
        items.add_edge({{static_cast<FeatureId>(index(edge)), 1.0}});
      } else {
        items.add_edge({});
      }
    }
    const auto least = learn::min_risk(forest, scores, items, learn::kAllErrors);
    ASSERT_TRUE(least.has_value());
    EXPECT_TRUE(is_derivation(forest, least->derivation.edges));
    EXPECT_GE(least->risk, -1e-9);
  }
}

void expect_table(const learn::Structure& structure, bool has_labels) {
  for (const TrainingObjective& goal : objectives()) {
    const bool refused = goal.has_loss() && goal.loss == LossName::kHamming && !has_labels;
    for (const Potential potential :
         {Potential::kLinear, Potential::kTrees, Potential::kLinearAndTrees}) {
      SCOPED_TRACE(::testing::Message()
                   << learn::name(goal.goal) << " loss " << static_cast<int>(goal.loss)
                   << (goal.of_corpus ? " of the corpus" : "") << " potential "
                   << static_cast<int>(potential));
      if (refused) {
        EXPECT_THROW(train(structure, goal, potential), InvalidArgument);
        continue;
      }
      const PartModel model = train(structure, goal, potential);
      EXPECT_EQ(model.has_linear(), potential != Potential::kTrees);
      EXPECT_EQ(model.has_trees(), potential != Potential::kLinear);
      TrainingObjective first = goal;
      first.annealing.temperature = 0;
      EXPECT_LT(value_of(structure, first, &model), value_of(structure, first, nullptr) + 1e-6);
      expect_decoders(structure, model);
    }
  }
}

TEST(Seam, TrainsAndDecodesChainsWithEveryObjectiveAndPotential) { expect_table(Chains(), true); }
TEST(Seam, TrainsAndDecodesTreesOfAGrammar) { expect_table(GrammarTrees(), false); }
TEST(Seam, TrainsAndDecodesTheSegmentsOfTheExample) { expect_table(Segments(), false); }

TEST(Seam, WritesModelsThatScoreTheSameWhenRead) {
  const Segments segments;
  for (const Potential potential :
       {Potential::kLinear, Potential::kTrees, Potential::kLinearAndTrees}) {
    const PartModel model = train(segments, {}, potential);
    ModelWriter writer("segment");
    model.write(writer);
    std::stringstream file;
    writer.write(file);
    const std::string bytes = file.str();
    const PartModel again = PartModel::read(ModelFile::from_bytes(std::as_bytes(std::span(bytes))));
    for (std::size_t i = 0; i < segments.num_examples(); ++i) {
      PartExample example;
      segments.lay_out(i, example);
      EXPECT_EQ(model.part_scores(example.features), again.part_scores(example.features));
    }
  }
}

TEST(Seam, ExplainsADerivationAgainstAnotherBySumsThatAddUp) {
  const Segments segments;
  for (const Potential potential : {Potential::kLinear, Potential::kLinearAndTrees}) {
    const PartModel model = train(segments, {}, potential);
    PartExample example;
    segments.lay_out(0, example);
    const auto two = k_best(example.forest.forest, model.edge_scores(example), 2);
    const auto why = learn::explain(model, example, two[0].edges, two[1].edges);
    EXPECT_NEAR(why.difference, two[0].score - two[1].score, 1e-5);
    ASSERT_FALSE(why.parts.empty());
    for (const auto& part : why.parts) {
      double sum = part.trees;
      for (const auto& feature : part.features) sum += feature.score;
      EXPECT_NEAR(sum, part.score, 1e-5);
    }
  }
}

TEST(Seam, RefusesThePseudoLikelihoodOfForestsInOneSentence) {
  try {
    train(Segments(), {.goal = ObjectiveKind::kPseudoLikelihood}, Potential::kLinear);
    FAIL() << "nothing was refused";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("pseudo-likelihood"), std::string::npos);
  }
}

TEST(Seam, GivesTheSameModelWithAnyNumberOfThreads) {
  for (const Potential potential :
       {Potential::kLinear, Potential::kTrees, Potential::kLinearAndTrees}) {
    const TrainingObjective goal{.goal = ObjectiveKind::kSoftmaxMargin, .loss = LossName::kF};
    const PartModel one = train(Segments(), goal, potential, 1);
    const PartModel three = train(Segments(), goal, potential, 3);
    EXPECT_EQ(one.parts().weights, three.parts().weights);
    EXPECT_EQ(one.parts().trees.begin, three.parts().trees.begin);
  }
}

TEST(Seam, GoesOnFromACheckpointToTheSameModel) {
  const Chains chains;
  const Threads threads(1);
  for (const Potential potential : {Potential::kLinear, Potential::kLinearAndTrees}) {
    const auto options =
        options_of({.goal = ObjectiveKind::kRisk, .loss = LossName::kF}, potential);
    for (const int stop : {1, 3, 6, 12}) {
      PartTraining whole(chains, &chains, options);
      std::stringstream saved;
      for (int i = 0; whole.iterate(threads); ++i) {
        if (i == stop) whole.save(saved);
      }
      if (saved.str().empty()) continue;  // it was over sooner
      PartTraining resumed(chains, &chains, options);
      resumed.load(saved, threads);
      while (resumed.iterate(threads)) {
      }
      EXPECT_EQ(whole.model().parts().weights, resumed.model().parts().weights) << stop;
      EXPECT_EQ(whole.loop().kept_score(), resumed.loop().kept_score()) << stop;
    }
  }
}

}  // namespace

// A tagger learns, is written, read again, and answers with exact probabilities.
#include "coppice/tag/tagger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "chain/enumerate_chain.h"
#include "coppice/base/error.h"
#include "support/model_bytes.h"
#include "tag/session_state.h"
#include "tag/small_tagger.h"
#include "tag/tagger_state.h"
#include "tag/tagger_writer.h"

namespace coppice::tag {
namespace {

using testing::bytes_of;
using testing::kTrain;
using testing::options;
using testing::sentences;
using testing::trained;

TaggerTrainingOptions options_with_trees() {
  TaggerTrainingOptions made = options();
  made.trees = TreeTrainingOptions{.boosting = {.max_leaves = 6}, .rounds = 20};
  return made;
}

TaggerTrainingOptions options_with_pairs() {
  TaggerTrainingOptions made = options();
  made.templates = text::parse_templates(
      "w[-1..1]\nprefix(w[0],1)\ntransition\ntransition: w[0]\ntransition: w[-1]|w[0]\n");
  return made;
}

enum class Potential { kLinear, kTrees, kBoth, kPairs, kPairsAndTrees };
struct Shape {
  Potential potential = Potential::kLinear;
  unsigned order = 1;
  double prune = 0;
};
void PrintTo(const Shape& shape, std::ostream* out) {
  const char* names[] = {"linear", "trees", "linear+trees", "pairs", "pairs+trees"};
  *out << names[static_cast<int>(shape.potential)] << ", order " << shape.order << ", pruned by "
       << shape.prune;
}

class TaggerOf : public ::testing::TestWithParam<Shape> {
 protected:
  static TaggerTrainingOptions settings() {
    if (GetParam().potential == Potential::kLinear) {
      return options(GetParam().order, GetParam().prune);
    }
    if (GetParam().potential == Potential::kPairs) return options_with_pairs();
    TaggerTrainingOptions made = options_with_trees();
    made.chain = {.order = GetParam().order, .prune = GetParam().prune};
    made.trees->beside_linear = GetParam().potential != Potential::kTrees;
    if (GetParam().potential == Potential::kPairsAndTrees) {
      made.templates = options_with_pairs().templates;
    }
    return made;
  }
};
INSTANTIATE_TEST_SUITE_P(
    Shapes, TaggerOf,
    ::testing::Values(Shape{}, Shape{Potential::kTrees}, Shape{Potential::kBoth},
                      Shape{Potential::kPairs}, Shape{Potential::kPairsAndTrees},
                      Shape{Potential::kLinear, 1, 0.01}, Shape{Potential::kLinear, 2},
                      Shape{Potential::kLinear, 2, 0.01}, Shape{Potential::kLinear, 3},
                      Shape{Potential::kLinear, 3, 0.01}, Shape{Potential::kTrees, 2},
                      Shape{Potential::kTrees, 3}, Shape{Potential::kBoth, 1, 0.01},
                      Shape{Potential::kBoth, 2}, Shape{Potential::kBoth, 2, 0.01},
                      Shape{Potential::kBoth, 3, 0.01}));

TEST_P(TaggerOf, FitsItsTrainingData) {
  const TaggerTraining training = trained(settings(), 1);
  const Tagger tagger = training.tagger();
  EXPECT_EQ(tagger.config().scheme, text::Scheme::kIob2);
  TaggingSession session(tagger);
  FeatureCells columns({0});
  std::vector<std::uint16_t> labels;
  for (const text::Sentence& sentence : sentences(kTrain)) {
    session.read(sentence, columns);
    session.best_labels(labels);
    for (std::size_t t = 0; t < sentence.num_tokens(); ++t) {
      EXPECT_EQ(tagger.label(labels[t]), sentence.cell(t, 1)) << sentence.cell(t, 0);
    }
  }
}

TEST_P(TaggerOf, GivesProbabilitiesThatEnumerationConfirms) {
  const Tagger tagger = trained(settings(), 1).tagger();
  TaggingSession session(tagger);
  FeatureCells columns({0});
  session.read(sentences("the X\ncan X\ncan X\nswim X\n\n")[0], columns);
  std::vector<double> unary(4 * tagger.num_labels(), 0.0);
  double total = 0, middle = 0, whole = 0;
  const text::LabelledSpan span{.begin = 1, .end = 3, .type = "T"};
  std::map<double, std::vector<std::uint16_t>, std::greater<>> ranked;
  chain::testing::each_sequence(
      4, tagger.num_labels(), [&](const std::vector<std::uint16_t>& labels) {
        const double p = std::exp(session.log_probability(labels));
        total += p;
        ranked[p] = labels;
        if (labels[1] == 2 && labels[2] == 3) middle += p;
        std::vector<std::string_view> names;
        for (const std::uint16_t label : labels) names.push_back(tagger.label(label));
        const auto spans = text::spans_of(names, tagger.config().scheme, text::Reading::kLenient);
        if (std::find(spans.begin(), spans.end(), span) != spans.end()) whole += p;
        for (std::size_t t = 0; t < 4; ++t) unary[t * tagger.num_labels() + labels[t]] += p;
      });
  EXPECT_NEAR(total, 1, 1e-4);
  for (std::size_t t = 0; t < 4; ++t) {
    for (std::size_t y = 0; y < tagger.num_labels(); ++y) {
      EXPECT_NEAR(session.posteriors(t)[y], unary[t * tagger.num_labels() + y], 1e-4);
    }
  }
  const std::vector<std::uint16_t> segment{2, 3};
  EXPECT_NEAR(session.segment_probability(1, segment), middle, 1e-4);
  EXPECT_NEAR(session.span_probability(span), whole, 1e-4);
  EXPECT_EQ(session.span_probability({.begin = 1, .end = 3, .type = "none"}), 0);
  std::vector<std::uint16_t> viterbi;
  const double score = session.best_labels(viterbi);
  EXPECT_EQ(viterbi, ranked.begin()->second);
  EXPECT_NEAR(session.log_partition() + session.log_probability(viterbi), score, 1e-3);
  const auto best = session.k_best(3);
  ASSERT_GE(best.size(), GetParam().prune > 0 ? 1u : 3u);
  auto expected = ranked.begin();
  for (const LabelSequence& sequence : best) {
    EXPECT_EQ(sequence.labels, expected->second);
    EXPECT_NEAR(std::exp(sequence.log_probability), (expected++)->first, 1e-4);
  }
  Random random(1);
  std::size_t first = 0;
  for (const LabelSequence& drawn : session.samples(2000, random)) {
    first += drawn.labels == best[0].labels ? 1 : 0;
    EXPECT_NEAR(drawn.log_probability, session.log_probability(drawn.labels), 1e-5);
  }
  EXPECT_NEAR(static_cast<double>(first) / 2000, std::exp(best[0].log_probability), 0.05);
}

TEST_P(TaggerOf, NeverBreaksTheScheme) {
  const Tagger tagger = trained(settings(), 1).tagger();
  TaggingSession session(tagger);
  FeatureCells columns({0});
  for (const text::Sentence& sentence : sentences("can X\ncan X\n\nrusts X\ncan X\ntin X\n\n")) {
    session.read(sentence, columns);
    for (const LabelSequence& sequence : session.k_best(1000)) {
      std::string_view previous = "O";
      for (const std::uint16_t label : sequence.labels) {
        EXPECT_TRUE(text::allowed(text::Scheme::kIob2, previous, tagger.label(label)));
        previous = tagger.label(label);
      }
    }
  }
}

TEST_P(TaggerOf, GivesTheSameBytesForAnyNumberOfThreads) {
  EXPECT_EQ(bytes_of(trained(settings(), 1)), bytes_of(trained(settings(), 3)));
}

TEST_P(TaggerOf, GoesOnWhereItWasInterrupted) {
  const std::string whole = bytes_of(trained(settings(), 1));
  for (const int steps : {2, 6, 9}) {
    TaggerTraining first(settings()), second(settings());
    for (const text::Sentence& sentence : sentences(kTrain)) {
      first.add(sentence);
      second.add(sentence);
    }
    first.begin();
    for (int i = 0; i < steps; ++i) first.iterate(Threads(1));
    std::stringstream checkpoint;
    first.save(checkpoint);
    second.begin();
    second.load(checkpoint, Threads(2));
    while (second.iterate(Threads(1))) {
    }
    EXPECT_EQ(bytes_of(second), whole) << steps;
  }
}

// The scores of a model with both are those of its linear part and those of its trees.
TEST(TaggerTraining, TreesBesideWeightsAddToThem) {
  TaggerTrainingOptions settings = options_with_trees();
  settings.trees->beside_linear = true;
  settings.trees->rounds = 3;
  settings.trainer.l2 = 5;  // leaves something to the trees
  TaggerTrainingOptions linear_settings = settings;
  linear_settings.trees.reset();
  const TaggerTraining training = trained(settings, 1);
  const Tagger both = training.tagger(), linear = trained(linear_settings, 1).tagger();
  ASSERT_NE(both.trees(), nullptr);
  EXPECT_EQ(both.trees()->trees().num_trees(), 3 * both.num_labels());
  TaggingSession session(both), of_linear(linear);
  FeatureCells columns({0});
  const chain::EdgeShape shape = both.state().shape();
  std::vector<double> by_trees(shape.block());
  double loss_of_both = 0, loss_of_linear = 0;
  for (const text::Sentence& sentence : sentences(kTrain)) {
    session.read(sentence, columns);
    of_linear.read(sentence, columns);
    text::Extractor extractor = both.extractor();
    text::Attributes attributes;
    extractor.extract(columns.of(sentence), attributes);
    FrozenTrees::Scratch scratch;
    std::vector<std::uint16_t> gold;
    for (std::size_t t = 0; t < sentence.num_tokens(); ++t) {
      const auto& labels = both.config().labels;
      gold.push_back(static_cast<std::uint16_t>(
          std::find(labels.begin(), labels.end(), sentence.cell(t, 1)) - labels.begin()));
      const auto begin = attributes.states.offsets[t], end = attributes.states.offsets[t + 1];
      both.trees()->score(std::span(attributes.states.keys).subspan(begin, end - begin), {},
                          by_trees, scratch);
      for (std::size_t state = shape.first_state(t); state < shape.last_state(t); ++state) {
        for (std::size_t y = 0; y < shape.labels; ++y) {
          const double pair = t > 0 ? linear.state().transitions().score(state, y) : 0.0;
          const double sum = of_linear.scores(t)[y] + pair + by_trees[state * shape.labels + y];
          const double score = session.state().tempered_edges()[shape.place(t, state, y)];
          if (std::isinf(sum)) {
            EXPECT_EQ(score, sum);
          } else {
            EXPECT_NEAR(score, sum, 1e-4);
          }
        }
      }
    }
    loss_of_both -= session.log_probability(gold);
    loss_of_linear -= of_linear.log_probability(gold);
  }
  EXPECT_LT(loss_of_both, 0.5 * loss_of_linear);
}

TEST(TaggerTraining, TreesFindFoldedKeysAgain) {
  TaggerTrainingOptions settings = options_with_trees();
  settings.encoder.hash_bits = 12;
  const Tagger tagger = testing::reloaded(trained(settings, 1));
  TaggingSession session(tagger);
  FeatureCells columns({0});
  std::vector<std::uint16_t> labels;
  for (const text::Sentence& sentence : sentences(kTrain)) {
    session.read(sentence, columns);
    session.best_labels(labels);
    for (std::size_t t = 0; t < sentence.num_tokens(); ++t) {
      EXPECT_EQ(tagger.label(labels[t]), sentence.cell(t, 1));
    }
  }
}

TEST(TaggerTraining, KeepsTheLinearPartAloneWhereTreesAreNoBetter) {
  TaggerTrainingOptions settings = options_with_trees();
  settings.trees->beside_linear = true;
  settings.patience = 2;
  settings.check_every = 1;
  settings.curve = true;
  TaggerTraining training(settings);
  for (const text::Sentence& sentence : sentences(kTrain)) {
    training.add(sentence);
    training.add_development(sentence);
  }
  training.begin();
  std::size_t curves = 0;
  while (training.iterate(Threads(1))) {
    ASSERT_EQ(training.curve().has_value(), training.loop().progress().boosting);
    if (!training.curve()) continue;
    ++curves;
    EXPECT_EQ(training.curve()->train_viterbi, training.curve()->development_viterbi);
    EXPECT_EQ(training.curve()->train_posterior, training.curve()->development_posterior);
    EXPECT_GT(training.curve()->train_viterbi, 0.9);
  }
  EXPECT_EQ(curves, 2u);  // the linear part has no error, so that patience ends soon
  EXPECT_EQ(training.tagger().trees(), nullptr);
  EXPECT_EQ(training.loop().kept_score(), 1.0);
}

// A training that is checked after each iteration, on what it is trained on, and loses patience
// soon.
TaggerTraining impatient(TaggerTrainingOptions settings) {
  settings.patience = 2;
  settings.check_every = 1;
  TaggerTraining training(settings);
  for (const text::Sentence& sentence : sentences(kTrain)) {
    training.add(sentence);
    training.add_development(sentence);
  }
  training.begin();
  return training;
}

TEST(TaggerTraining, KeepsTheBestCheckAndStopsWithoutProgress) {
  TaggerTraining training = impatient(options());
  double best = 0;
  while (training.iterate(Threads(1))) best = std::max(best, training.loop().development().score);
  EXPECT_EQ(best, 1.0);
  EXPECT_EQ(training.loop().stopped(), "development score not better for 2 checks");
  EXPECT_LT(training.loop().kept_iteration(), training.loop().progress().iteration);
}

TaggerTrainingOptions for_risk() {
  TaggerTrainingOptions settings = options();
  settings.objective.goal = learn::ObjectiveKind::kRisk;
  settings.objective.loss = learn::LossName::kF;
  return settings;
}

// Remarks are of sentences that have been split by counts: of the risk.
TEST(TaggerTraining, PatienceEndsAStage) {
  TaggerTraining training = impatient(for_risk());
  while (training.remarks().empty() && training.iterate(Threads(1))) {
  }
  EXPECT_LT(training.loop().progress().iteration, 12u)
      << "the likelihood goes on for longer than that";
  while (training.iterate(Threads(1))) {
  }
  EXPECT_EQ(training.loop().stopped(), "development score not better for 2 checks");
}

TEST(TaggerTraining, RiskGoesOnFromAnOlderModelAtOnce) {
  const Tagger older = trained(options()).tagger();
  TaggerTrainingOptions settings = for_risk();
  settings.trainer.stochastic_passes = 0;
  TaggerTraining training(settings);
  training.start_from(older);
  for (const text::Sentence& sentence : sentences(kTrain)) training.add(sentence);
  training.begin();
  training.iterate(Threads(1));
  EXPECT_FALSE(training.remarks().empty());
}

TEST(TaggerTraining, KeepsTheTreesOfTheBestRound) {
  TaggerTrainingOptions settings = options_with_trees();
  settings.patience = 3;
  settings.check_every = 1;
  TaggerTraining training(settings);
  for (const text::Sentence& sentence : sentences(kTrain)) {
    training.add(sentence);
    training.add_development(sentence);
  }
  training.begin();
  while (training.iterate(Threads(1))) {
  }
  EXPECT_EQ(training.loop().kept_score(), 1.0);
  EXPECT_EQ(training.loop().progress().iteration, training.loop().kept_iteration() + 3);
  EXPECT_EQ(training.tagger().trees()->trees().num_trees(), training.loop().kept_iteration() * 4);
}

TEST(TaggerTraining, RefusesTemplatesOfPairsWhereChainsHaveNone) {
  for (const auto& [order, prune] : {std::pair{0u, 0.0}, {2u, 0.01}, {1u, 0.01}}) {
    TaggerTrainingOptions settings = options_with_pairs();
    settings.chain = {.order = order, .prune = prune};
    EXPECT_THROW(TaggerTraining{settings}, InvalidArgument) << order << ' ' << prune;
  }
  TaggerTrainingOptions trees = options_with_trees();
  trees.templates = options_with_pairs().templates;
  EXPECT_THROW(TaggerTraining{trees}, InvalidArgument);
  const Tagger older = trained(options_with_pairs()).tagger();
  TaggerTraining newer(options());
  EXPECT_THROW(newer.start_from(older), InvalidArgument);
}

// The edges of a sentence are the sum of what labels, pairs, and attributes with pairs weigh.
TEST(TaggerTraining, WeighsAttributesWithPairsOfLabels) {
  const Tagger tagger = testing::reloaded(trained(options_with_pairs()));
  ASSERT_NE(tagger.state().pairs(), nullptr);
  const auto& [potential, pairs] = *tagger.state().pairs();
  TaggingSession session(tagger);
  FeatureCells columns({0});
  const text::Sentence sentence = sentences("the X\ntin X\ncan X\n\n")[0];
  session.read(sentence, columns);
  text::Extractor extractor = tagger.extractor();
  text::Attributes attributes;
  extractor.extract(columns.of(sentence), attributes);
  const text::AttributeList& list = attributes.transitions;
  double sum_of_pairs = 0;
  for (std::size_t t = 1; t < 3; ++t) {
    std::map<std::pair<std::size_t, std::size_t>, double> weights;
    for (std::size_t k = list.offsets[t]; k < list.offsets[t + 1]; ++k) {
      const auto* slot = potential.find(list.keys[k]);
      if (slot == nullptr) continue;
      std::vector<LinearPotential::Entry> row;
      potential.read(*slot, row);
      for (const auto& entry : row) {
        weights[{pairs[entry.label].previous, pairs[entry.label].next}] += entry.weight;
        sum_of_pairs += std::abs(entry.weight);
      }
    }
    for (std::size_t u = 0; u < tagger.num_labels(); ++u) {
      for (std::size_t y = 0; y < tagger.num_labels(); ++y) {
        const double expected = session.scores(t)[y] + tagger.state().transitions().score(u, y) +
                                weights[std::pair(u, y)];
        const double score =
            session.state().tempered_edges()[tagger.state().shape().place(t, u, y)];
        if (std::isinf(expected)) {
          EXPECT_EQ(score, expected);
        } else {
          EXPECT_NEAR(score, expected, 1e-4);
        }
      }
    }
  }
  EXPECT_GT(sum_of_pairs, 0.1);
}

TEST(TaggerTraining, RefusesToLearnFromNothing) {
  TaggerTraining training(options());
  EXPECT_THROW(training.begin(), InvalidArgument);
}

TEST_P(TaggerOf, RefusesDamagedFiles) {
  const std::string good = bytes_of(trained(settings(), 1));
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    std::string bad = good;
    if (i % 2 == 0) {
      bad.resize(random.below(bad.size()));
    } else {
      bad[random.below(bad.size())] ^= static_cast<char>(1 << random.below(8));
    }
    EXPECT_THROW(Tagger(ModelFile::from_bytes(std::as_bytes(std::span(bad)))), ModelError) << i;
  }
}

// What a forger could write: checksums fit, but the label sequences make no sense.
// Two resources, so that each must find its own section again; rewritten, the file keeps them.
TEST(Tagger, KeepsListsAndClassesInSectionsOfTheirOwn) {
  TaggerTrainingOptions settings = options();
  settings.templates = text::parse_templates(
      "columns w\nclasses paths = paths.txt\nlist people = people.txt\n"
      "w[0]\ncluster(w[0],paths,2)\nin(w[0],people)\n");
  settings.resources = {{"paths", "0110\tcan\t3\n0111\t\"fish\"\t2\n"}, {"people", "we\n"}};
  const std::string bytes = bytes_of(trained(settings));
  const Tagger tagger(ModelFile::from_bytes(std::as_bytes(std::span(bytes))));
  EXPECT_EQ(tagger.config().resources, settings.resources);
  EXPECT_EQ(tagger.file().text("resource.0"), settings.resources.at("paths"));
  EXPECT_EQ(tagger.file().text("resource.1"), settings.resources.at("people"));
  EXPECT_EQ(tagger.file().text("config").find("0110"), std::string_view::npos);
  std::ostringstream out;
  rewrite_tagger(tagger, "{}").write(out);
  EXPECT_EQ(out.str(), bytes);
}

TEST(Tagger, RefusesLabelSequencesThatAreNone) {
  const std::string good = bytes_of(trained(options(2), 1));
  const std::size_t entry = good.find(std::string("ngrams\0", 7));
  ASSERT_NE(entry, std::string::npos);
  const auto at = coppice::testing::number_at<std::uint64_t>(good, entry + 24);
  const auto bytes = coppice::testing::number_at<std::uint64_t>(good, entry + 32);
  ASSERT_GE(bytes, 16u);
  const auto first = coppice::testing::number_at<chain::LabelKey>(good, at);
  const auto second = coppice::testing::number_at<chain::LabelKey>(good, at + 8);
  const auto refused = [&](chain::LabelKey one, chain::LabelKey other) {
    std::string bad = good;
    coppice::testing::put(bad, at, one);
    coppice::testing::put(bad, at + 8, other);
    bad = coppice::testing::resealed(bad);
    EXPECT_THROW(Tagger(ModelFile::from_bytes(std::as_bytes(std::span(bad)))), ModelError) << one;
  };
  refused(second, first);
  refused(first, first);
  refused(0, second);
  refused(0x10001, second);                               // a pair
  refused(chain::LabelKey{1} << 32 | 1, second);          // a hole
  refused(chain::LabelKey{9999} << 32 | 0x10001, first);  // a label that there is not
  refused(first, chain::LabelKey{1} << 48 | second);      // four labels
}

}  // namespace
}  // namespace coppice::tag

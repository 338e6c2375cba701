// Explanations add up, and agree with the list of all label sequences.
#include "coppice/tag/explanation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <sstream>

#include "chain/enumerate_chain.h"
#include "tag/session_state.h"
#include "tag/small_tagger.h"
#include "tag/tagger_state.h"

namespace coppice::tag {
namespace {

constexpr const char* kSentence = "the X\ncan X\ncan X\nswim X\n\n";

// p of each label at each token, over all sequences.
std::vector<std::vector<double>> enumerated(const Tagger& tagger, const text::Sentence& sentence) {
  TaggingSession session(tagger);
  FeatureCells columns({0});
  session.read(sentence, columns);
  std::vector<std::vector<double>> p(session.length(), std::vector<double>(tagger.num_labels()));
  chain::testing::each_sequence(session.length(), tagger.num_labels(), [&](const auto& labels) {
    const double probability = std::exp(session.log_probability(labels));
    for (std::size_t t = 0; t < labels.size(); ++t) p[t][labels[t]] += probability;
  });
  return p;
}

double sum_of_parts(const Explanation& explanation) {
  double sum = explanation.base + explanation.left.transition + explanation.left.beyond +
               explanation.right.transition + explanation.right.beyond;
  for (const FeatureContribution& feature : explanation.features) sum += feature.amount;
  return sum;
}

void expect_exact(const Tagger& tagger) {
  const text::Sentence sentence = testing::sentences(kSentence)[0];
  const auto p = enumerated(tagger, sentence);
  Explainer explainer(tagger);
  FeatureCells columns({0});
  explainer.read(sentence, columns);
  std::size_t explained = 0;
  for (std::size_t t = 0; t < p.size(); ++t) {
    for (std::uint16_t a = 0; a < tagger.num_labels(); ++a) {
      for (std::uint16_t b = 0; b < tagger.num_labels(); ++b) {
        if (a == b) continue;
        const auto explanation = explainer.explain(t, a, b);
        EXPECT_EQ(explanation.has_value(), p[t][a] > 0 && p[t][b] > 0) << t << ' ' << a << ' ' << b;
        if (!explanation) continue;
        ++explained;
        EXPECT_NEAR(sum_of_parts(*explanation), explanation->log_odds, 1e-9);
        EXPECT_NEAR(explanation->log_odds, std::log(p[t][a] / p[t][b]), 1e-3);
        EXPECT_NEAR(explanation->label_probability, p[t][a], 1e-4);
        EXPECT_NEAR(explanation->other_probability, p[t][b], 1e-4);
      }
    }
  }
  EXPECT_GT(explained, 20u);
}

TEST(Explanation, AddsUpToTheLogOddsThatEnumerationGives) {
  expect_exact(testing::trained(testing::options()).tagger());
}

TEST(Explanation, AddsUpWithoutTransitions) {
  TaggerTrainingOptions settings = testing::options();
  settings.chain.order = 0;
  const Tagger tagger = testing::trained(settings).tagger();
  expect_exact(tagger);
  Explainer explainer(tagger);
  FeatureCells columns({0});
  const text::Sentence sentence = testing::sentences(kSentence)[0];
  explainer.read(sentence, columns);
  const auto explanation = explainer.explain(1, 0);
  ASSERT_TRUE(explanation.has_value());
  EXPECT_FALSE(explanation->left.exists);
  EXPECT_FALSE(explanation->right.exists);
}

TEST(Explanation, AddsUpInChainsOfHigherOrderAndWherePruned) {
  for (const auto& [order, prune] : {std::pair{2u, 0.0}, {3u, 0.0}, {1u, 1e-4}, {2u, 1e-4}}) {
    SCOPED_TRACE(::testing::Message() << order << ' ' << prune);
    const Tagger tagger = testing::trained(testing::options(order, prune)).tagger();
    expect_exact(tagger);
    expect_exact(tagger.at_temperature(1.7));
  }
}

// The same weights in a chain that is not pruned.
Tagger dense_twin(const Tagger& sparse) {
  const ModelFile& file = sparse.file();
  ModelWriter writer("tag");
  for (const SectionInfo& section : file.sections()) {
    const SectionOptions options{.codec = section.codec, .hashed = section.hashed};
    if (section.name == "config") {
      const std::string config(file.text("config"));
      writer.add_section("config",
                         std::regex_replace(config, std::regex("\"prune\":[^,}]*"), "\"prune\":0"),
                         options);
    } else {
      writer.add_section(section.name, file.bytes(section.name), options);
    }
  }
  std::ostringstream out;
  writer.write(out);
  const std::string bytes = std::move(out).str();
  return Tagger(ModelFile::from_bytes(std::as_bytes(std::span(bytes))));
}

// Explains every token of the sentence for label 0 against 1 by both, and calls check(a, b).
template <class Check>
void for_each_explained(const Tagger& sparse, const Tagger& dense, Check check) {
  const text::Sentence sentence = testing::sentences(kSentence)[0];
  Explainer first(sparse), second(dense);
  FeatureCells columns({0});
  first.read(sentence, columns);
  second.read(sentence, columns);
  for (std::size_t t = 0; t < sentence.num_tokens(); ++t) {
    const auto a = first.explain(t, 0, 1), b = second.explain(t, 0, 1);
    ASSERT_TRUE(a && b);
    check(*a, *b);
    EXPECT_NEAR(a->left.transition, b->left.transition, 1e-4);
    EXPECT_NEAR(a->left.beyond, b->left.beyond, 1e-4);
  }
}

// At order 1, pruned by next to nothing, all amounts are those of the dense chain.
TEST(Explanation, IsTheSameOverLattices) {
  const std::string bytes = testing::bytes_of(testing::trained(testing::options(1, 1e-30)));
  const Tagger sparse(ModelFile::from_bytes(std::as_bytes(std::span(bytes))));
  ASSERT_TRUE(sparse.config().is_sparse());
  for_each_explained(sparse, dense_twin(sparse), [](const auto& a, const auto& b) {
    EXPECT_NEAR(a.right.transition, b.right.transition, 1e-4);
    EXPECT_NEAR(a.right.beyond, b.right.beyond, 1e-4);
    EXPECT_EQ(a.left.label, b.left.label);
    EXPECT_EQ(a.right.label, b.right.label);
  });
}

TaggerTrainingOptions with_trees(unsigned order, double prune = 0) {
  TaggerTrainingOptions settings = testing::options(order, prune);
  settings.trees.emplace();
  settings.trees->rounds = 8;
  settings.trees->boosting.max_leaves = 4;
  settings.trees->boosting.shrinkage = 0.5;
  return settings;
}

TEST(Explanation, AddsUpOverThePathsOfTrees) {
  for (const unsigned order : {0u, 1u, 2u, 3u}) {
    const Tagger tagger = testing::trained(with_trees(order)).tagger();
    expect_exact(tagger);
    expect_exact(tagger.at_temperature(1.7));
    TaggerTrainingOptions both = with_trees(order);
    both.trees->beside_linear = true;
    expect_exact(testing::trained(both).tagger().at_temperature(1.3));
  }
}

// A lattice of all pairs is the dense chain: the same amounts by the same names.
TEST(Explanation, IsTheSameOverTreesOfLattices) {
  TaggerTrainingOptions settings = with_trees(1, 1e-30);
  settings.trees->beside_linear = true;
  const Tagger sparse = testing::reloaded(testing::trained(settings));
  ASSERT_NE(sparse.trees(), nullptr);
  for_each_explained(sparse, dense_twin(sparse), [](const auto& a, const auto& b) {
    EXPECT_NEAR(a.base, b.base, 1e-4);
    EXPECT_NEAR(a.right.transition + a.right.beyond, b.right.transition + b.right.beyond, 1e-4);
    ASSERT_EQ(a.features.size(), b.features.size());
    for (const FeatureContribution& feature : a.features) {
      const auto same = std::find_if(b.features.begin(), b.features.end(),
                                     [&](const auto& one) { return one.name == feature.name; });
      ASSERT_NE(same, b.features.end()) << feature.name;
      EXPECT_NEAR(feature.amount, same->amount, 1e-4) << feature.name;
    }
  });
}

TEST(Explanation, AddsUpOverFeaturesOfPairs) {
  TaggerTrainingOptions settings = testing::options();
  settings.templates =
      text::parse_templates("w[0]\nprefix(w[0],1)\ntransition: w[0]\ntransition: w[-1]\n");
  const Tagger tagger = testing::trained(settings).tagger();
  expect_exact(tagger);
  expect_exact(tagger.at_temperature(1.7));
  Explainer explainer(tagger);
  FeatureCells columns({0});
  const text::Sentence sentence = testing::sentences(kSentence)[0];
  explainer.read(sentence, columns);
  const auto found = explainer.explain(2, 0, 1);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(std::any_of(found->features.begin(), found->features.end(), [](const auto& one) {
    return one.name == "transition: w[0]=can" && one.amount != 0;
  }));
  settings.trees = with_trees(1).trees;
  settings.trees->beside_linear = true;
  expect_exact(testing::trained(settings).tagger().at_temperature(1.3));
}

// What the trees of each label add at a token, by the amounts of its features alone.
TEST(Explanation, CreditsTheFeaturesThatTreesTest) {
  const Tagger tagger = testing::reloaded(testing::trained(with_trees(0)));
  const text::Sentence sentence = testing::sentences(kSentence)[0];
  Explainer explainer(tagger);
  TaggingSession session(tagger);
  FeatureCells columns({0});
  explainer.read(sentence, columns);
  session.read(sentence, columns);
  const chain::EdgeShape shape = tagger.state().shape();
  for (std::size_t t = 0; t < session.length(); ++t) {
    const auto explanation = explainer.explain(t, 0, 1);
    ASSERT_TRUE(explanation.has_value());
    double sum = explanation->base;
    ASSERT_FALSE(explanation->features.empty());
    for (const FeatureContribution& feature : explanation->features) {
      EXPECT_EQ(feature.weight, 0);
      EXPECT_EQ(feature.amount, feature.trees);
      EXPECT_EQ(feature.name.find("input "), std::string::npos) << feature.name;
      sum += feature.amount;
    }
    const auto edges = session.state().tempered_edges();
    EXPECT_NEAR(sum, edges[shape.place(t, 0, 0)] - edges[shape.place(t, 0, 1)], 1e-5);
  }
}

TEST(Explanation, TakesTheMostProbableOtherLabel) {
  const Tagger tagger = testing::trained(testing::options()).tagger();
  const text::Sentence sentence = testing::sentences(kSentence)[0];
  const auto p = enumerated(tagger, sentence);
  Explainer explainer(tagger);
  FeatureCells columns({0});
  const std::vector<std::uint16_t> labels = explainer.read(sentence, columns);
  for (std::size_t t = 0; t < labels.size(); ++t) {
    const auto explanation = explainer.explain(t, labels[t]);
    ASSERT_TRUE(explanation.has_value());
    for (std::size_t y = 0; y < p[t].size(); ++y) {
      if (y != labels[t]) {
        EXPECT_LE(p[t][y], p[t][explanation->other] + 1e-6);
      }
    }
  }
}

TEST(Explanation, NamesFeaturesAndPutsTheLargestFirst) {
  const Tagger tagger = testing::trained(testing::options()).tagger();
  Explainer explainer(tagger);
  FeatureCells columns({0});
  const text::Sentence sentence = testing::sentences("tin X\ncan X\n\n")[0];
  const auto labels = explainer.read(sentence, columns);
  const auto explanation = explainer.explain(1, labels[1]);
  ASSERT_TRUE(explanation.has_value());
  bool has_word = false;
  for (std::size_t i = 0; i < explanation->features.size(); ++i) {
    has_word = has_word || explanation->features[i].name == "w[-1]=tin";
    if (i > 0) {
      EXPECT_GE(std::abs(explanation->features[i - 1].amount),
                std::abs(explanation->features[i].amount));
    }
  }
  EXPECT_TRUE(has_word);
  EXPECT_EQ(tagger.label(explanation->left.label), "B-T");
  EXPECT_FALSE(explanation->right.exists);
}

TEST(Explanation, HasNothingToSayOfImpossibleLabels) {
  const Tagger tagger = testing::trained(testing::options()).tagger();
  Explainer explainer(tagger);
  FeatureCells columns({0});
  const text::Sentence sentence = testing::sentences("tin X\n\n")[0];
  explainer.read(sentence, columns);
  std::uint16_t inside = 0;
  while (tagger.label(inside) != "I-T") ++inside;
  EXPECT_FALSE(explainer.explain(0, inside, inside == 0 ? 1 : 0).has_value());
}

}  // namespace
}  // namespace coppice::tag

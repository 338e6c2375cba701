// Losses of n-grams against counting in the string of every derivation.
#include "coppice/learn/ngram_loss.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "coppice/forest/best.h"
#include "coppice/learn/objective.h"
#include "learn/annotated.h"
#include "support/expect_error.h"
#include "support/long_forests.h"
#include "support/random_yields.h"

namespace coppice::learn {
namespace {

using testing::WordList;

const NgramThetas kThetas{-0.25, {0.125, 0.25, 0.5, 0.375}};

NgramThetas up_to(unsigned order) {
  NgramThetas thetas = kThetas;
  thetas.ngrams.resize(order);
  return thetas;
}

// From the definition.
double slow_loss(const NgramThetas& thetas, const WordList& words, const WordList& reference) {
  double gain = thetas.word * static_cast<double>(words.size());
  const auto wanted = testing::ngram_counts(reference, thetas.ngrams.size());
  for (const auto& [ngram, count] : testing::ngram_counts(words, thetas.ngrams.size())) {
    if (wanted.contains(ngram)) gain += thetas.ngrams[ngram.size() - 1] * count;
  }
  return -gain;
}

// An annotated example whose derivations have strings; the reference is that of one of them, at
// times after a word that none has.
struct Translated : Annotated {
  Translated(const Annotated& example, std::uint64_t seed)
      : Annotated(example),
        order(static_cast<unsigned>(1 + seed % 4)),
        yields(testing::random_yields(forest, seed)),
        reference(string(listed.support[seed % listed.support.size()])) {
    if (seed % 2 == 0) reference.insert(reference.begin(), WordId{5});
    for (const EdgeList& d : listed.support) {
      costs[d] = slow_loss(up_to(order), string(d), reference);
    }
  }
  WordList string(const EdgeList& d) const { return testing::slow_string(forest, yields, d); }

  unsigned order;
  EdgeMap<Yield> yields;
  WordList reference;
  std::map<EdgeList, double> costs;  // of the derivations of positive weight
};

template <class Check>
void for_each_translated(Check check) {
  std::uint64_t seed = 0;
  for_each_annotated([&](const Annotated& example) { check(Translated(example, seed++)); });
}

// The derivation of the old forest whose loss is least, among those that scores allow.
EdgeList least_loss(const NgramForest& split, const EdgeMap<double>& losses,
                    const EdgeMap<double>& scores) {
  EdgeMap<double> gain = split_weights(split, scores, 0.0);
  for (EdgeId edge : split.forest.edges()) {
    if (!std::isinf(gain[edge])) gain[edge] = -losses[edge];
  }
  return unsplit(split, best_derivation(split.forest, gain)->edges);
}

TEST(NgramLoss, AddsOverEdgesToTheLossOfTheString) {
  for_each_translated([](const Translated& example) {
    const NgramForest split = split_by_ngrams(example.forest, example.yields, example.order);
    const Reference reference{example.reference};
    const auto losses = ngram_loss(split, up_to(example.order), {&reference, 1});
    for (const EdgeList& d : testing::derivations(split.forest, split.forest.root())) {
      const WordList words = example.string(unsplit(split, d));
      ASSERT_NEAR(testing::total(d, losses),
                  slow_loss(up_to(example.order), words, example.reference), 1e-9);
    }
  });
}

TEST(NgramLoss, IsExactInEveryObjective) {
  for (const Objective& objective : objectives()) {
    SCOPED_TRACE(name(objective.kind));
    for_each_translated([&](const Translated& example) {
      const auto cost = [&](const EdgeList& d) { return example.costs.at(d); };
      const NgramForest split = split_by_ngrams(example.forest, example.yields, example.order);
      const Reference reference{example.reference};
      const auto losses = ngram_loss(split, up_to(example.order), {&reference, 1});
      const auto found = evaluate(objective, split, example.scores, example.target.gold, losses);
      const double expected = example.value(objective, example.scores, cost);
      ASSERT_NEAR(found.value, expected, 1e-9 * (1 + std::abs(expected)));
      testing::expect_central_differences(
          example.scores, found.gradient,
          [&](const EdgeMap<double>& at) { return example.value(objective, at, cost); });
    });
  }
}

TEST(NgramLoss, FindsTheOracle) {
  for_each_translated([](const Translated& example) {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [d, cost] : example.costs) least = std::min(least, cost);
    const NgramForest split = split_by_ngrams(example.forest, example.yields, example.order);
    const Reference reference{example.reference};
    const auto losses = ngram_loss(split, up_to(example.order), {&reference, 1});
    ASSERT_NEAR(example.costs.at(least_loss(split, losses, example.scores)), least, 1e-9);
  });
}

TEST(NgramLoss, OfAModelsStringsIsTheRisk) {
  for_each_translated([](const Translated& example) {
    if (example.listed.support.size() > 20) return;  // the slow way is quadratic
    std::vector<Reference> references(example.listed.support.size());
    for (std::size_t i = 0; i < references.size(); ++i) {
      references[i] = {example.string(example.listed.support[i]), example.listed.probability[i]};
    }
    const NgramThetas thetas = up_to(example.order);
    const auto risk = [&](const EdgeList& d) {
      return example.listed.expected([&](const EdgeList& truth) {
        return slow_loss(thetas, example.string(d), example.string(truth));
      });
    };
    double least = std::numeric_limits<double>::infinity();
    for (const EdgeList& d : example.listed.support) least = std::min(least, risk(d));
    const NgramForest split = split_by_ngrams(example.forest, example.yields, example.order);
    const auto losses = ngram_loss(split, thetas, references);
    ASSERT_NEAR(risk(least_loss(split, losses, example.scores)), least, 1e-9);
  });
}

TEST(NgramLoss, MayHaveFewerThetasThanTheForestHasLengths) {
  for_each_translated([](const Translated& example) {
    const NgramForest split = split_by_ngrams(example.forest, example.yields, 3);
    const Reference reference{example.reference};
    const auto losses = ngram_loss(split, up_to(1), {&reference, 1});
    for (const EdgeList& d : testing::derivations(split.forest, split.forest.root())) {
      const WordList words = example.string(unsplit(split, d));
      ASSERT_NEAR(testing::total(d, losses), slow_loss(up_to(1), words, example.reference), 1e-9);
    }
  });
}

TEST(NgramLoss, SaysWhatIsWrong) {
  const NgramForest split =
      split_by_ngrams(testing::chain_forest(1, 1), EdgeMap<Yield>(1, {WordId{0}}), 2);
  const auto error = [&](const NgramThetas& thetas, const Reference& reference) {
    return testing::error_of([&] { ngram_loss(split, thetas, {&reference, 1}); });
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error({1, {1, 1}}, {}), "no error");
  EXPECT_EQ(error({1, {1, 1, 1}}, {}),
            "ngram_loss: thetas of n-grams up to length 3 for a forest split by those up to 2");
  EXPECT_EQ(error({1, {kNan}}, {}), "ngram_loss: a theta that is not finite");
  EXPECT_EQ(error({1, {1}}, {{}, kNan}), "ngram_loss: a reference of weight nan");
}

TEST(LinearBleu, HasTheThetasOfThePaper) {
  const NgramThetas thetas = linear_bleu(10, 0.5, 0.5);
  EXPECT_EQ(thetas.word, -0.1);
  EXPECT_EQ(thetas.ngrams, (std::vector<double>{0.05, 0.1, 0.2, 0.4}));
  EXPECT_EQ(testing::error_of([] { linear_bleu(10, 0, 0.5); }),
            "linear_bleu: 10 words, precision 0, ratio 0.5; expected positive numbers");
}

}  // namespace
}  // namespace coppice::learn

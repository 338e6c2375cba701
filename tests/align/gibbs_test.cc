// The sampler's distributions, against the probability of all links written down from its formula.
#include "coppice/align/gibbs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "align/random_bitext.h"
#include "coppice/align/training.h"

namespace coppice::align {

namespace {

using testing::random_bitext;
using AllLinks = std::vector<std::vector<std::uint32_t>>;

// ln of the Dirichlet-multinomial probability of counts (of a sequence), with one prior each.
class Polya {
 public:
  void add(std::size_t outcome) { ++counts_[outcome]; }
  double log_probability(const std::vector<double>& priors) const {
    double sum = 0, value = 0, total = 0;
    for (const double prior : priors) sum += prior;
    for (const auto& [outcome, count] : counts_) {
      value += std::lgamma(count + priors[outcome]) - std::lgamma(priors[outcome]);
      total += count;
    }
    return value + std::lgamma(sum) - std::lgamma(sum + total);
  }

 private:
  std::map<std::size_t, double> counts_;
};

// ln p(f, a | e) of the stage, up to a constant.
double log_joint(const Bitext& bitext, const GibbsPriors& priors, const AllLinks& all,
                 GibbsStage stage) {
  const std::size_t no_word = bitext.source.words.size();
  const auto longest = static_cast<std::ptrdiff_t>(bitext.source.longest()) + 1;
  std::map<std::size_t, Polya> lexical, fertility;
  Polya jumps;
  double value = 0;
  for (std::size_t k = 0; k < bitext.size(); ++k) {
    const auto source = bitext.source[k];
    std::vector<std::size_t> degree(source.size(), 0);
    std::ptrdiff_t last = -1;
    for (std::size_t j = 0; j < all[k].size(); ++j) {
      const std::uint32_t link = all[k][j];
      value += std::log(link == kUnlinked ? priors.null_probability : 1 - priors.null_probability);
      lexical[link == kUnlinked ? no_word : source[link]].add(bitext.target[k][j]);
      if (link == kUnlinked) continue;
      ++degree[link];
      jumps.add(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(link) - last + longest));
      last = static_cast<std::ptrdiff_t>(link);
    }
    jumps.add(
        static_cast<std::size_t>(static_cast<std::ptrdiff_t>(source.size()) - last + longest));
    for (std::size_t i = 0; i < source.size(); ++i)
      fertility[source[i]].add(std::min(degree[i], kFertilities - 1));
  }
  for (const auto& [word, polya] : lexical) {
    const double prior = word == no_word ? priors.null_lexical : priors.lexical;
    value += polya.log_probability(std::vector<double>(bitext.target.words.size(), prior));
  }
  if (stage == GibbsStage::kLexical) return value;
  value += jumps.log_probability(
      std::vector<double>(static_cast<std::size_t>(2 * longest + 1), priors.jump));
  if (stage == GibbsStage::kJumps) return value;
  for (const auto& [word, polya] : fertility) {
    value += polya.log_probability(
        std::vector<double>(priors.fertility.begin(), priors.fertility.end()));
  }
  return value;
}

TEST(GibbsChain, DrawsFromTheExactConditional) {
  const GibbsPriors priors{.null_probability = 0.3,
                           .lexical = 0.2,
                           .null_lexical = 0.1,
                           .jump = 0.7,
                           .fertility = {0.4, 0.9, 0.3, 0.2, 0.2, 0.1, 0.1}};
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    // Few words, so that sentences repeat them, and sentences long enough for large fertilities.
    const Bitext bitext = random_bitext(random, {.pairs = 3, .longest = 9, .words = 3});
    GibbsChain chain(bitext.source, bitext.target, priors, Random(seed, 1));
    for (const GibbsStage stage :
         {GibbsStage::kLexical, GibbsStage::kJumps, GibbsStage::kFertility}) {
      chain.sweep(stage);
      AllLinks all;
      for (std::size_t k = 0; k < bitext.size(); ++k) all.push_back(chain.links(k));
      for (std::size_t k = 0; k < bitext.size(); ++k) {
        for (std::size_t j = 0; j < all[k].size(); ++j) {
          const std::vector<double> found = chain.conditional(stage, k, j);
          ASSERT_EQ(found.size(), bitext.source[k].size() + 1);
          AllLinks other = all;
          std::vector<double> expected(found.size());
          double total = 0;
          const double base = log_joint(bitext, priors, all, stage);
          for (std::size_t i = 0; i < found.size(); ++i) {
            other[k][j] = i == 0 ? kUnlinked : static_cast<std::uint32_t>(i - 1);
            total += expected[i] = std::exp(log_joint(bitext, priors, other, stage) - base);
          }
          for (std::size_t i = 0; i < found.size(); ++i)
            EXPECT_NEAR(found[i], expected[i] / total, 1e-9)
                << "seed " << seed << " pair " << k << " word " << j << " link " << i;
        }
      }
    }
  }
}

TEST(GibbsChain, VisitsLinksAsOftenAsTheyAreProbable) {
  const GibbsPriors priors{.lexical = 0.5, .null_lexical = 0.5};
  Random random(4);
  Bitext bitext = random_bitext(random, {.pairs = 2, .longest = 2, .words = 2});
  std::map<AllLinks, double> exact, visits;
  double total = 0;
  const auto link_of = [](std::size_t i) {
    return i == 0 ? kUnlinked : static_cast<std::uint32_t>(i - 1);
  };
  const auto enumerate = [&](const auto& self, AllLinks& all, std::size_t k,
                             std::size_t j) -> void {
    if (k == bitext.size()) {
      total += exact[all] = std::exp(log_joint(bitext, priors, all, GibbsStage::kFertility));
    } else if (j == bitext.target[k].size()) {
      self(self, all, k + 1, 0);
    } else {
      for (std::size_t i = 0; i <= bitext.source[k].size(); ++i) {
        all[k][j] = link_of(i);
        self(self, all, k, j + 1);
      }
    }
  };
  AllLinks all;
  for (std::size_t k = 0; k < bitext.size(); ++k) all.emplace_back(bitext.target[k].size());
  enumerate(enumerate, all, 0, 0);
  GibbsChain chain(bitext.source, bitext.target, priors, Random(7));
  constexpr int sweeps = 200000;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    chain.sweep(GibbsStage::kFertility);
    for (std::size_t k = 0; k < bitext.size(); ++k) all[k] = chain.links(k);
    visits[all] += 1.0 / sweeps;
  }
  for (const auto& [links, p] : exact) EXPECT_NEAR(visits[links], p / total, 0.01);
}

TEST(Training, IsTheSameWithThreeThreads) {
  Random random(2);
  const Bitext bitext = random_bitext(random, {.pairs = 400, .longest = 12, .words = 50});
  for (const Method method : {Method::kIbm1, Method::kHmm, Method::kDiagonal, Method::kGibbs}) {
    std::string first;
    for (const unsigned workers : {1U, 2U, 3U}) {
      const Threads threads(workers);
      const auto training = make_training(bitext, {.method = method, .iterations = 4});
      while (training->num_done() < training->num_steps()) training->step(threads);
      std::string text;
      training->align(threads, {.min_posterior = 0.01}, [&](const AlignedPair& pair) {
        text += text::pharaoh_line(pair.posteriors, text::Probabilities::kWrite) + '\n';
        text += text::pharaoh_line(pair.links) + '\n';
      });
      if (first.empty()) first = text;
      EXPECT_EQ(first, text) << to_string(method) << ' ' << workers << " threads";
    }
  }
}

TEST(Training, AnotherSeedDrawsOtherLinks) {
  Random random(2);
  const Bitext bitext = random_bitext(random, {.pairs = 50});
  const auto links_of = [&](std::uint64_t seed) {
    const auto training = make_training(bitext, {.iterations = 3, .chains = 1, .seed = seed});
    while (training->num_done() < training->num_steps()) training->step(Threads(1));
    std::string text;
    training->align(Threads(1), {.min_posterior = 0.001}, [&](const AlignedPair& pair) {
      text += text::pharaoh_line(pair.posteriors, text::Probabilities::kWrite) + '\n';
    });
    return text;
  };
  EXPECT_EQ(links_of(1), links_of(1));
  EXPECT_NE(links_of(1), links_of(2));
}

TEST(Training, PairsWithoutWordsHaveNoLinks) {
  Random random(6);
  Bitext bitext = random_bitext(random, {.pairs = 5});
  bitext.source.add({});
  bitext.target.add({});
  for (const Method method : {Method::kIbm1, Method::kHmm, Method::kDiagonal, Method::kGibbs}) {
    const auto training = make_training(bitext, {.method = method, .iterations = 2});
    while (training->num_done() < training->num_steps()) training->step(Threads(1));
    std::vector<std::size_t> links;
    training->align(Threads(2), {}, [&](const AlignedPair& p) { links.push_back(p.links.size()); });
    ASSERT_EQ(links.size(), 6u);
    EXPECT_EQ(links.back(), 0u) << to_string(method);
    EXPECT_GT(links.front(), 0u) << to_string(method);
  }
}

}  // namespace

}  // namespace coppice::align

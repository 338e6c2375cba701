// Expectation maximisation and the models of positions, against enumeration and direct sums.
#include "align/em.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "align/diagonal.h"
#include "align/jumps.h"
#include "align/random_bitext.h"

namespace coppice::align {

namespace {

using testing::random_bitext;

LinkMatrix random_lexical(std::size_t sources, std::size_t targets, Random& random) {
  LinkMatrix matrix;
  matrix.reset(sources, targets);
  for (std::size_t j = 0; j < targets; ++j)
    for (double& cell : matrix.row(j)) cell = 0.01 + random.uniform();
  return matrix;
}

// Calls visit(links) for all vectors of links; 0 is no link.
template <class Visit>
void for_all_links(std::size_t sources, std::size_t targets, const Visit& visit) {
  std::vector<std::size_t> links(targets, 0);
  for (;;) {
    visit(links);
    std::size_t j = 0;
    while (j < targets && ++links[j] > sources) links[j++] = 0;
    if (j == targets) return;
  }
}

// ln p and posteriors by enumeration, for p(link) a function of the link's place.
template <class Probability>
double enumerate(const LinkMatrix& lexical, const Probability& probability,
                 LinkMatrix& posteriors) {
  posteriors.reset(lexical.sources(), lexical.targets());
  double total = 0;
  for_all_links(lexical.sources(), lexical.targets(), [&](const std::vector<std::size_t>& links) {
    double p = probability(links);
    for (std::size_t j = 0; j < links.size(); ++j) p *= lexical.row(j)[links[j]];
    total += p;
    for (std::size_t j = 0; j < links.size(); ++j) posteriors.row(j)[links[j]] += p;
  });
  posteriors.scale(1 / total);
  return std::log(total);
}

void expect_near(const LinkMatrix& a, const LinkMatrix& b, const std::string& where) {
  for (std::size_t j = 0; j < a.targets(); ++j)
    for (std::size_t i = 0; i <= a.sources(); ++i)
      EXPECT_NEAR(a.row(j)[i], b.row(j)[i], 1e-10) << where << " word " << j << " link " << i;
}

JumpPositions random_jumps(std::size_t longest, double p0, Random& random) {
  std::vector<double> scores(2 * longest + 1);
  for (double& score : scores) score = 0.05 + random.uniform();
  return {p0, scores};
}

double probability_of(const JumpPositions& jumps, double p0, std::size_t sources,
                      const std::vector<std::size_t>& links) {
  double p = 1;
  std::ptrdiff_t last = -1;
  for (const std::size_t link : links) {
    if (link == 0) {
      p *= p0;
      continue;
    }
    double norm = 0;
    for (std::size_t i = 0; i < sources; ++i)
      norm += jumps.score(static_cast<std::ptrdiff_t>(i) - last);
    const auto here = static_cast<std::ptrdiff_t>(link) - 1;
    p *= (1 - p0) * jumps.score(here - last) / norm;
    last = here;
  }
  return p;
}

TEST(JumpPositions, AgreesWithEnumeration) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const std::size_t sources = 1 + random.below(4), targets = 1 + random.below(5);
    const JumpPositions jumps = random_jumps(4, 0.3, random);
    LinkMatrix matrix = random_lexical(sources, targets, random), expected;
    const double log_likelihood = enumerate(
        matrix, [&](const auto& links) { return probability_of(jumps, 0.3, sources, links); },
        expected);
    EXPECT_NEAR(jumps.infer(matrix, nullptr), log_likelihood, 1e-9) << "seed " << seed;
    expect_near(matrix, expected, "seed " + std::to_string(seed));
  }
}

TEST(JumpPositions, ExpectedJumpsAgreeWithEnumeration) {
  Random random(5);
  const std::size_t sources = 3, targets = 4;
  const JumpPositions jumps = random_jumps(3, 0.2, random);
  LinkMatrix matrix = random_lexical(sources, targets, random);
  std::map<std::ptrdiff_t, double> expected;
  double total = 0;
  for_all_links(sources, targets, [&](const std::vector<std::size_t>& links) {
    double p = probability_of(jumps, 0.2, sources, links);
    for (std::size_t j = 0; j < targets; ++j) p *= matrix.row(j)[links[j]];
    total += p;
    std::ptrdiff_t last = -1;
    for (const std::size_t link : links) {
      if (link == 0) continue;
      expected[static_cast<std::ptrdiff_t>(link) - 1 - last] += p;
      last = static_cast<std::ptrdiff_t>(link) - 1;
    }
  });
  FixedSums sums(jumps.num_sums());
  jumps.infer(matrix, &sums);
  for (std::ptrdiff_t d = -3; d <= 3; ++d)
    EXPECT_NEAR(sums[static_cast<std::size_t>(d + 3)], expected[d] / total, 1e-8) << "jump " << d;
}

TEST(Diagonal, ItsNormaliserIsTheDirectSum) {
  for (const double lambda : {0.1, 0.5, 1.0, 4.0, 20.0}) {
    for (std::size_t sources = 1; sources <= 12; ++sources) {
      for (std::size_t targets = 1; targets <= 9; ++targets) {
        for (std::size_t j = 1; j <= targets; ++j) {
          double sum = 0, weighted = 0;
          for (std::size_t i = 1; i <= sources; ++i) {
            const double h = -std::abs(static_cast<double>(i) / static_cast<double>(sources) -
                                       static_cast<double>(j) / static_cast<double>(targets));
            sum += std::exp(lambda * h);
            weighted += h * std::exp(lambda * h);
          }
          const DiagonalSum found = diagonal_sum(lambda, j, sources, targets);
          EXPECT_NEAR(found.sum / sum, 1, 1e-10) << lambda << ' ' << sources << ' ' << j;
          EXPECT_NEAR(found.mean, weighted / sum, 1e-9) << lambda << ' ' << sources << ' ' << j;
        }
      }
    }
  }
}

TEST(Diagonal, AgreesWithEnumeration) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const std::size_t sources = 1 + random.below(4), targets = 1 + random.below(4);
    const DiagonalPositions positions(0.1, 3);
    LinkMatrix matrix = random_lexical(sources, targets, random), expected;
    const auto probability = [&](const std::vector<std::size_t>& links) {
      double p = 1;
      for (std::size_t j = 1; j <= targets; ++j) {
        if (links[j - 1] == 0) {
          p *= 0.1;
          continue;
        }
        double norm = 0, here = 0;
        for (std::size_t i = 1; i <= sources; ++i) {
          const double weight =
              std::exp(-3 * std::abs(static_cast<double>(i) / static_cast<double>(sources) -
                                     static_cast<double>(j) / static_cast<double>(targets)));
          norm += weight;
          if (i == links[j - 1]) here = weight;
        }
        p *= 0.9 * here / norm;
      }
      return p;
    };
    const double log_likelihood = enumerate(matrix, probability, expected);
    EXPECT_NEAR(positions.infer(matrix, nullptr), log_likelihood, 1e-9) << "seed " << seed;
    expect_near(matrix, expected, "seed " + std::to_string(seed));
  }
}

TEST(UniformPositions, AgreesWithEnumeration) {
  Random random(3);
  LinkMatrix matrix = random_lexical(3, 4, random), expected;
  const double log_likelihood = enumerate(
      matrix, [](const auto&) { return std::pow(0.25, 4); }, expected);
  EXPECT_NEAR(UniformPositions().infer(matrix, nullptr), log_likelihood, 1e-10);
  expect_near(matrix, expected, "uniform");
}

void expect_never_falls(const Bitext& bitext, std::shared_ptr<Positions> positions,
                        const std::string& where) {
  const Threads threads(1);
  EmAligner aligner(bitext.source, bitext.target, 0);
  aligner.use(std::make_shared<UniformPositions>());
  aligner.iterate(threads);
  aligner.use(std::move(positions));
  double last = -std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 12; ++iteration) {
    const double now = aligner.iterate(threads);
    EXPECT_GE(now, last - 1e-4) << where << " iteration " << iteration;  // counts are rounded
    last = now;
  }
}

TEST(EmAligner, LikelihoodNeverFalls) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Random random(seed);
    const Bitext bitext = random_bitext(random);
    const std::string where = "seed " + std::to_string(seed);
    expect_never_falls(bitext, std::make_shared<UniformPositions>(), "ibm1 " + where);
    expect_never_falls(bitext, std::make_shared<JumpPositions>(0.2, bitext.source.longest()),
                       "hmm " + where);
    expect_never_falls(bitext,
                       std::make_shared<DiagonalPositions>(0.08, 4, bitext.source, bitext.target),
                       "diagonal " + where);
  }
}

TEST(EmAligner, IsTheSameWithThreeThreads) {
  Random random(9);
  const Bitext bitext = random_bitext(random, {.pairs = 1500});
  std::vector<double> first;
  for (const unsigned threads : {1U, 2U, 3U}) {
    EmAligner aligner(bitext.source, bitext.target, 0.01);
    aligner.use(std::make_shared<JumpPositions>(0.2, bitext.source.longest()));
    std::vector<double> found;
    for (int k = 0; k < 3; ++k) found.push_back(aligner.iterate(Threads(threads)));
    for (const LexicalEntry& entry : aligner.lexicon()->entries(0))
      found.push_back(static_cast<double>(entry.value));
    if (first.empty()) first = found;
    EXPECT_EQ(first, found) << threads << " threads";
  }
}

TEST(Lexicon, VariationalProbabilitiesAreThoseOfTheFormula) {
  BitextSide source, target;
  const std::vector<std::string_view> a{"a"}, xy{"x", "y"};
  source.add(a);
  target.add(xy);
  Lexicon lexicon(source, target);
  LinkMatrix matrix;
  matrix.reset(1, 2);
  matrix.row(0)[1] = 1;
  matrix.row(1)[1] = 0.5;
  matrix.row(1)[0] = 0.5;
  const std::uint32_t words[] = {0}, targets[] = {0, 1};
  lexicon.count(words, targets, matrix);
  lexicon.maximise(0.1, Threads(1));
  EXPECT_NEAR(lexicon.probability(0, 0), std::exp(digamma(1.1) - digamma(1.7)), 1e-7);
  EXPECT_NEAR(lexicon.probability(1, 0), std::exp(digamma(0.6) - digamma(1.7)), 1e-7);
  EXPECT_NEAR(digamma(1), -0.57721566490153286, 1e-10);
  EXPECT_NEAR(digamma(0.01), -100.56088545786867, 1e-8);
}

TEST(Lexicon, FindsWhatAMapFinds) {
  Random random(11);
  const Bitext bitext = random_bitext(random, {.pairs = 60, .longest = 9, .words = 40});
  const Lexicon lexicon(bitext.source, bitext.target);
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> together;
  for (std::size_t k = 0; k < bitext.size(); ++k)
    for (const std::uint32_t f : bitext.target[k])
      for (const std::uint32_t e : bitext.source[k]) together[{f, e}] = true;
  for (std::uint32_t f = 0; f < lexicon.num_targets(); ++f)
    for (std::uint32_t e = 0; e + 1 < lexicon.num_sources(); ++e)
      EXPECT_EQ(lexicon.probability(f, e) > 1e-6, together.contains({f, e})) << f << ' ' << e;
}

}  // namespace

}  // namespace coppice::align

#include "coppice/learn/corpus_loss.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "coppice/base/error.h"
#include "learn/count_table.h"

namespace coppice::learn {

namespace {

constexpr int kTiltRounds = 8;
constexpr double kLeastOutside = 1e-30;  // where rounding leaves nothing

CountTable table_of(const CountDistribution& distribution) {
  require(!distribution.empty(), "corpus loss: a sentence without counts");
  Counts least = distribution.front().counts, most = least;
  for (const auto& [counts, probability] : distribution) {
    least = {std::min(least.n, counts.n), std::min(least.d, counts.d)};
    most = {std::max(most.n, counts.n), std::max(most.d, counts.d)};
  }
  CountTable table(least, most.n - least.n + 1u, most.d - least.d + 1u);
  for (const auto& [counts, probability] : distribution) {
    table.at(counts.n - least.n, counts.d - least.d) += probability;
  }
  return table;
}

// The distributions of ever larger groups of sentences: level 0 has the sentences, and table i of a
// level is the sum of tables 2 i and 2 i + 1 of the level before (or 2 i alone, at the end).
struct Tree {
  Tree(std::span<const CountDistribution> sentences, double mass) {
    std::vector<CountTable> leaves;
    leaves.reserve(sentences.size());
    for (const CountDistribution& sentence : sentences) leaves.push_back(table_of(sentence));
    levels.push_back(std::move(leaves));
    const double share = mass / (2 * static_cast<double>(sentences.size()));
    while (levels.back().size() > 1) {
      const std::vector<CountTable>& below = levels.back();
      std::vector<CountTable> level;
      level.reserve(below.size() / 2 + 1);
      for (std::size_t i = 0; i + 1 < below.size(); i += 2) {
        level.push_back(convolve(below[i], below[i + 1], share, cut));
      }
      if (below.size() % 2 == 1) level.push_back(below.back());
      levels.push_back(std::move(level));
    }
  }

  // From f on the windows of the top to f on those of the sentences, averaged over all others.
  std::vector<CountTable> carry_down(CountTable f) const {
    std::vector<CountTable> above;
    above.push_back(std::move(f));
    for (std::size_t level = levels.size() - 1; level-- > 0;) {
      const std::vector<CountTable>& tables = levels[level];
      std::vector<CountTable> here(tables.size());
      for (std::size_t i = 0; i + 1 < tables.size(); i += 2) {
        auto [first, second] = average(above[i / 2], tables[i], tables[i + 1]);
        here[i] = std::move(first);
        here[i + 1] = std::move(second);
      }
      if (tables.size() % 2 == 1) here.back() = std::move(above.back());
      above = std::move(here);
    }
    return above;
  }

  const CountTable& top() const { return levels.back().front(); }

  std::vector<std::vector<CountTable>> levels;
  double cut = 0;
};

// e^{a n + b d}, by which tables are multiplied.
struct Tilt {
  double a = 0;
  double b = 0;
  double exponent(Counts counts) const { return a * counts.n + b * counts.d; }
};

struct Mean {
  double n = 0;
  double d = 0;
};

// Tilts a table to sum to 1; returns the log of what it summed to.
double tilt(CountDistribution& table, const Tilt& by) {
  double largest = -HUGE_VAL;
  for (const auto& [counts, probability] : table) {
    if (probability > 0) largest = std::max(largest, by.exponent(counts));
  }
  double sum = 0;
  for (auto& [counts, probability] : table) {
    if (probability > 0) probability *= std::exp(by.exponent(counts) - largest);
    sum += probability;
  }
  for (auto& entry : table) entry.probability /= sum;
  return largest + std::log(sum);
}

Mean tilted_mean(std::span<const CountDistribution> tables, const Tilt& by) {
  Mean mean;
  for (CountDistribution table : tables) {
    tilt(table, by);
    for (const auto& [counts, probability] : table) {
      mean.n += probability * counts.n;
      mean.d += probability * counts.d;
    }
  }
  return mean;
}

Tilt slope_at(const std::function<double(Counts)>& loss, double tau, const Mean& mean) {
  const Counts at{static_cast<std::uint32_t>(std::lround(mean.n)),
                  static_cast<std::uint32_t>(std::lround(mean.d))};
  return {tau * (loss(at + Counts{1, 0}) - loss(at)), tau * (loss(at + Counts{0, 1}) - loss(at))};
}

// The slope of tau l at the mean that the slope itself gives. Any tilt gives the right result; this
// one keeps it in the windows.
Tilt self_consistent_tilt(std::span<const CountDistribution> tables,
                          const std::function<double(Counts)>& loss, double tau) {
  Tilt by = slope_at(loss, tau, tilted_mean(tables, {}));
  for (int round = 0; round < kTiltRounds; ++round) {
    const Tilt next = slope_at(loss, tau, tilted_mean(tables, by));
    by = {(by.a + next.a) / 2, (by.b + next.b) / 2};
  }
  return by;
}

}  // namespace

CorpusExpectation corpus_expectation(std::span<const CountDistribution> tables,
                                     const std::function<double(Counts)>& f,
                                     const CorpusOptions& options) {
  require(options.mass >= 0 && options.mass < 1, "corpus loss: a mass of ", options.mass,
          " to cut; expected a number in [0, 1)");
  CorpusExpectation result;
  if (tables.empty()) {
    result.value = f({});
    return result;
  }
  const Tree tree(tables, options.mass);
  CountTable top = tree.top();
  for (std::size_t r = 0; r < top.rows; ++r) {
    for (std::size_t c = 0; c < top.columns; ++c) {
      const double probability = top.at(r, c);
      top.at(r, c) = f(top.counts(r, c));
      result.value += probability * top.at(r, c);
    }
  }
  const std::vector<CountTable> outside = tree.carry_down(std::move(top));
  result.cut = tree.cut;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    std::vector<double>& values = result.outside.emplace_back();
    for (const auto& [counts, probability] : tables[i]) {
      const CountTable& table = outside[i];
      values.push_back(table.at(counts.n - table.origin.n, counts.d - table.origin.d));
    }
  }
  return result;
}

CorpusExpectation corpus_softmax(std::span<const CountDistribution> tables,
                                 const std::function<double(Counts)>& loss, double tau,
                                 const CorpusOptions& options) {
  require(std::isfinite(tau) && tau >= 0, "corpus loss: a loss scale of ", tau,
          "; expected a number from 0 up");
  const Tilt by = self_consistent_tilt(tables, loss, tau);
  std::vector<CountDistribution> tilted(tables.begin(), tables.end());
  std::vector<double> log_sums;
  log_sums.reserve(tilted.size());
  for (CountDistribution& table : tilted) log_sums.push_back(tilt(table, by));
  const double log_sum = std::accumulate(log_sums.begin(), log_sums.end(), 0.0);
  const Mean mean = tilted_mean(tilted, {});
  const Counts centre{static_cast<std::uint32_t>(mean.n), static_cast<std::uint32_t>(mean.d)};
  const double level = tau * loss(centre) - by.exponent(centre);
  CorpusExpectation result = corpus_expectation(
      tilted,
      [&](Counts counts) { return std::exp(tau * loss(counts) - by.exponent(counts) - level); },
      options);
  result.value = std::log(std::max(result.value, kLeastOutside)) + level + log_sum;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (std::size_t j = 0; j < tables[i].size(); ++j) {
      double& value = result.outside[i][j];
      value = std::log(std::max(value, kLeastOutside)) + by.exponent(tables[i][j].counts) + level +
              log_sum - log_sums[i];
    }
  }
  return result;
}

}  // namespace coppice::learn

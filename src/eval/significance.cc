#include "coppice/eval/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/base/random.h"

namespace coppice::eval {

namespace {

// Sums over resampled sentences are of integers, or close to it: what differs from the observed
// difference by less than this is equal to it.
constexpr double kTieTolerance = 1e-12;

void check(const SentenceCounts& counts, const ResamplingOptions& options) {
  require(counts.size() > 0, "resampling: no sentences");
  require(options.resamples > 0, "resampling: no resamples");
  require(options.level > 0 && options.level < 1, "resampling: level ", options.level,
          " is not between 0 and 1");
}

void check_paired(const SentenceCounts& a, const SentenceCounts& b,
                  const ResamplingOptions& options) {
  check(a, options);
  require(a.size() == b.size() && a.columns() == b.columns(), "comparison: ", a.size(),
          " sentences of ", a.columns(), " counts against ", b.size(), " of ", b.columns());
}

void add_to(std::vector<double>& totals, std::span<const double> counts) {
  for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += counts[i];
}

// Linear interpolation between order statistics; `values` sorted.
double quantile(const std::vector<double>& values, double share) {
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

// The share of `found` at least as extreme as `difference`, which counts as one of them.
double p_value(const std::vector<double>& found, double difference, double centre) {
  const double bound = std::abs(difference) - kTieTolerance;
  const auto extreme = std::count_if(
      found.begin(), found.end(), [&](double value) { return std::abs(value - centre) >= bound; });
  return (1 + static_cast<double>(extreme)) / (1 + static_cast<double>(found.size()));
}

struct Ranks {
  double positive = 0;    // sum of the ranks of positive differences
  double tie_excess = 0;  // sum over groups of ties of t^3 - t
  std::size_t size = 0;
};

Ranks signed_ranks(std::vector<double> differences) {
  std::erase(differences, 0.0);
  std::sort(differences.begin(), differences.end(),
            [](double a, double b) { return std::abs(a) < std::abs(b); });
  Ranks ranks{.size = differences.size()};
  for (std::size_t begin = 0; begin < differences.size();) {
    std::size_t end = begin + 1;
    while (end < differences.size() && std::abs(differences[end]) == std::abs(differences[begin]))
      ++end;
    const auto ties = static_cast<double>(end - begin);
    ranks.tie_excess += ties * ties * ties - ties;
    const double mean_rank = static_cast<double>(begin + end + 1) / 2;
    for (std::size_t i = begin; i < end; ++i)
      if (differences[i] > 0) ranks.positive += mean_rank;
    begin = end;
  }
  return ranks;
}

// P(W <= w) twice, by counting the subsets of 1..n that sum to each value.
double exact_wilcoxon(std::size_t n, double smaller) {
  std::vector<double> share(n * (n + 1) / 2 + 1, 0.0);
  share[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank)
    for (std::size_t sum = share.size(); sum-- > 0;)
      share[sum] = (share[sum] + (sum >= rank ? share[sum - rank] : 0)) / 2;
  double tail = 0;
  for (std::size_t sum = 0; static_cast<double>(sum) <= smaller; ++sum) tail += share[sum];
  return std::min(1.0, 2 * tail);
}

}  // namespace

SentenceCounts::SentenceCounts(std::size_t columns) : columns_(columns) {
  require(columns > 0, "sentence counts: no columns");
}

void SentenceCounts::add(std::span<const double> counts) {
  require(counts.size() == columns_, "sentence counts: ", counts.size(), " counts for ", columns_,
          " columns");
  values_.insert(values_.end(), counts.begin(), counts.end());
}

std::vector<double> SentenceCounts::totals() const {
  std::vector<double> totals(columns_, 0.0);
  for (std::size_t i = 0; i < size(); ++i) add_to(totals, (*this)[i]);
  return totals;
}

Interval bootstrap_interval(const SentenceCounts& counts, const Metric& metric,
                            ResamplingOptions options) {
  check(counts, options);
  std::vector<double> found;
  for (std::size_t resample = 0; resample < options.resamples; ++resample) {
    Random random(options.seed, resample);
    std::vector<double> totals(counts.columns(), 0.0);
    for (std::size_t i = 0; i < counts.size(); ++i)
      add_to(totals, counts[random.below(counts.size())]);
    found.push_back(metric(totals));
  }
  std::sort(found.begin(), found.end());
  const double tail = (1 - options.level) / 2;
  return {metric(counts.totals()), quantile(found, tail), quantile(found, 1 - tail)};
}

Comparison paired_bootstrap(const SentenceCounts& a, const SentenceCounts& b, const Metric& metric,
                            ResamplingOptions options) {
  check_paired(a, b, options);
  const double difference = metric(a.totals()) - metric(b.totals());
  std::vector<double> found;
  for (std::size_t resample = 0; resample < options.resamples; ++resample) {
    Random random(options.seed, resample);
    std::vector<double> totals_a(a.columns(), 0.0);
    std::vector<double> totals_b(a.columns(), 0.0);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t sentence = random.below(a.size());
      add_to(totals_a, a[sentence]);
      add_to(totals_b, b[sentence]);
    }
    found.push_back(metric(totals_a) - metric(totals_b));
  }
  const double mean =
      std::accumulate(found.begin(), found.end(), 0.0) / static_cast<double>(found.size());
  return {difference, p_value(found, difference, mean)};
}

Comparison approximate_randomization(const SentenceCounts& a, const SentenceCounts& b,
                                     const Metric& metric, ResamplingOptions options) {
  check_paired(a, b, options);
  const double difference = metric(a.totals()) - metric(b.totals());
  std::vector<double> found;
  for (std::size_t resample = 0; resample < options.resamples; ++resample) {
    Random random(options.seed, resample);
    std::vector<double> totals_a(a.columns(), 0.0);
    std::vector<double> totals_b(a.columns(), 0.0);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const bool exchanged = random.below(2) == 1;
      add_to(exchanged ? totals_b : totals_a, a[i]);
      add_to(exchanged ? totals_a : totals_b, b[i]);
    }
    found.push_back(metric(totals_a) - metric(totals_b));
  }
  return {difference, p_value(found, difference, 0)};
}

double mcnemar_exact(std::uint64_t only_a, std::uint64_t only_b) {
  const auto n = static_cast<double>(only_a + only_b);
  const std::uint64_t smaller = std::min(only_a, only_b);
  double tail = 0;
  for (std::uint64_t k = 0; k <= smaller; ++k) {
    const auto x = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) -
                     n * std::log(2.0));
  }
  return std::min(1.0, 2 * tail);
}

double mcnemar_chi_square(std::uint64_t only_a, std::uint64_t only_b) {
  const double n = static_cast<double>(only_a) + static_cast<double>(only_b);
  if (n == 0) return 1;
  const double gap = std::abs(static_cast<double>(only_a) - static_cast<double>(only_b));
  const double corrected = std::max(0.0, gap - 1);
  return std::erfc(std::sqrt(corrected * corrected / n / 2));  // upper tail, one degree of freedom
}

double wilcoxon_signed_rank(std::span<const double> a, std::span<const double> b) {
  require(a.size() == b.size(), "wilcoxon: ", a.size(), " values against ", b.size());
  std::vector<double> differences;
  differences.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(a[i] - b[i]);
  const Ranks ranks = signed_ranks(std::move(differences));
  if (ranks.size == 0) return 1;
  const auto n = static_cast<double>(ranks.size);
  const double all = n * (n + 1) / 2;
  const double smaller = std::min(ranks.positive, all - ranks.positive);
  constexpr std::size_t max_exact = 50;
  if (ranks.size <= max_exact && ranks.tie_excess == 0) return exact_wilcoxon(ranks.size, smaller);
  const double variance = n * (n + 1) * (2 * n + 1) / 24 - ranks.tie_excess / 48;
  return std::erfc(std::abs(smaller - all / 2) / std::sqrt(2 * variance));
}

}  // namespace coppice::eval

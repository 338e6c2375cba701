// How sure a score is, and whether two systems differ.
//
// A corpus metric is a function of counts that add up over sentences (for F1: gold, predicted,
// correct). SentenceCounts keeps the counts of each sentence; resampling draws sentences and
// never looks at text again. Draws come from a seed: the same numbers on every machine.
//
// Every p-value is two-sided, for the hypothesis that the systems do not differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace coppice::eval {

using Metric = std::function<double(std::span<const double> totals)>;

class SentenceCounts {
 public:
  // Throws InvalidArgument for 0 columns.
  explicit SentenceCounts(std::size_t columns);

  // Requires one count for each column; throws InvalidArgument otherwise.
  void add(std::span<const double> counts);

  std::size_t columns() const noexcept { return columns_; }
  std::size_t size() const noexcept { return values_.size() / columns_; }
  std::span<const double> operator[](std::size_t sentence) const {
    return std::span(values_).subspan(sentence * columns_, columns_);
  }
  std::vector<double> totals() const;

 private:
  std::size_t columns_;
  std::vector<double> values_;
};

struct ResamplingOptions {
  std::size_t resamples = 1000;
  std::uint64_t seed = 1;
  double level = 0.95;  // of intervals
};

struct Interval {
  double value = 0;  // on the whole corpus
  double low = 0;
  double high = 0;
};

struct Comparison {
  double difference = 0;  // metric of a minus metric of b
  double p = 1;
};

// The percentile bootstrap (Efron 1979): the middle `level` of the metric over corpora of as many
// sentences, drawn with replacement. Throws InvalidArgument for no sentences or no resamples.
// Cost: resamples * sentences * columns.
Interval bootstrap_interval(const SentenceCounts& counts, const Metric& metric,
                            ResamplingOptions options = {});

// The paired bootstrap, centred: p = (1 + #{ |d* - mean of d*| >= |d| }) / (resamples + 1), with
// d* the difference on the same drawn sentences (Koehn 2004; Riezler and Maxwell 2005).
// Throws as above, and when the two differ in sentences or columns.
Comparison paired_bootstrap(const SentenceCounts& a, const SentenceCounts& b, const Metric& metric,
                            ResamplingOptions options = {});

// Approximate randomisation (Noreen 1989): sentences exchange their systems by a fair coin;
// p = (1 + #{ |d*| >= |d| }) / (resamples + 1). Throws as paired_bootstrap.
Comparison approximate_randomization(const SentenceCounts& a, const SentenceCounts& b,
                                     const Metric& metric, ResamplingOptions options = {});

// McNemar's test on paired right and wrong answers: `only_a` are right in system a alone, `only_b`
// in b alone. Exact: binomial. Chi-square: with Edwards' continuity correction. No disagreement
// gives 1.
double mcnemar_exact(std::uint64_t only_a, std::uint64_t only_b);
double mcnemar_chi_square(std::uint64_t only_a, std::uint64_t only_b);

// Wilcoxon's signed ranks over differences a[i] - b[i]; zeros are dropped, ties share their mean
// rank. Exact up to 50 differences without ties, else the normal approximation with correction for
// ties. No differences give 1. Throws InvalidArgument when sizes differ.
double wilcoxon_signed_rank(std::span<const double> a, std::span<const double> b);

}  // namespace coppice::eval

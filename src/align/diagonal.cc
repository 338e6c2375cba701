#include "align/diagonal.h"

#include <algorithm>
#include <cmath>

#include "coppice/base/error.h"

namespace coppice::align {

namespace {

constexpr int kBisections = 40;

// The sum over k = 0..n-1 of exp(lambda (h - k / I)), and that of the same times h - k / I.
struct Series {
  double sum = 0;
  double weighted = 0;
};
Series geometric(double lambda, double h, std::size_t n, double sources) {
  if (n == 0) return {};
  const double count = static_cast<double>(n);
  const double log_ratio = -lambda / sources, ratio = std::exp(log_ratio);
  const double gap = -std::expm1(log_ratio);                // 1 - r
  const double all_gap = -std::expm1(log_ratio * count);    // 1 - r^n
  const double sum = all_gap / gap;                         // of r^k
  const double last = std::exp(log_ratio * count);          // r^n
  const double steps = (ratio * sum - count * last) / gap;  // of k r^k
  const double head = std::exp(lambda * h);
  return {head * sum, head * (h * sum - steps / sources)};
}

double distance(std::size_t i, std::size_t j, std::size_t sources, std::size_t targets) {
  return -std::abs(static_cast<double>(i) / static_cast<double>(sources) -
                   static_cast<double>(j) / static_cast<double>(targets));
}

}  // namespace

DiagonalSum diagonal_sum(double lambda, std::size_t j, std::size_t sources, std::size_t targets) {
  const std::size_t below = j * sources / targets;  // the last i on this side of the diagonal
  const auto length = static_cast<double>(sources);
  const Series down = geometric(lambda, distance(below, j, sources, targets), below, length);
  const Series up =
      geometric(lambda, distance(below + 1, j, sources, targets), sources - below, length);
  const double sum = down.sum + up.sum;
  return {sum, (down.weighted + up.weighted) / sum};
}

DiagonalPositions::DiagonalPositions(double null_probability, double tension)
    : null_probability_(null_probability), tension_(tension) {
  require(null_probability >= 0 && null_probability < 1,
          "the probability of no link must be in [0, 1), not ", null_probability);
  require(tension >= kMinTension && tension <= kMaxTension, "the tension must be from ",
          kMinTension, " to ", kMaxTension, ", not ", tension);
}

DiagonalPositions::DiagonalPositions(double null_probability, double tension,
                                     const BitextSide& source, const BitextSide& target)
    : DiagonalPositions(null_probability, tension) {
  std::vector<std::pair<std::size_t, std::size_t>> lengths;
  for (std::size_t k = 0; k < source.size(); ++k) {
    if (!source[k].empty()) lengths.emplace_back(source[k].size(), target[k].size());
  }
  std::ranges::sort(lengths);
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  num_sums_ = 1;
  for (const auto& [sources, targets] : lengths) {
    shapes_.push_back(
        {static_cast<std::uint32_t>(sources), static_cast<std::uint32_t>(targets), num_sums_});
    num_sums_ += targets;
  }
}

const DiagonalPositions::Shape& DiagonalPositions::shape(std::size_t sources,
                                                         std::size_t targets) const {
  return *std::lower_bound(shapes_.begin(), shapes_.end(), std::pair(sources, targets),
                           [](const Shape& shape, const auto& lengths) {
                             return std::pair<std::size_t, std::size_t>(shape.sources,
                                                                        shape.targets) < lengths;
                           });
}

double DiagonalPositions::infer(LinkMatrix& matrix, FixedSums* sums) const {
  const std::size_t sources = matrix.sources(), targets = matrix.targets();
  const std::size_t first_sum = sums != nullptr ? shape(sources, targets).first_sum : 0;
  const double ratio = std::exp(-tension_ / static_cast<double>(sources));
  double log_likelihood = 0, distances = 0;
  for (std::size_t j = 1; j <= targets; ++j) {
    const std::span<double> cells = matrix.row(j - 1);
    const double norm = (1 - null_probability_) / diagonal_sum(tension_, j, sources, targets).sum;
    const std::size_t below = j * sources / targets;
    cells[0] *= null_probability_;
    double weight = norm * std::exp(tension_ * distance(below, j, sources, targets));
    for (std::size_t i = below; i >= 1; --i, weight *= ratio) cells[i] *= weight;
    weight = norm * std::exp(tension_ * distance(below + 1, j, sources, targets));
    for (std::size_t i = below + 1; i <= sources; ++i, weight *= ratio) cells[i] *= weight;
    log_likelihood += std::log(normalise(cells));
    if (sums == nullptr) continue;
    for (std::size_t i = 1; i <= sources; ++i)
      distances -= cells[i] * distance(i, j, sources, targets);
    sums->add(first_sum + j - 1, std::max(0.0, 1 - cells[0]));
  }
  if (sums != nullptr) sums->add(0, distances);
  return log_likelihood;
}

void DiagonalPositions::maximise(const FixedSums& sums) {
  const auto slope = [&](double tension) {
    double value = -sums[0];
    for (const Shape& shape : shapes_) {
      for (std::size_t j = 1; j <= shape.targets; ++j) {
        value -= sums[shape.first_sum + j - 1] *
                 diagonal_sum(tension, j, shape.sources, shape.targets).mean;
      }
    }
    return value;
  };
  double low = kMinTension, high = kMaxTension;
  for (int step = 0; step < kBisections; ++step) {
    const double middle = (low + high) / 2;
    (slope(middle) > 0 ? low : high) = middle;
  }
  tension_ = (low + high) / 2;
}

}  // namespace coppice::align

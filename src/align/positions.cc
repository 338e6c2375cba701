#include "coppice/align/positions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace coppice::align {

double normalise(std::span<double> values) noexcept {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& value : values) value /= sum;
  return sum;
}

double UniformPositions::infer(LinkMatrix& matrix, FixedSums* /*sums*/) const {
  double log_likelihood = 0;
  for (std::size_t j = 0; j < matrix.targets(); ++j) {
    log_likelihood += std::log(normalise(matrix.row(j)));
  }
  return log_likelihood - static_cast<double>(matrix.targets()) *
                              std::log(static_cast<double>(matrix.sources() + 1));
}

std::vector<std::uint32_t> best_links(const LinkMatrix& posteriors) {
  std::vector<std::uint32_t> links(posteriors.targets(), kUnlinked);
  for (std::size_t j = 0; j < links.size(); ++j) {
    const std::span<const double> row = posteriors.row(j);
    const auto best = static_cast<std::uint32_t>(std::ranges::max_element(row) - row.begin());
    if (best > 0) links[j] = best - 1;
  }
  return links;
}

}  // namespace coppice::align

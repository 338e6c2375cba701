#include "coppice/learn/measure.h"

#include <cmath>

#include "coppice/base/error.h"
#include "coppice/forest/oracle.h"

namespace coppice::learn {

double loss(const Measure& measure, Counts counts, std::uint32_t gold) {
  switch (measure.kind) {
    case Measure::Kind::kPrecision:
      return counts.d == 0 ? 0 : 1 - static_cast<double>(counts.n) / counts.d;
    case Measure::Kind::kRecall:
      return gold == 0 ? 0 : 1 - static_cast<double>(counts.n) / gold;
    case Measure::Kind::kF:
      break;
  }
  return 1 - f_measure(counts, gold, measure.beta);
}

EdgeMap<double> decomposed_loss(const EdgeMap<Counts>& counts, const EdgeMap<std::uint32_t>& gold,
                                const ErrorCosts& costs) {
  require(counts.size() == gold.size(), "decomposed_loss: tables of ", counts.size(), " and of ",
          gold.size(), " edges");
  for (const double cost : {costs.false_positive, costs.false_negative}) {
    require(std::isfinite(cost) && cost >= 0, "decomposed_loss: a cost of ", cost,
            "; expected a number from 0 up");
  }
  EdgeMap<double> losses(counts.size(), 0.0);
  for (EdgeId edge : IdRange<EdgeId>(counts.size())) {
    const auto [n, d] = counts[edge];
    losses[edge] = costs.false_positive * (static_cast<double>(d) - n);
    if (gold[edge] > n) losses[edge] += costs.false_negative * (gold[edge] - n);
  }
  return losses;
}

}  // namespace coppice::learn

#include "coppice/forest/count.h"

#include <limits>

#include "coppice/forest/inside.h"
#include "coppice/semiring/counting.h"

namespace coppice {

namespace {

// Ones where an edge has weight, without an array of them.
struct UnitWeights {
  const EdgeMap<double>& scores;

  std::size_t size() const noexcept { return scores.size(); }
  BigCount operator[](EdgeId edge) const noexcept {
    return BigCount(scores[edge] > -std::numeric_limits<double>::infinity() ? 1 : 0);
  }
};

}  // namespace

BigCount count_derivations(const Forest& forest) {
  return count_derivations(forest, EdgeMap<double>(forest.num_edges(), 0.0));
}

BigCount count_derivations(const Forest& forest, const EdgeMap<double>& scores) {
  auto chart = inside<CountingSemiring>(forest, UnitWeights{scores});
  return forest.empty() ? BigCount() : std::move(chart[forest.root()]);
}

}  // namespace coppice

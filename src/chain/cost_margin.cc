#include "coppice/chain/cost_margin.h"

#include <algorithm>
#include <cmath>

#include "coppice/base/error.h"

namespace coppice::chain {

CostMargin::CostMargin(std::size_t labels, const std::vector<float>& matrix, double loss_scale)
    : labels_(labels), stride_(row_stride(labels)), rows_(labels * stride_, 0.0f) {
  require(matrix.size() == labels * labels, "a cost matrix of ", matrix.size(), " entries for ",
          labels, " labels");
  require(std::isfinite(loss_scale) && loss_scale >= 0, "a loss scale of ", loss_scale,
          "; expected a number from 0 up");
  for (std::size_t gold = 0; gold < labels; ++gold) {
    for (std::size_t y = 0; y < labels; ++y) {
      const float cost = matrix[gold * labels + y];
      require(std::isfinite(cost) && cost >= 0 && (gold != y || cost == 0), "a cost of ", cost,
              " for label ", y, " where ", gold, " is right; expected 0 for the right label and ",
              "finite costs from 0 up for the others");
      rows_[gold * stride_ + y] = static_cast<float>(loss_scale) * cost;
    }
  }
}

double CostMargin::evaluate(const Example& example, PairDerivatives& pairs,
                            Workspace& workspace) const {
  const EdgeShape& shape = example.edge_shape;
  for (std::size_t t = 0; t < example.length(); ++t) {
    const auto gold = example.gold.at(t);
    if (example.edges.empty()) {
      add_costs(gold, example.scores + t * stride_);
      continue;
    }
    for (std::size_t state = shape.first_state(t); state < shape.last_state(t); ++state) {
      add_costs(gold, &example.edges[shape.place(t, state, 0)]);
    }
  }
  return likelihood_.evaluate(example, pairs, workspace);
}

void CostMargin::add_costs(std::span<const std::uint16_t> gold, float* scores) const {
  if (gold.size() == 1) {
    const float* costs = rows_.data() + gold[0] * stride_;
    for (std::size_t y = 0; y < labels_; ++y) scores[y] += costs[y];
    return;
  }
  for (std::size_t y = 0; y < labels_ && !gold.empty(); ++y) {
    float least = rows_[gold[0] * stride_ + y];
    for (const std::size_t label : gold) least = std::min(least, rows_[label * stride_ + y]);
    scores[y] += least;
  }
}

}  // namespace coppice::chain

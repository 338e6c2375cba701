// Small random tables of examples with every kind of feature, missing values, and targets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "coppice/base/random.h"
#include "coppice/trees/grow.h"

namespace coppice::trees::testing {

struct RandomShape {
  std::size_t rows = 40;
  std::size_t categorical = 2, values = 5;
  std::size_t ordered = 2, cuts = 4;
  std::size_t binary = 8;
  double missing = 0.2;
  std::size_t states = 1;
};

struct RandomExamples {
  Schema schema;
  ExampleTable table;
  States states;
  std::vector<std::int32_t> gradient, curvature;

  RandomExamples(std::uint64_t seed, const RandomShape& shape) {
    Random random(seed);
    for (std::size_t i = 0; i < shape.categorical; ++i) schema.add_categorical(shape.values);
    std::vector<double> cuts(shape.cuts);
    std::iota(cuts.begin(), cuts.end(), 0.0);
    for (std::size_t i = 0; i < shape.ordered; ++i) schema.add_ordered(cuts);
    schema.add_binary(shape.binary);
    for (std::size_t row = 0; row < shape.rows; ++row) table.add(draw_row(random, shape), row % 2);
    states.count = shape.states;
    if (shape.states > 1) {
      states.factors.emplace_back(shape.states);
      std::iota(states.factors[0].begin(), states.factors[0].end(), std::uint16_t{0});
    }
    for (std::size_t i = 0; i < shape.rows * shape.states; ++i) {
      gradient.push_back(static_cast<std::int32_t>(random.below(2001)) - 1000);
      curvature.push_back(1 + static_cast<std::int32_t>(random.below(500)));
    }
  }

  std::vector<std::uint32_t> draw_row(Random& random, const RandomShape& shape) const {
    std::vector<std::uint32_t> row;
    for (std::uint32_t feature = 0; feature < schema.num_columns(); ++feature) {
      if (random.uniform() < shape.missing) continue;
      const BinRange bins = schema.bins(feature);
      row.push_back(bins.begin + static_cast<std::uint32_t>(random.below(bins.size())));
    }
    for (std::uint32_t feature = static_cast<std::uint32_t>(schema.num_columns());
         feature < schema.num_features(); ++feature) {
      if (random.below(3) == 0) row.push_back(schema.bins(feature).begin);
    }
    return row;
  }

  std::vector<std::uint32_t> all_rows() const {
    std::vector<std::uint32_t> rows(table.size());
    std::iota(rows.begin(), rows.end(), 0u);
    return rows;
  }

  Targets targets(bool newton) const {
    Targets targets{.gradient = gradient, .gradient_unit = 1e-3};
    if (newton) {
      targets.curvature = curvature;
      targets.curvature_unit = 1e-2;
    }
    return targets;
  }
};

// Gives every leaf a value that tells it from the others.
inline void number_leaves(Ensemble& trees) {
  float value = 1;
  for (Node& node : trees.nodes) {
    if (node.is_leaf()) node.value = value;
    value = value < 0 ? value / 1.25f + 3 : value * 1.25f;
    if (value > 1000) value = -1000;
  }
}

}  // namespace coppice::trees::testing

#include "coppice/forest/edge_features.h"

#include <algorithm>
#include <cmath>

namespace coppice {

namespace {

void require_finite(std::span<const double> values) {
  for (double value : values) {
    require(std::isfinite(value), "edge features: value ", value, "; expected a finite number");
  }
}

}  // namespace

void EdgeFeatures::add_edge(std::span<const FeatureId> ids, std::span<const double> values) {
  require(ids.size() == values.size(), "edge features: ", ids.size(), " ids with ", values.size(),
          " values");
  require_finite(values);
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  values_.insert(values_.end(), values.begin(), values.end());
  for (FeatureId id : ids) num_features_ = std::max(num_features_, index(id) + 1);
  begin_.push_back(ids_.size());
}

void EdgeFeatures::add_edge(std::initializer_list<std::pair<FeatureId, double>> row) {
  std::vector<FeatureId> ids;
  std::vector<double> values;
  for (const auto& [id, value] : row) {
    ids.push_back(id);
    values.push_back(value);
  }
  add_edge(ids, values);
}

void EdgeFeatures::reserve(std::size_t edges, std::size_t values) {
  begin_.reserve(edges + 1);
  ids_.reserve(values);
  values_.reserve(values);
}

double dot(const EdgeFeatures::Row& row, std::span<const double> theta) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < row.ids.size(); ++i) sum += theta[index(row.ids[i])] * row.values[i];
  return sum;
}

std::vector<double> weighted_sum(const EdgeFeatures& features, const EdgeMap<double>& weights) {
  require(features.size() == weights.size(), "weighted_sum: features of ", features.size(),
          " edges with ", weights.size(), " weights");
  std::vector<double> sum(features.num_features(), 0.0);
  for (EdgeId edge : IdRange<EdgeId>(features.size())) {
    const double weight = weights[edge];
    if (weight == 0) continue;
    const auto row = features[edge];
    for (std::size_t i = 0; i < row.ids.size(); ++i)
      sum[index(row.ids[i])] += weight * row.values[i];
  }
  return sum;
}

EdgeVectors::EdgeVectors(std::size_t dimension, std::vector<double> values)
    : dimension_(dimension),
      size_(dimension == 0 ? 0 : values.size() / dimension),
      values_(std::move(values)) {
  require(size_ * dimension_ == values_.size(), "edge vectors: ", values_.size(),
          " values are no whole number of rows of ", dimension_);
  require_finite(values_);
}

std::vector<double> weighted_sum(const EdgeVectors& vectors, const EdgeMap<double>& weights) {
  require(vectors.size() == weights.size(), "weighted_sum: vectors of ", vectors.size(),
          " edges with ", weights.size(), " weights");
  std::vector<double> sum(vectors.dimension(), 0.0);
  for (EdgeId edge : IdRange<EdgeId>(vectors.size())) {
    const auto row = vectors[edge];
    for (std::size_t i = 0; i < row.size(); ++i) sum[i] += weights[edge] * row[i];
  }
  return sum;
}

}  // namespace coppice

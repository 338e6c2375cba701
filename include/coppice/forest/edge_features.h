// Additive quantities of edges that have many components: sparse features, and dense vectors.
// Rows of all edges lie one after the other, so that nothing is allocated for an edge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "coppice/base/error.h"
#include "coppice/forest/forest.h"

namespace coppice {

enum class FeatureId : std::uint32_t {};

// The features of each edge, and their values. Ids come in any order; what repeats in one edge
// counts as often as it stands there.
class EdgeFeatures {
 public:
  struct Row {
    std::span<const FeatureId> ids;
    std::span<const double> values;
  };

  EdgeFeatures() = default;

  // Appends the row of the next edge. Throws InvalidArgument when the lengths differ or a value is
  // not finite, and changes nothing then.
  void add_edge(std::span<const FeatureId> ids, std::span<const double> values);
  void add_edge(std::initializer_list<std::pair<FeatureId, double>> row);
  void reserve(std::size_t edges, std::size_t values);

  std::size_t size() const noexcept { return begin_.size() - 1; }  // edges
  std::size_t num_values() const noexcept { return ids_.size(); }
  // One more than the largest id.
  std::size_t num_features() const noexcept { return num_features_; }

  // Valid until the next row is added.
  Row operator[](EdgeId edge) const noexcept {
    const std::size_t begin = begin_[index(edge)];
    const std::size_t length = begin_[index(edge) + 1] - begin;
    return {{ids_.data() + begin, length}, {values_.data() + begin, length}};
  }

 private:
  std::vector<std::size_t> begin_{0};
  std::vector<FeatureId> ids_;
  std::vector<double> values_;
  std::size_t num_features_ = 0;
};

// theta . features[edge]. Requires that theta covers every id.
double dot(const EdgeFeatures::Row& row, std::span<const double> theta) noexcept;

// sum over edges of weight_e features[e], a vector of num_features() components.
// Throws InvalidArgument unless there is one weight per row.
std::vector<double> weighted_sum(const EdgeFeatures& features, const EdgeMap<double>& weights);

// A vector of `dimension` components for each edge, row by row.
class EdgeVectors {
 public:
  // Throws InvalidArgument unless values are a whole number of rows and finite.
  EdgeVectors(std::size_t dimension, std::vector<double> values);

  std::size_t dimension() const noexcept { return dimension_; }
  std::size_t size() const noexcept { return size_; }  // edges
  std::span<const double> operator[](EdgeId edge) const noexcept {
    return {values_.data() + index(edge) * dimension_, dimension_};
  }

 private:
  std::size_t dimension_;
  std::size_t size_;
  std::vector<double> values_;
};

// Throws InvalidArgument unless there is one weight per row.
std::vector<double> weighted_sum(const EdgeVectors& vectors, const EdgeMap<double>& weights);

}  // namespace coppice

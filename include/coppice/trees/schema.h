// What a tree may ask of an example: features, and the bins that their values fall into.
//
// Every feature is cut into bins that are numbered through all features, so that an example is
// nothing but the ascending list of the bins it is in (examples.h), and one histogram over bins
// serves every kind of feature:
//
//     binary       one bin: the feature is on. An example without it has the feature off.
//     categorical  a bin for each value
//     ordered      a bin for each interval of a real line: bin j holds (cut[j-1], cut[j]]
//
// An example in no bin of a categorical or ordered feature lacks the value (it is missing). The
// columns (categorical and ordered features) come first, then the binary features, of which there
// may be millions: they take no memory here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace coppice::trees {

enum class FeatureKind : std::uint8_t { kBinary = 0, kCategorical = 1, kOrdered = 2 };

struct BinRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t size() const noexcept { return end - begin; }
};

class Schema {
 public:
  // Each returns the number of the (first) feature added. Columns must be added before binary
  // features; throws InvalidArgument otherwise, when a column has no bin or its cuts do not ascend,
  // and past 2^31 bins.
  std::uint32_t add_categorical(std::size_t values);
  // n cuts make n + 1 bins.
  std::uint32_t add_ordered(std::span<const double> cuts);
  std::uint32_t add_binary(std::size_t count = 1);

  std::size_t num_features() const noexcept { return columns_.size() + binary_; }
  std::size_t num_columns() const noexcept { return columns_.size(); }
  std::size_t num_bins() const noexcept { return column_bins_ + binary_; }
  // Bins below this number belong to columns.
  std::uint32_t column_bins() const noexcept { return column_bins_; }

  // Require a feature of this schema.
  FeatureKind kind(std::uint32_t feature) const noexcept {
    return feature < columns_.size() ? columns_[feature].kind : FeatureKind::kBinary;
  }
  BinRange bins(std::uint32_t feature) const noexcept {
    if (feature < columns_.size()) return columns_[feature].bins;
    const auto bin = static_cast<std::uint32_t>(feature - columns_.size() + column_bins_);
    return {bin, bin + 1};
  }
  std::uint32_t feature_of(std::uint32_t bin) const noexcept;

  // The cuts of an ordered feature, ascending.
  std::span<const double> cuts(std::uint32_t feature) const noexcept;
  // The bin of a value of an ordered feature: the first whose cut is not below it. O(log bins).
  std::uint32_t bin_of(std::uint32_t feature, double value) const noexcept;

 private:
  struct Column {
    FeatureKind kind;
    BinRange bins;
    std::size_t first_cut;
  };
  std::uint32_t add_column(FeatureKind kind, std::size_t bins);

  std::vector<Column> columns_;
  std::vector<double> cuts_;
  std::uint32_t column_bins_ = 0;
  std::size_t binary_ = 0;
};

// Cuts that share `values` out to at most `max_bins` bins of about equal counts; between any two
// neighbours when there are few distinct values. A cut lies midway between two values that occur.
// Requires max_bins >= 2 and finite values. O(n log n).
std::vector<double> quantile_cuts(std::vector<double> values, std::size_t max_bins);

}  // namespace coppice::trees

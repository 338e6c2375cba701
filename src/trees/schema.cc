#include "coppice/trees/schema.h"

#include <algorithm>

#include "coppice/base/error.h"

namespace coppice::trees {

namespace {

constexpr std::size_t kMaxBins = std::size_t{1} << 31;

}  // namespace

std::uint32_t Schema::add_column(FeatureKind kind, std::size_t bins) {
  require(binary_ == 0, "schema: a column after binary features");
  require(bins > 0 && bins + num_bins() < kMaxBins, "schema: a column of ", bins, " bins");
  const std::uint32_t begin = column_bins_;
  column_bins_ += static_cast<std::uint32_t>(bins);
  columns_.push_back({kind, {begin, column_bins_}, cuts_.size()});
  return static_cast<std::uint32_t>(columns_.size() - 1);
}

std::uint32_t Schema::add_categorical(std::size_t values) {
  return add_column(FeatureKind::kCategorical, values);
}

std::uint32_t Schema::add_ordered(std::span<const double> cuts) {
  const bool ascends = std::adjacent_find(cuts.begin(), cuts.end(), [](double a, double b) {
                         return !(a < b);
                       }) == cuts.end();
  require(ascends, "schema: cuts that do not ascend");
  const std::uint32_t feature = add_column(FeatureKind::kOrdered, cuts.size() + 1);
  cuts_.insert(cuts_.end(), cuts.begin(), cuts.end());
  return feature;
}

std::uint32_t Schema::add_binary(std::size_t count) {
  require(count + num_bins() < kMaxBins, "schema: more than 2^31 bins");
  const auto first = static_cast<std::uint32_t>(num_features());
  binary_ += count;
  return first;
}

std::uint32_t Schema::feature_of(std::uint32_t bin) const noexcept {
  if (bin >= column_bins_) return static_cast<std::uint32_t>(bin - column_bins_ + columns_.size());
  const auto after = std::upper_bound(
      columns_.begin(), columns_.end(), bin,
      [](std::uint32_t value, const Column& column) { return value < column.bins.begin; });
  return static_cast<std::uint32_t>(after - columns_.begin() - 1);
}

std::span<const double> Schema::cuts(std::uint32_t feature) const noexcept {
  const Column& column = columns_[feature];
  return std::span(cuts_).subspan(column.first_cut, column.bins.size() - 1);
}

std::uint32_t Schema::bin_of(std::uint32_t feature, double value) const noexcept {
  const auto all = cuts(feature);
  const auto at = std::lower_bound(all.begin(), all.end(), value) - all.begin();
  return bins(feature).begin + static_cast<std::uint32_t>(at);
}

std::vector<double> quantile_cuts(std::vector<double> values, std::size_t max_bins) {
  require(max_bins >= 2, "quantile_cuts: fewer than two bins");
  std::sort(values.begin(), values.end());
  std::vector<std::size_t> ends;  // of runs of equal values, but the last
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i - 1] < values[i]) ends.push_back(i);
  }
  std::vector<double> cuts;
  const auto push = [&](std::size_t end) {
    const double middle = values[end - 1] + (values[end] - values[end - 1]) / 2;
    cuts.push_back(middle < values[end] ? middle : values[end - 1]);  // neighbours in double
  };
  if (ends.size() < max_bins) {
    for (const std::size_t end : ends) push(end);
    return cuts;
  }
  std::size_t last = 0;
  for (std::size_t bin = 1; bin < max_bins; ++bin) {
    const std::size_t wanted = bin * values.size() / max_bins;
    const auto end = std::lower_bound(ends.begin(), ends.end(), std::max(wanted, last + 1));
    if (end == ends.end()) break;
    push(*end);
    last = *end;
  }
  return cuts;
}

}  // namespace coppice::trees

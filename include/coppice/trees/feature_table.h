// Named features and what they become: a schema for the trees, and bins for examples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/symbols.h"
#include "coppice/trees/examples.h"
#include "coppice/trees/schema.h"

namespace coppice::trees {

class FeatureTable {
 public:
  FeatureTable() = default;
  // One feature for each name; the first cuts.size() are ordered, with these cuts, the others
  // binary. Throws InvalidArgument when a name comes twice, or as Schema does.
  FeatureTable(const std::vector<std::string>& names, const std::vector<std::vector<double>>& cuts);

  const Schema& schema() const noexcept { return schema_; }
  std::string_view name(std::uint32_t feature) const noexcept {
    return names_[static_cast<SymbolId>(feature)];
  }

  // The bin of a feature with that value; kNoBin when the name is unknown, or a binary feature is
  // off (0).
  std::uint32_t bin_of(std::string_view name, double value) const noexcept;

  // The bins of an example, ascending; its features have members `name` and `value`.
  template <class Features>
  void encode(const Features& features, std::vector<std::uint32_t>& bins) const {
    bins.clear();
    for (const auto& feature : features) {
      const std::uint32_t bin = bin_of(feature.name, feature.value);
      if (bin != kNoBin) bins.push_back(bin);
    }
    std::sort(bins.begin(), bins.end());
  }

 private:
  Symbols names_;
  Schema schema_;
};

// Decides what the features of a data set are, by looking at all of them once: binary those that
// are only ever 0 or 1, ordered the others, with bins of equal counts. An example that does not
// name an ordered feature lacks its value.
class FeatureCounter {
 public:
  void observe(std::string_view name, double value);
  std::size_t size() const noexcept { return names_.size(); }

  struct Rules {
    std::size_t min_count = 1;  // features that fewer examples have are left out
    std::size_t max_bins = 255;
  };
  FeatureTable table(const Rules& rules) const;

 private:
  // Quantiles are taken of the first so many values, to bound memory.
  static constexpr std::size_t kMaxValues = std::size_t{1} << 20;

  Symbols names_;
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint32_t> ordered_;       // by name: place in values_ plus 1, or 0
  std::vector<std::vector<double>> values_;  // of ordered features
  std::vector<std::uint64_t> ones_;          // by name: values 1 seen while it looked binary
};

}  // namespace coppice::trees

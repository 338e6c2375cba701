#include "coppice/trees/feature_table.h"

#include "coppice/base/error.h"

namespace coppice::trees {

FeatureTable::FeatureTable(const std::vector<std::string>& names,
                           const std::vector<std::vector<double>>& cuts) {
  require(cuts.size() <= names.size(), "features: ", cuts.size(), " lists of cuts for ",
          names.size(), " names");
  for (const std::string& name : names) {
    require(!names_.find(name), "features: \"", name, "\" comes twice");
    names_.add(name);
  }
  for (const std::vector<double>& one : cuts) schema_.add_ordered(one);
  schema_.add_binary(names.size() - cuts.size());
}

std::uint32_t FeatureTable::bin_of(std::string_view name, double value) const noexcept {
  const auto found = names_.find(name);
  if (!found) return kNoBin;
  const auto feature = static_cast<std::uint32_t>(index(*found));
  if (schema_.kind(feature) == FeatureKind::kOrdered) return schema_.bin_of(feature, value);
  return value != 0 ? schema_.bins(feature).begin : kNoBin;
}

void FeatureCounter::observe(std::string_view name, double value) {
  const std::size_t id = index(names_.add(name));
  if (id == counts_.size()) {
    counts_.push_back(0);
    ones_.push_back(0);
    ordered_.push_back(0);
  }
  ++counts_[id];
  const bool looks_binary = ordered_[id] == 0 && (value == 0 || value == 1);
  if (looks_binary) {
    ones_[id] += value == 1;
    return;
  }
  if (ordered_[id] == 0) {  // the first value that no binary feature has
    values_.emplace_back();
    values_.back().assign(std::min<std::size_t>(ones_[id], kMaxValues), 1.0);
    values_.back().resize(std::min<std::size_t>(counts_[id] - 1, kMaxValues), 0.0);
    ordered_[id] = static_cast<std::uint32_t>(values_.size());
  }
  std::vector<double>& values = values_[ordered_[id] - 1];
  if (values.size() < kMaxValues) values.push_back(value);
}

FeatureTable FeatureCounter::table(const Rules& rules) const {
  std::vector<std::string> names;
  std::vector<std::vector<double>> cuts;
  for (const bool wants_ordered : {true, false}) {
    for (std::size_t id = 0; id < counts_.size(); ++id) {
      if (counts_[id] < rules.min_count || (ordered_[id] != 0) != wants_ordered) continue;
      names.emplace_back(names_[static_cast<SymbolId>(id)]);
      if (wants_ordered) cuts.push_back(quantile_cuts(values_[ordered_[id] - 1], rules.max_bins));
    }
  }
  return {names, cuts};
}

}  // namespace coppice::trees

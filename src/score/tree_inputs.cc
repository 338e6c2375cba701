#include "coppice/score/tree_inputs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "coppice/base/error.h"
#include "score/design.h"

namespace coppice {

namespace {

// What is known of a group after reading the design.
struct Group {
  std::vector<std::uint32_t> attributes;
  bool is_single = true;  // no token has two of them
};

std::vector<unsigned char> with_values(const DesignMatrix& design) {
  std::vector<unsigned char> has_value(design.num_attributes, 0);
  for (std::size_t k = 0; k < design.values.size(); ++k) {
    if (design.values[k] != 1.0f) has_value[design.attributes[k]] = 1;
  }
  return has_value;
}

std::map<std::uint32_t, Group> find_groups(const DesignMatrix& design,
                                           std::span<const std::uint32_t> groups) {
  std::map<std::uint32_t, Group> found;
  for (std::uint32_t a = 0; a < design.num_attributes; ++a) {
    if (groups[a] != kNoGroup) found[groups[a]].attributes.push_back(a);
  }
  std::vector<std::uint32_t> seen;
  for (std::size_t t = 0; t < design.num_tokens(); ++t) {
    seen.clear();
    for (std::size_t k = design.begin[t]; k < design.begin[t + 1]; ++k) {
      const std::uint32_t group = groups[design.attributes[k]];
      if (group != kNoGroup) seen.push_back(group);
    }
    std::sort(seen.begin(), seen.end());
    for (std::size_t i = 1; i < seen.size(); ++i) {
      if (seen[i] == seen[i - 1]) found[seen[i]].is_single = false;
    }
  }
  return found;
}

std::vector<std::vector<double>> values_of(const DesignMatrix& design,
                                           std::span<const std::uint32_t> place,
                                           std::size_t count) {
  std::vector<std::vector<double>> values(count);
  for (std::size_t k = 0; k < design.values.size(); ++k) {
    const std::uint32_t at = place[design.attributes[k]];
    if (at < count) values[at].push_back(static_cast<double>(design.values[k]));
  }
  return values;
}

}  // namespace

TreeInputs::TreeInputs(const DesignMatrix& design, std::span<const std::uint64_t> keys,
                       std::span<const std::uint32_t> groups, const TreeInputOptions& options)
    : fold_(options.fold) {
  const std::vector<unsigned char> has_value = with_values(design);
  std::vector<unsigned char> placed(design.num_attributes, 0);
  for (const auto& [number, group] : find_groups(design, groups)) {
    const bool has_values = std::any_of(group.attributes.begin(), group.attributes.end(),
                                        [&](std::uint32_t a) { return has_value[a] != 0; });
    const bool is_small =
        group.attributes.size() > 1 && group.attributes.size() <= options.max_categories;
    if (!group.is_single || has_values || !is_small) continue;
    const std::uint32_t feature = schema_.add_categorical(group.attributes.size());
    std::uint32_t bin = schema_.bins(feature).begin;
    for (const std::uint32_t a : group.attributes) {
      entries_.push_back({keys[a], feature, bin++});
      placed[a] = 1;
    }
  }
  std::vector<std::uint32_t> place(design.num_attributes, kNoGroup), ordered;
  for (std::uint32_t a = 0; a < design.num_attributes; ++a) {
    if (has_value[a] == 0) continue;
    place[a] = static_cast<std::uint32_t>(ordered.size());
    ordered.push_back(a);
    placed[a] = 1;
  }
  auto values = values_of(design, place, ordered.size());
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const auto cuts = trees::quantile_cuts(std::move(values[i]), options.max_bins);
    entries_.push_back({keys[ordered[i]], schema_.add_ordered(cuts), trees::kNoBin});
  }
  for (std::uint32_t a = 0; a < design.num_attributes; ++a) {
    if (placed[a] != 0) continue;
    const std::uint32_t feature = schema_.add_binary();
    entries_.push_back({keys[a], feature, schema_.bins(feature).begin});
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.key < b.key; });
}

TreeInputs::TreeInputs(trees::Schema schema, std::span<const Entry> entries, KeyFold fold)
    : schema_(std::move(schema)), entries_(entries.begin(), entries.end()), fold_(fold) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    require(i == 0 || entries_[i - 1].key < entry.key, "tree inputs: keys out of order");
    require(entry.feature < schema_.num_features(), "tree inputs: no feature ", entry.feature);
    const trees::BinRange range = schema_.bins(entry.feature);
    const bool is_ordered = schema_.kind(entry.feature) == trees::FeatureKind::kOrdered;
    const bool fits =
        is_ordered ? entry.bin == trees::kNoBin : entry.bin >= range.begin && entry.bin < range.end;
    require(fits, "tree inputs: bin ", entry.bin, " is not one of feature ", entry.feature);
  }
}

// Ascending; of two bins of one feature, which unseen text may bring, the first is kept.
void TreeInputs::finish(std::vector<std::uint32_t>& bins) const {
  std::sort(bins.begin(), bins.end());
  bins.erase(std::unique(bins.begin(), bins.end(),
                         [&](std::uint32_t a, std::uint32_t b) {
                           return a == b || (b < schema_.column_bins() &&
                                             schema_.feature_of(a) == schema_.feature_of(b));
                         }),
             bins.end());
}

const TreeInputs::Entry* TreeInputs::find(std::uint64_t key) const noexcept {
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), fold_(key),
                       [](const Entry& entry, std::uint64_t folded) { return entry.key < folded; });
  return found == entries_.end() || found->key != fold_(key) ? nullptr : &*found;
}

std::vector<std::uint64_t> TreeInputs::asked_keys(const trees::EnsembleView& trees) const {
  std::vector<unsigned char> is_asked(schema_.num_features(), 0);
  for (const trees::Node& node : trees.nodes) {
    if (!node.is_leaf() && node.feature != trees::kStateFeature) is_asked[node.feature] = 1;
  }
  std::vector<std::uint64_t> keys;
  for (const Entry& entry : entries_) {
    if (is_asked[entry.feature] != 0) keys.push_back(entry.key);
  }
  return keys;
}

void TreeInputs::encode(std::span<const std::uint64_t> keys, std::span<const float> values,
                        std::vector<std::uint32_t>& bins) const {
  bins.clear();
  std::vector<std::pair<std::uint32_t, float>> sums;  // of ordered features
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Entry* found = find(keys[i]);
    if (found == nullptr) continue;
    const float value = values.empty() ? 1.0f : values[i];
    if (found->bin == trees::kNoBin) {
      sums.emplace_back(found->feature, value);
    } else if (value != 0) {
      bins.push_back(found->bin);
    }
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < sums.size(); ++i) {
    float sum = sums[i].second;  // in the order of the attributes, as DesignBuilder adds them
    while (i + 1 < sums.size() && sums[i + 1].first == sums[i].first) sum += sums[++i].second;
    bins.push_back(schema_.bin_of(sums[i].first, static_cast<double>(sum)));
  }
  finish(bins);
}

trees::ExampleTable TreeInputs::encode(const DesignMatrix& design,
                                       std::span<const std::uint64_t> keys) const {
  trees::ExampleTable table;
  std::vector<std::uint64_t> token_keys;
  std::vector<std::uint32_t> bins;
  for (std::size_t t = 0; t < design.num_tokens(); ++t) {
    token_keys.clear();
    for (std::size_t k = design.begin[t]; k < design.begin[t + 1]; ++k) {
      token_keys.push_back(keys[design.attributes[k]]);
    }
    const std::size_t size = design.begin[t + 1] - design.begin[t];
    encode(token_keys,
           design.values.empty() ? std::span<const float>()
                                 : std::span(design.values).subspan(design.begin[t], size),
           bins);
    table.add(bins);
  }
  return table;
}

}  // namespace coppice

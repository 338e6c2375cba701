#include "coppice/tag/weights.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tag/feature_names.h"
#include "tag/tagger_state.h"

namespace coppice::tag {

namespace {

// Moves the `count` members that come first in `order` to the front, and drops the others.
template <class Member, class Order>
void keep_first(std::vector<Member>& members, std::size_t count, Order order) {
  const std::size_t kept = std::min(count, members.size());
  std::partial_sort(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(kept),
                    members.end(), order);
  members.resize(kept);
}

void keep_largest(std::vector<WeightDifference>& differences, std::size_t count) {
  keep_first(differences, count, [](const WeightDifference& a, const WeightDifference& b) {
    const double left = std::abs(a.first - a.second), right = std::abs(b.first - b.second);
    if (left != right) return left > right;
    return a.feature != b.feature ? a.feature < b.feature : a.label < b.label;
  });
}

using WeightsByLabel = std::map<std::string_view, double>;

// As people read it: with the label before, where that is part of the feature.
std::string full_name(const Tagger& tagger, const NamedFeature& feature,
                      std::optional<std::uint16_t> previous) {
  if (!previous) return feature.name;
  return feature.name + " after " + std::string(tagger.label(*previous));
}

// By full names: one, or one for each label before.
using WeightsByName = std::map<std::string, WeightsByLabel>;

WeightsByName named_weights(const Tagger& tagger, const NamedFeature* feature) {
  WeightsByName weights;
  if (feature == nullptr) return weights;
  for (const FeatureWeight& one : weights_of(tagger, *feature)) {
    weights[full_name(tagger, *feature, one.previous)][tagger.label(one.label)] = one.weight;
  }
  return weights;
}

WeightsByLabel pairs_after(const Tagger& tagger, std::string_view previous) {
  WeightsByLabel weights;
  const auto& labels = tagger.config().labels;
  const auto found = std::find(labels.begin(), labels.end(), previous);
  if (found == labels.end() || tagger.state().transitions().none()) return weights;
  for (std::size_t y = 0; y < labels.size(); ++y) {
    const float weight =
        tagger.state().transitions().score(static_cast<std::size_t>(found - labels.begin()), y);
    if (std::isfinite(weight)) weights[labels[y]] = weight;
  }
  return weights;
}

void add_differences(const std::string& feature, const WeightsByLabel& first,
                     const WeightsByLabel& second, std::vector<WeightDifference>& out) {
  const auto value = [](const WeightsByLabel& weights, std::string_view label) {
    const auto found = weights.find(label);
    return found == weights.end() ? 0.0 : found->second;
  };
  WeightsByLabel all = first;
  all.insert(second.begin(), second.end());
  for (const auto& [label, unused] : all) {
    const double a = value(first, label), b = value(second, label);
    if (a != b) out.push_back({feature, std::string(label), a, b});
  }
}

void add_differences(const WeightsByName& first, const WeightsByName& second,
                     std::vector<WeightDifference>& out) {
  WeightsByName all = first;
  all.insert(second.begin(), second.end());
  const WeightsByLabel none;
  for (const auto& [name, unused] : all) {
    const auto a = first.find(name), b = second.find(name);
    add_differences(name, a == first.end() ? none : a->second, b == second.end() ? none : b->second,
                    out);
  }
}

std::vector<std::string> only_in(const std::vector<std::string>& some,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> result;
  for (const std::string& one : some) {
    if (std::find(others.begin(), others.end(), one) == others.end()) result.push_back(one);
  }
  return result;
}

}  // namespace

std::vector<NamedWeight> largest_weights(const Tagger& tagger, std::size_t count,
                                         std::optional<std::size_t> label) {
  struct Candidate {
    std::size_t feature;
    std::optional<std::uint16_t> previous;
    float weight;
  };
  const std::vector<NamedFeature> features = named_features(tagger);
  std::vector<std::vector<Candidate>> by_label(tagger.num_labels());
  for (std::size_t i = 0; i < features.size(); ++i) {
    for (const FeatureWeight& one : weights_of(tagger, features[i])) {
      if (label && one.label != *label) continue;
      by_label[one.label].push_back({i, one.previous, one.weight});
    }
  }
  std::vector<NamedWeight> largest;
  for (std::size_t y = 0; y < by_label.size(); ++y) {
    keep_first(by_label[y], count, [](const Candidate& a, const Candidate& b) {
      const float left = std::abs(a.weight), right = std::abs(b.weight);
      if (left != right) return left > right;
      return a.feature != b.feature ? a.feature < b.feature : a.previous < b.previous;
    });
    for (const Candidate& one : by_label[y]) {
      largest.push_back({full_name(tagger, features[one.feature], one.previous),
                         std::string(tagger.label(y)), one.weight});
    }
  }
  return largest;
}

ModelDifference difference(const Tagger& first, const Tagger& second, std::size_t count) {
  ModelDifference result;
  const auto& labels = first.config().labels;
  result.labels_of_first = only_in(labels, second.config().labels);
  result.labels_of_second = only_in(second.config().labels, labels);
  const std::vector<NamedFeature> a = named_features(first), b = named_features(second);
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool in_a = j == b.size() || (i < a.size() && !(b[j] < a[i]));
    const bool in_b = i == a.size() || (j < b.size() && !(a[i] < b[j]));
    add_differences(named_weights(first, in_a ? &a[i] : nullptr),
                    named_weights(second, in_b ? &b[j] : nullptr), result.features);
    ++(in_a && in_b ? result.common_features
                    : (in_a ? result.features_of_first : result.features_of_second));
    i += in_a ? 1 : 0;
    j += in_b ? 1 : 0;
  }
  std::vector<std::string> previous = labels;
  previous.insert(previous.end(), result.labels_of_second.begin(), result.labels_of_second.end());
  for (const std::string& label : previous) {
    add_differences(label, pairs_after(first, label), pairs_after(second, label), result.pairs);
  }
  keep_largest(result.features, count);
  keep_largest(result.pairs, count);
  return result;
}

}  // namespace coppice::tag

// A tagger's weights with their names: the largest ones, and what differs between two models.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "coppice/tag/tagger.h"

namespace coppice::tag {

struct NamedWeight {
  std::string feature;  // "a after X" where it is conjoined with pairs of labels
  std::string label;
  double weight = 0;
};

// For one label, or for each in turn, the `count` features whose weights have the largest absolute
// value, the largest first; ties in the order of names. Throws as named_features.
std::vector<NamedWeight> largest_weights(const Tagger& tagger, std::size_t count,
                                         std::optional<std::size_t> label = std::nullopt);

struct WeightDifference {
  std::string feature;  // or a label, of a pair of labels
  std::string label;
  double first = 0;  // 0 where a model does not have the weight
  double second = 0;
};

struct ModelDifference {
  std::vector<std::string> labels_of_first, labels_of_second;  // that the other lacks
  std::size_t features_of_first = 0, features_of_second = 0;   // that the other lacks
  std::size_t common_features = 0;
  // Features and pairs of labels with weights in at least one, whose difference is largest.
  std::vector<WeightDifference> features, pairs;
};

// What differs, `count` of each kind at the most. Labels are compared by name. Forbidden pairs have
// no weight. Throws as named_features.
ModelDifference difference(const Tagger& first, const Tagger& second, std::size_t count);

}  // namespace coppice::tag

#include "coppice/tag/class_weights.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "chain/dataset.h"
#include "chain/label_pattern.h"
#include "coppice/base/error.h"

namespace coppice::tag {

namespace {

constexpr const char* kForm =
    "class weights are `balanced` or LABEL=WEIGHT,... such as B-*=2,O=0.5";

[[noreturn]] void refuse(const std::string& message) {
  throw InvalidArgument(message, {.code = "E127", .help = kForm});
}

double weight_of(std::string_view text, std::string_view label) {
  double weight = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, weight);
  if (error != std::errc{} || stop != end || !std::isfinite(weight) || weight < 0) {
    refuse(
        concat("the weight of class ", label, " is \"", text, "\", not a finite number from 0 up"));
  }
  return weight;
}

}  // namespace

ClassWeights ClassWeights::parse(std::string_view text) {
  ClassWeights weights;
  if (text == "balanced") {
    weights.balanced_ = true;
    return weights;
  }
  while (!text.empty()) {
    const std::size_t equals = text.find('=', 1);
    if (equals == std::string_view::npos) refuse(concat("no weight in \"", text, "\""));
    const std::string_view label = text.substr(0, equals);
    const std::size_t end = std::min(text.find(',', equals), text.size());
    const double weight = weight_of(text.substr(equals + 1, end - equals - 1), label);
    weights.rules_.emplace_back(label, weight);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (weights.rules_.empty()) refuse("class weights: nothing is given");
  return weights;
}

std::vector<double> ClassWeights::of(const std::vector<std::string>& labels,
                                     const chain::Dataset& data) const {
  std::vector<double> weights(labels.size(), 1.0);
  if (balanced_) {
    std::vector<double> counts(labels.size(), 0.0);
    for (const std::uint16_t label : data.gold) ++counts[label];
    const auto total = static_cast<double>(data.gold.size());
    for (std::size_t y = 0; y < labels.size(); ++y) {
      if (counts[y] > 0) weights[y] = total / (static_cast<double>(labels.size()) * counts[y]);
    }
  }
  for (const auto& [pattern, weight] : rules_) {
    const std::vector<std::size_t> found = chain::matching(pattern, labels);
    if (found.empty()) refuse(concat("no label of the training data matches class ", pattern));
    for (const std::size_t y : found) weights[y] = weight;
  }
  return weights;
}

void ClassWeights::apply(const std::vector<std::string>& labels, chain::Dataset& data) const {
  if (empty()) return;
  const std::vector<double> of_label = of(labels, data);
  if (data.weight.empty()) data.weight.assign(data.num_sentences(), 1.0f);
  for (std::size_t i = 0; i < data.num_sentences(); ++i) {
    const std::size_t begin = data.sentence_begin[i], end = data.sentence_begin[i + 1];
    double sum = 0;
    for (std::size_t t = begin; t < end; ++t) {
      const auto gold = data.gold_of(t);
      double of_token = gold.empty() ? 1.0 : 0.0;
      for (const std::uint16_t y : gold) of_token += of_label[y] / static_cast<double>(gold.size());
      sum += of_token;
    }
    if (end > begin) data.weight[i] *= static_cast<float>(sum / static_cast<double>(end - begin));
  }
  const bool any =
      std::any_of(data.weight.begin(), data.weight.end(), [](float weight) { return weight > 0; });
  if (!any) refuse("no sentence is left with a weight above 0");
}

}  // namespace coppice::tag

#include "coppice/learn/part_explanation.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace coppice::learn {

namespace {

template <class Contribution>
void sort_by_size(std::vector<Contribution>& contributions) {
  std::stable_sort(contributions.begin(), contributions.end(), [](const auto& a, const auto& b) {
    return std::abs(a.score) > std::abs(b.score);
  });
}

// Uses in the answer less those in the other, of the parts that differ.
std::map<PartId, int> differing(const PartExample& example, std::span<const EdgeId> answer,
                                std::span<const EdgeId> other) {
  std::map<PartId, int> uses;
  for (const EdgeId edge : answer) {
    for (const PartId part : example.forest.parts[edge]) ++uses[part];
  }
  for (const EdgeId edge : other) {
    for (const PartId part : example.forest.parts[edge]) --uses[part];
  }
  std::erase_if(uses, [](const auto& one) { return one.second == 0; });
  return uses;
}

}  // namespace

PartExplanation explain(const PartModel& model, const PartExample& example,
                        std::span<const EdgeId> answer, std::span<const EdgeId> other) {
  const SparseLinear& linear = model.parts().linear;
  const std::vector<float> scores = model.part_scores(example.features);
  PartExplanation found;
  for (const auto& [part, uses] : differing(example, answer, other)) {
    PartContribution one{.part = part, .uses = uses, .score = uses * double{scores[index(part)]}};
    const auto [row, output] = example.features.cell(part);
    double of_features = 0;
    for (std::size_t k = 0; k < example.features.keys(row).size(); ++k) {
      const std::uint64_t key = example.features.keys(row)[k];
      const auto weight = linear.parameter(key, output);
      if (!weight) continue;
      const double score =
          uses * double{example.features.values(row)[k]} * double{model.parts().weights[*weight]};
      of_features += score;
      if (score != 0) one.features.push_back({key, score});
    }
    one.trees = model.has_trees() ? one.score - of_features : 0;
    sort_by_size(one.features);
    found.difference += one.score;
    found.parts.push_back(std::move(one));
  }
  sort_by_size(found.parts);
  return found;
}

}  // namespace coppice::learn

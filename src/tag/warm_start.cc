#include "tag/warm_start.h"

#include <cmath>
#include <unordered_set>
#include <utility>

#include "tag/tagger_state.h"

namespace coppice::tag {

void unite_features(const Tagger& older, std::span<const std::uint64_t> keys,
                    chain::Dataset& data) {
  std::vector<LinearPotential::Entry> row;
  for (std::uint32_t a = 0; a < keys.size(); ++a) {
    const FrozenLinear::Slot* slot = older.state().potential().find(keys[a]);
    if (slot == nullptr) continue;
    older.state().potential().read(*slot, row);
    for (const auto& entry : row) data.further.states.push_back({a, entry.label});
  }
  const auto labels = static_cast<std::uint16_t>(older.num_labels());
  for (std::uint16_t u = 0; !older.state().transitions().none() && u < labels; ++u) {
    for (std::uint16_t y = 0; y < labels; ++y) {
      const float score = older.state().transitions().score(u, y);
      if (std::isfinite(score) && score != 0) data.further.pairs.emplace_back(u, y);
    }
  }
  const auto ngrams = older.state().label_model().ngrams.keys();
  data.further.ngrams.assign(ngrams.begin(), ngrams.end());
}

std::vector<float> start_weights(const Tagger& older, std::span<const std::uint64_t> keys,
                                 const chain::CorpusObjective& objective) {
  const LinearPotential& potential = objective.potential();
  std::vector<float> weights(objective.num_parameters(), 0.0f);
  std::vector<LinearPotential::Entry> row;
  for (std::size_t a = 0; a < keys.size(); ++a) {
    const FrozenLinear::Slot* slot = older.state().potential().find(keys[a]);
    const std::uint32_t column = potential.columns().column_of[a];
    if (slot == nullptr || column == kNoColumn) continue;
    older.state().potential().read(*slot, row);
    potential.add_row(column, row, weights);
  }
  const std::size_t labels = older.num_labels(), first = potential.num_parameters();
  const bool has_pairs = !older.state().transitions().none() && objective.num_parameters() > first;
  const chain::LabelModel model = older.state().label_model();
  const auto ngrams = model.ngrams.keys();
  const auto ngram_weights = model.parts.last(ngrams.size());
  const std::size_t first_ngram = objective.num_parameters() - objective.ngrams().size();
  for (std::size_t i = 0; i < ngrams.size(); ++i) {
    weights[first_ngram + objective.ngrams().find(ngrams[i])] = ngram_weights[i];
  }
  for (std::size_t u = 0; has_pairs && u < labels; ++u) {
    for (std::size_t y = 0; y < labels; ++y) {
      const float score = older.state().transitions().score(u, y);
      const std::size_t at = first + u * potential.stride() + y;
      if (std::isfinite(score) && objective.mask()[at] != 0) weights[at] = score;
    }
  }
  return weights;
}

std::vector<FrozenLinear::KeyedRow> retained_rows(const Tagger& older,
                                                  std::span<const std::uint64_t> keys) {
  const std::unordered_set<std::uint64_t> present(keys.begin(), keys.end());
  std::vector<FrozenLinear::KeyedRow> rows;
  for (const FrozenLinear::Slot& slot : older.state().potential().slots()) {
    if (slot.size == 0 || present.contains(slot.key)) continue;
    rows.push_back({slot.key, {}});
    older.state().potential().read(slot, rows.back().row);
  }
  return rows;
}

}  // namespace coppice::tag

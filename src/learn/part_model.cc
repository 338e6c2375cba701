#include "coppice/learn/part_model.h"

#include <cmath>
#include <utility>

#include "coppice/base/error.h"
#include "coppice/score/frozen_trees.h"
#include "coppice/trees/predictor.h"

namespace coppice::learn {

struct PartModel::State {
  explicit State(Parts given) : parts(std::move(given)) {
    require(parts.weights.size() == parts.linear.num_parameters(), "a model of ",
            parts.weights.size(), " weights for ", parts.linear.num_parameters(), " parameters");
    if (parts.trees.num_trees() == 0) return;
    trees::check(parts.inputs.schema(), parts.trees.view(), 1, parts.num_outputs);
    predictor = {parts.inputs.schema(), parts.trees.view(), 1, parts.num_outputs};
  }

  Parts parts;
  trees::Predictor predictor;  // looks at the parts
};

PartModel::PartModel(Parts parts) : state_(std::make_shared<const State>(std::move(parts))) {}

const PartModel::Parts& PartModel::parts() const noexcept { return state_->parts; }

namespace {

// The same potential without weights of 0.
struct Pruned {
  explicit Pruned(const PartModel::Parts& parts) {
    const std::size_t own = parts.linear.num_features();
    for (const SparseLinear::Feature& feature : parts.linear.features()) {
      const auto begin = static_cast<std::uint32_t>(entries.size());
      for (std::size_t i = feature.begin; i < feature.begin + feature.size; ++i) {
        if (parts.weights[i] == 0) continue;
        entries.push_back(
            {parts.linear.all_entries()[i].output, static_cast<std::uint32_t>(entries.size())});
        weights.push_back(parts.weights[i]);
      }
      const auto size = static_cast<std::uint32_t>(entries.size()) - begin;
      if (size > 0) features.push_back({feature.key, begin, size});
    }
    weights.insert(weights.end(), parts.weights.begin() + static_cast<std::ptrdiff_t>(own),
                   parts.weights.end());
  }

  std::vector<SparseLinear::Feature> features;
  std::vector<SparseLinear::Entry> entries;
  std::vector<float> weights;
};

}  // namespace

void PartModel::write(ModelWriter& writer) const {
  Pruned pruned(parts());
  writer.add_section("parts.features", std::move(pruned.features));
  writer.add_section("parts.entries", std::move(pruned.entries));
  writer.add_section("parts.weights", std::move(pruned.weights));
  writer.add_section("parts.size",
                     std::vector<std::uint64_t>{parts().linear.num_buckets(), parts().num_outputs,
                                                has_trees() ? 1u : 0u});
  if (has_trees()) FrozenTrees::write(writer, parts().inputs, parts().trees.view());
}

PartModel PartModel::read(const ModelFile& file) {
  const auto size = file.as<std::uint64_t>("parts.size");
  const auto entries = file.as<SparseLinear::Entry>("parts.entries");
  const auto weights = file.as<float>("parts.weights");
  try {
    require(size.size() == 3, "section parts.size has ", size.size(), " numbers");
    Parts parts{.linear = SparseLinear(file.as<SparseLinear::Feature>("parts.features"),
                                       {entries.begin(), entries.end()}, size[0]),
                .weights = {weights.begin(), weights.end()},
                .num_outputs = size[1]};
    for (const float weight : weights) {
      require(std::isfinite(weight), "section parts.weights has a weight that is no number");
    }
    if (size[2] != 0) {
      const FrozenTrees frozen(file, 1, parts.num_outputs);
      parts.inputs = frozen.inputs();
      parts.trees.append(frozen.trees());
    }
    return PartModel(std::move(parts));
  } catch (const InvalidArgument& error) {
    throw ModelError(error.what(), {.code = "E404", .where = {.file = file.name()}});
  }
}

std::vector<float> PartModel::part_scores(const PartFeatures& features) const {
  std::vector<float> scores(features.num_parts(), 0.0f);
  if (has_linear()) {
    std::vector<SparseLinear::Hit> hits;
    parts().linear.find(features, hits);
    add_scores(hits, parts().weights, scores);
  }
  if (has_trees()) add_trees(features, scores);
  return scores;
}

void PartModel::add_trees(const PartFeatures& features, std::span<float> scores) const {
  const std::size_t outputs = parts().num_outputs;
  trees::Predictor::Scratch scratch;
  std::vector<double> values(features.num_rows() * outputs);
  std::vector<std::uint32_t> bins;
  for (std::size_t row = 0; row < features.num_rows(); ++row) {
    parts().inputs.encode(features.keys(row), features.values(row), bins);
    state_->predictor.score(bins, std::span(values).subspan(row * outputs, outputs), scratch);
  }
  for (std::size_t part = 0; part < scores.size(); ++part) {
    const auto [row, output] = features.cells()[part];
    if (output < outputs) scores[part] += static_cast<float>(values[row * outputs + output]);
  }
}

EdgeMap<double> PartModel::edge_scores(const PartExample& example) const {
  return coppice::edge_scores(example.forest, part_scores(example.features));
}

}  // namespace coppice::learn

#include "coppice/learn/part_model.h"

#include <utility>

#include "coppice/base/error.h"
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

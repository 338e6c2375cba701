#include "chain/boosted_learner.h"

#include <algorithm>
#include <utility>

#include "chain/token_attributes.h"

namespace coppice::chain {

BoostedLearner::BoostedLearner(DatasetBuilder::Result encoded, Constraints constraints,
                               unsigned order, const TreeTrainingOptions& options)
    : data_(std::move(encoded.data)),
      constraints_(std::move(constraints)),
      options_(options),
      inputs_(data_.design, encoded.keys, encoded.groups, options.inputs),
      train_(inputs_.encode(data_.design, encoded.keys)),
      booster_(inputs_.schema(), {train_.view().rows, data_.sentence_begin}, data_, constraints_,
               order, options.boosting) {
  data_.design = {};
}

void BoostedLearner::follow(std::span<const text::Sentence> sentences,
                            const text::Extractor& extractor, FeatureCells columns) {
  text::Extractor own = extractor;
  text::Attributes attributes;
  std::vector<std::uint64_t> keys;
  std::vector<float> values;
  std::vector<std::uint32_t> bins;
  for (const text::Sentence& sentence : sentences) {
    own.extract(columns.of(sentence), attributes);
    for (std::size_t t = 0; t < sentence.num_tokens(); ++t) {
      token_attributes(attributes.states, sentence, t, keys, values);
      inputs_.encode(keys, values, bins);
      followed_.add(bins);
    }
    followed_begin_.push_back(static_cast<std::uint32_t>(followed_.size()));
  }
  booster_.follow({followed_.view().rows, followed_begin_});
}

bool BoostedLearner::iterate(const Threads& threads) {
  if (progress_.iteration >= options_.rounds) {
    progress_.stopped = "all rounds are done";
    return false;
  }
  progress_.objective = booster_.round(threads);
  progress_.stochastic = false;
  ++progress_.iteration;
  ++progress_.evaluations;
  return true;
}

void BoostedLearner::best_labels(std::size_t sentence, std::vector<std::uint16_t>& labels) const {
  edge_best_labels(booster_.shape(), booster_.scores(0, sentence), labels);
}

trees::EnsembleView BoostedLearner::trees(std::uint64_t rounds) const noexcept {
  trees::EnsembleView view = booster_.trees().view();
  const std::size_t count = std::min<std::size_t>(rounds * data_.num_labels, view.num_trees());
  view.begin = view.begin.first(count + 1);
  view.output = view.output.first(count);
  view.nodes = view.nodes.first(view.begin.back());
  return view;
}

std::size_t BoostedLearner::num_leaves() const noexcept {
  const auto& nodes = booster_.trees().nodes;
  return static_cast<std::size_t>(std::count_if(
      nodes.begin(), nodes.end(), [](const trees::Node& node) { return node.is_leaf(); }));
}

}  // namespace coppice::chain

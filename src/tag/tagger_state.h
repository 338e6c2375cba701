// What a tagger holds: its weights as the kernels read them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "chain/edge_kernel.h"
#include "chain/kernel.h"
#include "chain/label_histories.h"
#include "chain/label_lattice.h"
#include "chain/ngrams.h"
#include "chain/pair_potential.h"
#include "coppice/score/frozen_trees.h"
#include "coppice/tag/tagger.h"
#include "score/frozen_linear.h"

namespace coppice::tag {

class Tagger::State {
 public:
  explicit State(ModelFile file);
  // The same at another temperature.
  State(const State& other, double temperature);

  const TaggerConfig& config() const noexcept { return config_; }
  const ModelFile& file() const noexcept { return *file_; }
  std::size_t num_labels() const noexcept { return config_.labels.size(); }
  std::string_view label(std::size_t id) const noexcept { return config_.labels[id]; }
  const FrozenLinear& potential() const noexcept { return potential_; }
  // The trees that add to the scores of label pairs, or null.
  const FrozenTrees* trees() const noexcept { return trees_.get(); }
  // The weights of features that are conjoined with pairs of labels, or null.
  const chain::FrozenPairs* pairs() const noexcept { return pairs_.get(); }
  // Whether scores of label pairs differ from token to token (chain/edge_kernel.h). Models with
  // lattices have none; their trees score the lattices' edges.
  bool has_edges() const noexcept {
    return (trees_ != nullptr || pairs_ != nullptr) && !config_.is_sparse();
  }
  // What trees see of the labels before a token. Requires a model with trees.
  chain::LabelHistories histories() const {
    return {num_labels(), std::min(config_.order, config_.label_depth)};
  }
  chain::EdgeShape shape() const noexcept {
    return chain::EdgeShape::of_order(config_.order, num_labels());
  }
  const chain::Transitions& transitions() const noexcept { return transitions_; }
  // The same at the model's temperature.
  const chain::Transitions& tempered_transitions() const noexcept { return tempered_; }
  // Scores of label pairs and longer sequences, and how these are pruned.
  chain::LabelModel label_model() const noexcept {
    return {config_.order, config_.prune, transitions_, *ngrams_, parts_};
  }
  // Scores of label pairs and longer sequences at the model's temperature.
  std::span<const float> tempered_parts() const noexcept { return tempered_parts_; }
  bool may_begin(std::size_t label) const noexcept { return first_[label] != 0; }
  bool may_end(std::size_t label) const noexcept { return last_[label] != 0; }
  const text::Extractor& extractor() const noexcept { return *extractor_; }

 private:
  void temper();  // fills what depends on the temperature

  std::shared_ptr<const ModelFile> file_;
  TaggerConfig config_;
  FrozenLinear potential_;
  std::shared_ptr<const FrozenTrees> trees_;
  std::shared_ptr<const chain::FrozenPairs> pairs_;
  chain::Transitions transitions_;
  chain::Transitions tempered_;
  std::shared_ptr<const chain::LabelNgrams> ngrams_;
  std::vector<float> parts_, tempered_parts_;
  std::span<const unsigned char> first_, last_;
  std::shared_ptr<const text::Extractor> extractor_;
};

}  // namespace coppice::tag

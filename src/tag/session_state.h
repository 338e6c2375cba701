// One sentence under a tagger: scores, and what has been inferred of them so far. Functions that
// TaggingSession has too are explained there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "chain/edge_kernel.h"
#include "chain/kernel.h"
#include "chain/label_lattice.h"
#include "chain/lattice_kernel.h"
#include "chain/messages.h"
#include "chain/span_posteriors.h"
#include "coppice/tag/tagger.h"
#include "tag/tagger_state.h"
#include "tag/token_scores.h"

namespace coppice::tag {

class TaggingSession::State {
 public:
  explicit State(const Tagger::State& tagger);

  // Scores the sentence; `columns` says where the feature columns are in it.
  void read(const text::Sentence& sentence, FeatureCells& columns);

  std::size_t length() const noexcept { return length_; }
  // Scores of the labels at a token, ends' constraints included; without what is scored for pairs
  // of labels at tokens.
  std::span<const float> scores(std::size_t token) const noexcept {
    return {scores_.data() + token * stride_, tagger_.num_labels()};
  }

  // The same at the model's temperature.
  std::span<const float> tempered_scores(std::size_t token) {
    return {tempered() + token * stride_, tagger_.num_labels()};
  }

  // Scores of label pairs at the model's temperature (chain/edge_kernel.h), of a model that has
  // such edges; of one with trees and lattices, what trees score of the lattice's edges.
  std::span<const float> tempered_edges() {
    tempered();
    return tempered_edges_;
  }

  // Viterbi; returns the sequence's score. `labels` gets length() of them.
  double best_labels(std::vector<std::uint16_t>& labels);

  // The posterior of each label at each token: rows of row_stride floats. Computed by the first
  // call after read().
  std::span<const float> posteriors();
  std::span<const float> posteriors(std::size_t token);
  // ln Z at the model's temperature.
  double log_partition();
  // ln p(labels | sentence).
  double log_probability(std::span<const std::uint16_t> labels);
  // The best label at each token by itself.
  void posterior_labels(std::vector<std::uint16_t>& labels);

  // The probability that tokens [begin, begin + labels.size()) have these labels, whatever the
  // others have.
  double segment_probability(std::size_t begin, std::span<const std::uint16_t> labels);
  // The probability that exactly this span, of this type, is there (span_posteriors.h).
  double span_probability(const text::LabelledSpan& span);
  // Forward and backward messages at the model's temperature. Computed by the first call after
  // read(). Throws InvalidArgument for a model with lattices.
  const chain::Messages& messages();

  // The sentence's label sequences, for models with lattices, and their scores at the model's
  // temperature. Made by the first call after read().
  const chain::LabelLattice& lattice();
  chain::LatticeScores tempered_lattice_scores();

  // All label sequences, or those that pruning has left, as a forest with scores at the model's
  // temperature; ln Z is its inside weight. Throws InvalidArgument where it would have more than
  // 2^26 edges.
  chain::ChainForest packed();
  // The k most probable sequences, best first; fewer when there are no more.
  std::vector<LabelSequence> k_best(std::size_t k);
  // Sequences drawn from p(y | x), independently; none when every sequence is forbidden.
  std::vector<LabelSequence> samples(std::size_t count, Random& random);

 private:
  const float* tempered();
  // The rows of labels, the label pairs, and what depends on both, as one score for each pair at
  // each token.
  void find_edges(const text::Cells& cells, const text::Sentence& sentence);
  void add_pairs();
  void add_trees(const text::Cells& cells, const text::Sentence& sentence);
  // What trees score of the lattice's edges.
  void find_lattice_edges(const text::Cells& cells, const text::Sentence& sentence);
  // Calls visit(token, scores) for every token, with what trees score: [history][label].
  template <class Visit>
  void for_tree_scores(const text::Cells& cells, const text::Sentence& sentence,
                       const Visit& visit);
  // The probability that every pair (token, label before, label) is one that `allows` allows.
  template <class Allows>
  double restricted_probability(const Allows& allows);
  void find_edge_posteriors();
  void find_lattice_posteriors();

  const Tagger::State& tagger_;
  TokenScores token_scores_;
  std::size_t stride_;
  std::size_t length_ = 0;
  AlignedVector<float> scores_;      // rows by token
  AlignedVector<float> tempered_;    // scores at the temperature
  AlignedVector<float> posteriors_;  // valid when has_posteriors_
  bool has_tempered_ = false;
  bool has_posteriors_ = false;
  bool has_messages_ = false;
  double log_z_ = 0;
  chain::Messages messages_;
  // Of label pairs at tokens, in place of the rows above where the model has edges; of the
  // lattice's edges, beside the rows, where it has trees and lattices.
  std::vector<float> edges_, tempered_edges_, edge_posteriors_;
  AlignedVector<float> pair_scores_;
  std::optional<text::Extractor> tree_extractor_;  // made by the first use
  text::Attributes attributes_;
  FrozenTrees::Scratch tree_scratch_;
  chain::EdgeWorkspace edge_workspace_;
  std::optional<chain::SpanPosteriors> spans_;  // made by the first use
  bool has_lattice_ = false;
  chain::LabelLattice lattice_;
  std::vector<std::uint32_t> path_;  // edges of the best sequence
  chain::Workspace workspace_;
};

}  // namespace coppice::tag

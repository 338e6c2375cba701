// A trained tagger: one model file, and what can be asked of it.
//
//     const Tagger tagger = Tagger::open("ner.cop");
//     TaggingSession session(tagger);          // one for each thread
//     session.read(sentence, columns);         // scores of all labels at all tokens
//     session.best_labels(labels);             // Viterbi
//     session.posteriors();                    // p(label | sentence) at every token
//
// Probabilities are exact quantities of the chain p(y | x) at the model's temperature
// (p(y | x) proportional to exp(score(y) / temperature)); the best sequence does not depend on it.
// Where the model prunes, they are those of the label sequences that are kept; others have
// probability 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/model_file.h"
#include "coppice/base/random.h"
#include "coppice/chain/dataset.h"
#include "coppice/chain/edge_kernel.h"
#include "coppice/chain/forest.h"
#include "coppice/chain/kernel.h"
#include "coppice/chain/label_histories.h"
#include "coppice/chain/label_lattice.h"
#include "coppice/chain/lattice_kernel.h"
#include "coppice/chain/messages.h"
#include "coppice/chain/ngrams.h"
#include "coppice/chain/pair_potential.h"
#include "coppice/chain/span_posteriors.h"
#include "coppice/score/frozen_linear.h"
#include "coppice/score/frozen_trees.h"
#include "coppice/tag/encode.h"
#include "coppice/text/extractor.h"
#include "coppice/text/spans.h"

namespace coppice::tag {

class NameCollector;
class Tagger;

// What a model is made of, beside its weights.
struct TaggerConfig {
  std::vector<std::string> labels;
  std::vector<std::string> columns;  // names of the feature columns, as the templates know them
  std::string label_column;          // its name in the training data
  std::string templates;             // text::to_text of the set
  text::ResourceTexts resources;     // lists and classes that the templates name
  text::Scheme scheme = text::Scheme::kRaw;
  unsigned order = 1;
  double prune = 0;  // chain/coarse_to_fine.h; exact where it is 0
  // Labels before a token that its trees see, where it has any: the order at the most.
  unsigned label_depth = chain::kMaxOrder;
  unsigned hash_bits = 0;  // of attribute keys; 0: whole keys
  double temperature = 1;

  // Whether sentences are laid out as lattices.
  bool is_sparse() const noexcept { return order > 1 || (order == 1 && prune > 0); }
};

// Writes a model. `card` is a JSON object for people (training options, data, scores, date): it is
// no part of the model's identity.
struct TaggerTrees;
struct TaggerWeights {
  const LinearPotential& potential;
  std::span<const std::uint64_t> keys;
  std::span<const float> weights;      // of the potential's parameters
  std::span<const float> transitions;  // labels rows of row_stride floats; empty for order 0
  const chain::LabelNgrams& ngrams;
  std::span<const float> ngram_weights;
  const chain::Constraints& constraints;
  std::span<const FrozenLinear::KeyedRow> others{};  // of attributes that the potential lacks
  // Of templates that are conjoined with pairs of labels; null where there are none.
  const chain::PairPotential* pairs = nullptr;
  std::span<const std::uint64_t> pair_keys{};
  std::span<const float> pair_weights{};
  const TaggerTrees* trees = nullptr;    // what adds to these scores
  const NameCollector* names = nullptr;  // null: the model has no names of features
};
ModelWriter write_tagger(const TaggerConfig& config, const TaggerWeights& weights,
                         const std::string& card);

// The same for a boosted potential. Beside weights, the names are those of TaggerWeights.
struct TaggerTrees {
  const TreeInputs& inputs;
  trees::EnsembleView trees;
  const chain::Constraints& constraints;
  const NameCollector* names = nullptr;  // null: the model has no names of features
};
ModelWriter write_tagger(const TaggerConfig& config, const TaggerTrees& trees,
                         const std::string& card);

// The tagger's file with its present configuration (as at_temperature left it) and another card.
// Views the sections of the tagger, which must outlive the writer.
ModelWriter rewrite_tagger(const Tagger& tagger, const std::string& card);

class Tagger {
 public:
  // Throws ModelError (E401..E406) when the file is no tagger or is damaged.
  static Tagger open(const std::string& path);
  explicit Tagger(ModelFile file);

  // The same model at another temperature; shares the file. Throws InvalidArgument unless it is
  // positive and finite.
  Tagger at_temperature(double temperature) const;

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

class TokenScores;

struct LabelSequence {
  std::vector<std::uint16_t> labels;
  double log_probability = 0;
};

// Inference on one sentence at a time. Not for several threads at once. Allocates nothing once it
// has grown to the longest sentence, except for lattices, k-best lists and samples.
class TaggingSession {
 public:
  explicit TaggingSession(const Tagger& tagger);  // the tagger must outlive this
  ~TaggingSession();
  TaggingSession(TaggingSession&&) noexcept;

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

  const Tagger& tagger_;
  std::unique_ptr<TokenScores> token_scores_;
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

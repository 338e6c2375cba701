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

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coppice/base/model_file.h"
#include "coppice/base/random.h"
#include "coppice/chain/forest.h"
#include "coppice/chain/options.h"
#include "coppice/tag/encode.h"
#include "coppice/text/extractor.h"
#include "coppice/text/spans.h"

namespace coppice {
class FrozenTrees;  // score/frozen_trees.h
}  // namespace coppice

namespace coppice::tag {

// What a model is made of, beside its weights.
struct TaggerConfig {
  std::vector<std::string> labels;
  std::vector<std::string> columns;  // names of the feature columns, as the templates know them
  std::string label_column;          // its name in the training data
  std::string templates;             // text::to_text of the set
  text::ResourceTexts resources;     // lists and classes that the templates name
  text::Scheme scheme = text::Scheme::kRaw;
  unsigned order = 1;
  double prune = 0;  // as in chain::ChainOptions; exact where it is 0
  // Labels before a token that its trees see, where it has any: the order at the most.
  unsigned label_depth = chain::kMaxOrder;
  unsigned hash_bits = 0;  // of attribute keys; 0: whole keys
  double temperature = 1;

  // Whether sentences are laid out as lattices.
  bool is_sparse() const noexcept { return order > 1 || (order == 1 && prune > 0); }
};

// Copies share what they hold.
class Tagger {
 public:
  // Throws ModelError (E401..E406) when the file is no tagger or is damaged.
  static Tagger open(const std::string& path);
  explicit Tagger(ModelFile file);

  // The same model at another temperature; shares the file. Throws InvalidArgument unless it is
  // positive and finite.
  Tagger at_temperature(double temperature) const;

  const TaggerConfig& config() const noexcept;
  const ModelFile& file() const noexcept;
  std::size_t num_labels() const noexcept { return config().labels.size(); }
  std::string_view label(std::size_t id) const noexcept { return config().labels[id]; }
  // The score of two labels side by side, whatever the tokens: -inf where constraints forbid them,
  // 0 in a chain of order 0.
  float pair_score(std::size_t previous, std::size_t next) const noexcept;
  // The trees that add to the scores of label pairs, or null.
  const FrozenTrees* trees() const noexcept;
  const text::Extractor& extractor() const noexcept;

  // What inference reads; no part of the interface (src/tag/tagger_state.h).
  class State;
  const State& state() const noexcept { return *state_; }

 private:
  explicit Tagger(std::shared_ptr<const State> state) noexcept;

  std::shared_ptr<const State> state_;
};

// The tagger's file with its present configuration (as at_temperature left it) and another card.
// Views the sections of the tagger, which must outlive the writer.
ModelWriter rewrite_tagger(const Tagger& tagger, const std::string& card);

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

  std::size_t length() const noexcept;
  // Scores of the labels at a token, ends' constraints included; without what is scored for pairs
  // of labels at tokens.
  std::span<const float> scores(std::size_t token) const noexcept;

  // Viterbi; returns the sequence's score. `labels` gets length() of them.
  double best_labels(std::vector<std::uint16_t>& labels);

  // The posterior of each label at a token. Computed by the first call after read().
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
  // The probability that exactly this span, of this type, is there. Throws InvalidArgument for a
  // chain of order 0 of trees.
  double span_probability(const text::LabelledSpan& span);

  // All label sequences, or those that pruning has left, as a forest with scores at the model's
  // temperature; ln Z is its inside weight. Throws InvalidArgument where it would have more than
  // 2^26 edges.
  chain::ChainForest packed();
  // The k most probable sequences, best first; fewer when there are no more.
  std::vector<LabelSequence> k_best(std::size_t k);
  // Sequences drawn from p(y | x), independently; none when every sequence is forbidden.
  std::vector<LabelSequence> samples(std::size_t count, Random& random);

  // What explanations read; no part of the interface (src/tag/session_state.h).
  class State;
  State& state() noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace coppice::tag

#include <algorithm>
#include <cmath>
#include <limits>

#include "chain/coarse_to_fine.h"
#include "chain/forbidden.h"
#include "chain/forest_builder.h"
#include "coppice/base/error.h"
#include "coppice/forest/inside.h"
#include "coppice/forest/kbest.h"
#include "coppice/forest/sample.h"
#include "coppice/semiring/log.h"
#include "coppice/tag/tagger.h"
#include "tag/session_state.h"
#include "tag/tagger_state.h"
#include "tag/token_attributes.h"

namespace coppice::tag {

TaggingSession::State::State(const Tagger::State& tagger)
    : tagger_(tagger),
      token_scores_(tagger.potential(), tagger.extractor()),
      stride_(row_stride(tagger.num_labels())) {}

void TaggingSession::State::read(const text::Sentence& sentence, FeatureCells& columns) {
  const text::Cells cells = columns.of(sentence);
  token_scores_.score(cells, sentence, scores_);
  length_ = sentence.num_tokens();
  has_tempered_ = has_posteriors_ = has_messages_ = has_lattice_ = false;
  for (std::size_t y = 0; length_ > 0 && y < tagger_.num_labels(); ++y) {
    if (!tagger_.may_begin(y)) scores_[y] = chain::kForbidden;
    if (!tagger_.may_end(y)) scores_[(length_ - 1) * stride_ + y] = chain::kForbidden;
  }
  if (tagger_.has_edges()) {
    find_edges(cells, sentence);
  } else if (tagger_.trees() != nullptr) {
    find_lattice_edges(cells, sentence);
  }
}

void TaggingSession::State::find_edges(const text::Cells& cells, const text::Sentence& sentence) {
  edges_.resize(length_ * tagger_.shape().block());
  chain::fill_edges(tagger_.shape(), scores_.data(), tagger_.transitions(), edges_);
  if (tagger_.pairs() != nullptr) add_pairs();
  if (tagger_.trees() != nullptr) add_trees(cells, sentence);
}

void TaggingSession::State::add_pairs() {
  const auto& [potential, pairs] = *tagger_.pairs();
  const text::AttributeList& list = token_scores_.pair_attributes();
  pair_scores_.assign(length_ * potential.stride(), 0.0f);
  for (std::size_t t = 1; t < length_; ++t) {
    for (std::size_t k = list.offsets[t]; k < list.offsets[t + 1]; ++k) {
      const FrozenLinear::Slot* slot = potential.find(list.keys[k]);
      if (slot == nullptr) continue;
      potential.add(*slot, list.values.empty() ? 1.0f : list.values[k],
                    pair_scores_.data() + t * potential.stride());
    }
  }
  chain::add_pair_scores(tagger_.shape(), pairs, pair_scores_.data(), potential.stride(), edges_);
}

template <class Visit>
void TaggingSession::State::for_tree_scores(const text::Cells& cells,
                                            const text::Sentence& sentence, const Visit& visit) {
  if (!tree_extractor_) tree_extractor_.emplace(tagger_.extractor());
  tree_extractor_->extract(cells, attributes_);
  std::vector<double> scores(tagger_.histories().size() * tagger_.num_labels());
  std::vector<std::uint64_t> keys;
  std::vector<float> values;
  for (std::size_t t = 0; t < length_; ++t) {
    token_attributes(attributes_.states, sentence, t, keys, values);
    tagger_.trees()->score(keys, values, scores, tree_scratch_);
    visit(t, scores);
  }
}

void TaggingSession::State::add_trees(const text::Cells& cells, const text::Sentence& sentence) {
  const chain::EdgeShape shape = tagger_.shape();
  for_tree_scores(cells, sentence, [&](std::size_t t, const std::vector<double>& scores) {
    for (std::size_t state = shape.first_state(t); state < shape.last_state(t); ++state) {
      for (std::size_t y = 0; y < shape.labels; ++y) {
        edges_[shape.place(t, state, y)] += static_cast<float>(scores[state * shape.labels + y]);
      }
    }
  });
}

void TaggingSession::State::find_lattice_edges(const text::Cells& cells,
                                               const text::Sentence& sentence) {
  const chain::LabelHistories histories = tagger_.histories();
  edges_.resize(lattice().num_edges());
  for_tree_scores(cells, sentence, [&](std::size_t t, const std::vector<double>& scores) {
    for (std::size_t e = lattice_.first_edge(t); e < lattice_.first_edge(t + 1); ++e) {
      const std::size_t history = histories.number(lattice_.history[lattice_.tail[e]]);
      edges_[e] = static_cast<float>(scores[history * histories.num_labels() + lattice_.label[e]]);
    }
  });
}

const chain::LabelLattice& TaggingSession::State::lattice() {
  if (!has_lattice_) {
    const chain::LabelModel model = tagger_.label_model();
    lattice_ = chain::coarse_to_fine(scores_.data(), length_, model, nullptr, workspace_);
    has_lattice_ = true;
  }
  return lattice_;
}

chain::LatticeScores TaggingSession::State::tempered_lattice_scores() {
  const float* labels = tempered();
  return {labels, stride_, tagger_.tempered_parts(), tempered_edges_};
}

double TaggingSession::State::best_labels(std::vector<std::uint16_t>& labels) {
  if (tagger_.has_edges()) return chain::edge_best_labels(tagger_.shape(), edges_, labels);
  labels.assign(length_, 0);
  if (!tagger_.config().is_sparse()) {
    return chain::best_labels(scores_.data(), length_, tagger_.transitions(), workspace_, labels);
  }
  const double score =
      chain::best_path(lattice(), {scores_.data(), stride_, tagger_.label_model().parts, edges_},
                       workspace_.lattice, path_);
  for (std::size_t t = 0; t < path_.size(); ++t) labels[t] = lattice_.label[path_[t]];
  return score;
}

const float* TaggingSession::State::tempered() {
  if (!has_tempered_) {
    const auto temperature = static_cast<float>(tagger_.config().temperature);
    tempered_ = scores_;
    for (float& score : tempered_) score /= temperature;
    tempered_edges_ = edges_;
    for (float& score : tempered_edges_) score /= temperature;
    has_tempered_ = true;
  }
  return tempered_.data();
}

void TaggingSession::State::find_edge_posteriors() {
  edge_posteriors_.resize(tempered_edges_.size());
  log_z_ =
      chain::edge_marginals(tagger_.shape(), tempered_edges_, edge_posteriors_, edge_workspace_);
  for (std::size_t t = 0; t < length_; ++t) {
    chain::edge_posterior(tagger_.shape(), edge_posteriors_, t,
                          std::span(posteriors_).subspan(t * stride_, tagger_.num_labels()));
  }
}

void TaggingSession::State::find_lattice_posteriors() {
  std::fill(posteriors_.begin(), posteriors_.end(), 0.0f);
  log_z_ = marginals(lattice(), tempered_lattice_scores(), workspace_.lattice);
  for (std::size_t t = 0; t < length_; ++t) {
    for (std::size_t e = lattice_.first_edge(t); e < lattice_.first_edge(t + 1); ++e) {
      posteriors_[t * stride_ + lattice_.label[e]] +=
          static_cast<float>(workspace_.lattice.posterior[e]);
    }
  }
}

std::span<const float> TaggingSession::State::posteriors() {
  if (has_posteriors_) return posteriors_;
  has_posteriors_ = true;
  posteriors_.assign(tempered(), tempered() + length_ * stride_);
  if (tagger_.has_edges()) {
    find_edge_posteriors();
  } else if (tagger_.config().is_sparse()) {
    find_lattice_posteriors();
  } else {
    log_z_ =
        marginals(posteriors_.data(), length_, tagger_.tempered_transitions(), workspace_, nullptr);
  }
  return posteriors_;
}

std::span<const float> TaggingSession::State::posteriors(std::size_t token) {
  return posteriors().subspan(token * stride_, tagger_.num_labels());
}

double TaggingSession::State::log_partition() {
  posteriors();
  return log_z_;
}

double TaggingSession::State::log_probability(std::span<const std::uint16_t> labels) {
  double score = -log_partition();
  if (tagger_.has_edges()) {
    return score + chain::edge_score(tagger_.shape(), tempered_edges_, labels);
  }
  if (tagger_.config().is_sparse()) {
    const std::vector<std::uint32_t> path = chain::path_of(lattice(), labels);
    if (path.size() != length_) return -std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < length_; ++t)
      score += tempered_lattice_scores().of(lattice_, t, path[t]);
    return score;
  }
  for (std::size_t t = 0; t < length_; ++t) {
    score += tempered_[t * stride_ + labels[t]];
    if (t > 0) score += tagger_.tempered_transitions().score(labels[t - 1], labels[t]);
  }
  return score;
}

void TaggingSession::State::posterior_labels(std::vector<std::uint16_t>& labels) {
  posteriors();
  labels.resize(length_);
  for (std::size_t t = 0; t < length_; ++t) {
    const auto row = posteriors(t);
    labels[t] = static_cast<std::uint16_t>(std::max_element(row.begin(), row.end()) - row.begin());
  }
}

const chain::Messages& TaggingSession::State::messages() {
  require(!tagger_.config().is_sparse(), "messages are those of a chain of order 0 or 1");
  if (!has_messages_ && tagger_.has_edges()) {
    messages_.compute(tagger_.shape(), tempered_edges(), length_);
  } else if (!has_messages_) {
    messages_.compute(tempered(), length_, tagger_.tempered_transitions());
  }
  has_messages_ = true;
  return messages_;
}

// Compares two partition functions: one with all other pairs forbidden.
template <class Allows>
double TaggingSession::State::restricted_probability(const Allows& allows) {
  const double all = log_partition();
  if (std::isinf(all)) return 0;
  if (tagger_.config().is_sparse()) {
    std::vector<float> own(lattice().num_edges(), 0.0f);
    for (std::size_t t = 0; t < length_; ++t) {
      for (std::size_t e = lattice_.first_edge(t); e < lattice_.first_edge(t + 1); ++e) {
        const chain::LabelKey history = lattice_.history[lattice_.tail[e]];
        const std::size_t previous = history == 0 ? 0 : chain::last_label(history);
        if (!allows(t, previous, lattice_.label[e])) own[e] = chain::kForbidden;
      }
    }
    chain::LatticeScores scores = tempered_lattice_scores();
    for (std::size_t e = 0; e < scores.edges.size(); ++e) own[e] += scores.edges[e];
    scores.edges = own;
    const double part = chain::log_partition(lattice_, scores, workspace_.lattice);
    return std::min(1.0, std::exp(part - all));
  }
  const chain::EdgeShape shape = tagger_.shape();
  std::vector<float> restricted = tempered_edges_;
  for (std::size_t t = 0; t < length_; ++t) {
    for (std::size_t state = shape.first_state(t); state < shape.last_state(t); ++state) {
      for (std::size_t y = 0; y < shape.labels; ++y) {
        if (!allows(t, state, y)) restricted[shape.place(t, state, y)] = chain::kForbidden;
      }
    }
  }
  std::vector<float> ignored(restricted.size());
  return std::min(
      1.0, std::exp(chain::edge_marginals(shape, restricted, ignored, edge_workspace_) - all));
}

double TaggingSession::State::segment_probability(std::size_t begin,
                                                  std::span<const std::uint16_t> labels) {
  if (tagger_.has_edges() || tagger_.config().is_sparse()) {
    return restricted_probability([&](std::size_t t, std::size_t, std::size_t y) {
      return t < begin || t >= begin + labels.size() || y == labels[t - begin];
    });
  }
  return chain::segment_probability(messages(), tempered(), tagger_.tempered_transitions(), begin,
                                    labels);
}

double TaggingSession::State::span_probability(const text::LabelledSpan& span) {
  if (!spans_) spans_.emplace(tagger_.config().labels);
  if (tagger_.has_edges() || tagger_.config().is_sparse()) {
    require(tagger_.config().order > 0, "spans have no probability in a chain of order 0 of trees");
    return restricted_probability(
        [&](std::size_t t, std::size_t u, std::size_t y) { return spans_->allows(span, t, u, y); });
  }
  return spans_->probability(span, tempered(), tagger_.tempered_transitions(), messages());
}

chain::ChainForest TaggingSession::State::packed() {
  if (tagger_.has_edges()) return chain::edge_forest(tagger_.shape(), tempered_edges());
  if (tagger_.config().is_sparse())
    return chain::chain_forest(lattice(), tempered_lattice_scores());
  return chain::chain_forest(tempered(), length_, tagger_.tempered_transitions());
}

std::vector<LabelSequence> TaggingSession::State::k_best(std::size_t k) {
  const double log_z = log_partition();
  const chain::ChainForest chain = packed();
  std::vector<LabelSequence> sequences;
  for (const Derivation& derivation : coppice::k_best(chain.forest, chain.scores, k)) {
    sequences.push_back({chain.sequence(derivation.edges), derivation.score - log_z});
  }
  return sequences;
}

std::vector<LabelSequence> TaggingSession::State::samples(std::size_t count, Random& random) {
  const double log_z = log_partition();
  const chain::ChainForest chain = packed();
  const auto chart = inside<LogSemiring>(chain.forest, chain.scores);
  std::vector<LabelSequence> sequences;
  while (sequences.size() < count) {
    const auto derivation = sample_derivation(chain.forest, chain.scores, chart, random);
    if (!derivation) break;
    sequences.push_back({chain.sequence(derivation->edges), derivation->score - log_z});
  }
  return sequences;
}

TaggingSession::TaggingSession(const Tagger& tagger)
    : state_(std::make_unique<State>(tagger.state())) {}
TaggingSession::~TaggingSession() = default;
TaggingSession::TaggingSession(TaggingSession&&) noexcept = default;

void TaggingSession::read(const text::Sentence& sentence, FeatureCells& columns) {
  state_->read(sentence, columns);
}

std::size_t TaggingSession::length() const noexcept { return state_->length(); }

std::span<const float> TaggingSession::scores(std::size_t token) const noexcept {
  return state_->scores(token);
}

double TaggingSession::best_labels(std::vector<std::uint16_t>& labels) {
  return state_->best_labels(labels);
}

std::span<const float> TaggingSession::posteriors(std::size_t token) {
  return state_->posteriors(token);
}

double TaggingSession::log_partition() { return state_->log_partition(); }

double TaggingSession::log_probability(std::span<const std::uint16_t> labels) {
  return state_->log_probability(labels);
}

void TaggingSession::posterior_labels(std::vector<std::uint16_t>& labels) {
  state_->posterior_labels(labels);
}

double TaggingSession::segment_probability(std::size_t begin,
                                           std::span<const std::uint16_t> labels) {
  return state_->segment_probability(begin, labels);
}

double TaggingSession::span_probability(const text::LabelledSpan& span) {
  return state_->span_probability(span);
}

chain::ChainForest TaggingSession::packed() { return state_->packed(); }

std::vector<LabelSequence> TaggingSession::k_best(std::size_t k) { return state_->k_best(k); }

std::vector<LabelSequence> TaggingSession::samples(std::size_t count, Random& random) {
  return state_->samples(count, random);
}

}  // namespace coppice::tag

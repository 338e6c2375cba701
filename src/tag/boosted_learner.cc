#include "tag/boosted_learner.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "coppice/base/aligned.h"
#include "coppice/base/error.h"
#include "tag/token_attributes.h"

namespace coppice::tag {

namespace {

constexpr std::size_t kDecodedPerChunk = 64;

// The labels of the best path, or the best label of each token.
void decode_lattice(const chain::LabelLattice& lattice, std::span<const float> scores,
                    std::size_t num_labels, Decoding decoding, std::vector<std::uint16_t>& labels) {
  const std::vector<float> rows(lattice.length() * row_stride(num_labels), 0.0f);
  const chain::LatticeScores of_edges{rows.data(), row_stride(num_labels), {}, scores};
  chain::LatticeWorkspace workspace;
  labels.assign(lattice.length(), 0);
  if (decoding == Decoding::kViterbi) {
    std::vector<std::uint32_t> path;
    chain::best_path(lattice, of_edges, workspace, path);
    for (std::size_t t = 0; t < path.size(); ++t) labels[t] = lattice.label[path[t]];
    return;
  }
  marginals(lattice, of_edges, workspace);
  std::vector<double> posterior(num_labels);
  for (std::size_t t = 0; t < lattice.length(); ++t) {
    std::fill(posterior.begin(), posterior.end(), 0.0);
    for (std::size_t e = lattice.first_edge(t); e < lattice.first_edge(t + 1); ++e) {
      posterior[lattice.label[e]] += workspace.posterior[e];
    }
    labels[t] = static_cast<std::uint16_t>(std::max_element(posterior.begin(), posterior.end()) -
                                           posterior.begin());
  }
}

// Adds a linear tagger's scores of labels, and of pairs of them, to those of a token's pairs.
void add_token(const chain::EdgeShape& shape, const chain::Transitions& transitions,
               const float* labels, std::size_t token, std::span<float> scores) {
  for (std::size_t state = shape.first_state(token); state < shape.last_state(token); ++state) {
    for (std::size_t y = 0; y < shape.labels; ++y) {
      const float pair = token > 0 && shape.has_pairs() ? transitions.score(state, y) : 0.0f;
      scores[shape.place(token, state, y)] += labels[y] + pair;
    }
  }
}

// Writes what boosting starts from, and forgets it.
template <class StartScores>
void take_start(chain::BoostedLattices& lattices, const StartScores& start_scores) {
  for (std::size_t i = 0; i < lattices.scores.size(); ++i) {
    std::copy(lattices.scores[i].begin(), lattices.scores[i].end(), start_scores(i).begin());
  }
  lattices.scores = {};
}

// The weights of attributes, by their numbers; null for those that have none.
std::vector<const FrozenLinear::Slot*> slots_of(const FrozenLinear& potential,
                                                std::span<const std::uint64_t> keys) {
  std::vector<const FrozenLinear::Slot*> slots;
  slots.reserve(keys.size());
  for (const std::uint64_t key : keys) slots.push_back(potential.find(key));
  return slots;
}

// Adds what a token's attributes weigh.
void add_weights(const FrozenLinear& potential, const DesignMatrix& design, std::size_t token,
                 std::span<const FrozenLinear::Slot* const> slots, float* row) {
  for (std::size_t k = design.begin[token]; k < design.begin[token + 1]; ++k) {
    const FrozenLinear::Slot* slot = slots[design.attributes[k]];
    const float value = design.values.empty() ? 1.0f : design.values[k];
    if (slot != nullptr) potential.add(*slot, value, row);
  }
}

}  // namespace

BoostedLearner::BoostedLearner(BoostingData encoded, chain::Constraints constraints,
                               const chain::ChainOptions& chain, const TreeTrainingOptions& options,
                               std::unique_ptr<chain::EdgeObjective> objective,
                               const Tagger* linear)
    : data_(std::move(encoded.data)),
      constraints_(std::move(constraints)),
      chain_(chain),
      options_(options),
      inputs_(data_.design, encoded.keys, encoded.groups, options.inputs),
      train_(inputs_.encode(data_.design, encoded.keys)),
      train_lattices_(lay_out(linear, encoded.keys)),
      booster_(inputs_.schema(),
               {train_.view().rows, data_.sentence_begin, train_lattices_.lattices}, data_,
               constraints_, chain.order, options.boosting, std::move(objective)) {
  if (chain_.is_sparse()) {
    take_start(train_lattices_, [&](std::size_t i) { return booster_.start_scores(i); });
  } else if (linear != nullptr) {
    add_linear(*linear, encoded);
  }
  data_.design = data_.pair_design = {};
}

chain::BoostedLattices BoostedLearner::lay_out(const Tagger* linear,
                                               std::span<const std::uint64_t> keys) const {
  chain::BoostedLattices made;
  if (!chain_.is_sparse()) return made;
  const chain::PlainChain plain(data_.num_labels, constraints_);
  const chain::LabelModel model =
      linear != nullptr ? linear->label_model() : plain.model(chain_.order);
  std::vector<const FrozenLinear::Slot*> slots;
  if (linear != nullptr) slots = slots_of(linear->potential(), keys);
  const std::size_t stride = model.transitions.stride();
  AlignedVector<float> rows;
  chain::Workspace workspace;
  for (std::size_t i = 0; i < data_.num_sentences(); ++i) {
    const std::size_t begin = data_.sentence_begin[i], end = data_.sentence_begin[i + 1];
    rows.assign((end - begin) * stride, 0.0f);
    for (std::size_t token = begin; linear != nullptr && token < end; ++token) {
      add_weights(linear->potential(), data_.design, token, slots,
                  rows.data() + (token - begin) * stride);
    }
    const chain::Annotation gold = data_.annotation(i);
    made.add(rows.data(), end - begin, model, constraints_, &gold, workspace);
  }
  return made;
}

void BoostedLearner::add_linear(const Tagger& linear, const BoostingData& encoded) {
  const auto slots = slots_of(linear.potential(), encoded.keys);
  AlignedVector<float> row(linear.potential().stride());
  for (std::size_t i = 0; i < data_.num_sentences(); ++i) {
    const std::span<float> scores = booster_.start_scores(i);
    const std::size_t begin = data_.sentence_begin[i];
    for (std::size_t token = begin; token < data_.sentence_begin[i + 1]; ++token) {
      std::fill(row.begin(), row.end(), 0.0f);
      add_weights(linear.potential(), data_.design, token, slots, row.data());
      add_token(booster_.shape(), linear.transitions(), row.data(), token - begin, scores);
    }
  }
  if (linear.pairs() != nullptr) add_linear_pairs(*linear.pairs(), encoded.pair_keys);
}

void BoostedLearner::add_linear_pairs(const chain::FrozenPairs& pairs,
                                      std::span<const std::uint64_t> keys) {
  const auto slots = slots_of(pairs.potential, keys);
  const std::size_t stride = pairs.potential.stride();
  AlignedVector<float> rows;
  for (std::size_t i = 0; i < data_.num_sentences(); ++i) {
    const std::size_t begin = data_.sentence_begin[i], end = data_.sentence_begin[i + 1];
    rows.assign((end - begin) * stride, 0.0f);
    for (std::size_t token = begin; token < end; ++token) {
      add_weights(pairs.potential, data_.pair_design, token, slots,
                  rows.data() + (token - begin) * stride);
    }
    chain::add_pair_scores(booster_.shape(), pairs.pairs, rows.data(), stride,
                           booster_.start_scores(i));
  }
}

void BoostedLearner::follow(std::span<const text::Sentence> sentences,
                            const text::Extractor& extractor, FeatureCells columns,
                            const Tagger* linear) {
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
  if (chain_.is_sparse()) return follow_lattices(sentences, columns, linear);
  const std::size_t number = booster_.follow({followed_.view().rows, followed_begin_});
  if (linear != nullptr) start_from_linear(number, sentences, columns, *linear);
}

void BoostedLearner::follow_lattices(std::span<const text::Sentence> sentences,
                                     FeatureCells columns, const Tagger* linear) {
  const chain::PlainChain plain(data_.num_labels, constraints_);
  std::optional<TaggingSession> session;
  if (linear != nullptr) session.emplace(*linear);
  AlignedVector<float> rows;
  chain::Workspace workspace;
  for (const text::Sentence& sentence : sentences) {
    if (session) {  // a linear tagger in training has the temperature 1
      session->read(sentence, columns);
      followed_lattices_.add(session->lattice(), session->tempered_lattice_scores());
      continue;
    }
    rows.assign(sentence.num_tokens() * row_stride(data_.num_labels), 0.0f);
    followed_lattices_.add(rows.data(), sentence.num_tokens(), plain.model(chain_.order),
                           constraints_, nullptr, workspace);
  }
  const std::size_t number =
      booster_.follow({followed_.view().rows, followed_begin_, followed_lattices_.lattices});
  take_start(followed_lattices_, [&](std::size_t i) { return booster_.start_scores(number, i); });
}

void BoostedLearner::start_from_linear(std::size_t followed,
                                       std::span<const text::Sentence> sentences,
                                       FeatureCells columns, const Tagger& linear) {
  TaggingSession session(linear);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    session.read(sentences[i], columns);
    const std::span<float> scores = booster_.start_scores(followed, i);
    if (linear.has_edges()) {  // a linear tagger in training has the temperature 1
      const auto edges = session.tempered_edges();
      std::transform(edges.begin(), edges.end(), scores.begin(), scores.begin(), std::plus<>());
      continue;
    }
    for (std::size_t t = 0; t < session.length(); ++t) {
      add_token(booster_.shape(), linear.transitions(), session.scores(t).data(), t, scores);
    }
  }
}

void BoostedLearner::count_from(const chain::TrainingProgress& before) {
  progress_ = before;
  progress_.stopped = {};
}

void BoostedLearner::save(learn::CheckpointWriter& out) const {
  const trees::Ensemble& grown = booster_.trees();
  out.vector(grown.begin);
  out.vector(grown.output);
  out.vector(grown.nodes);
  out.vector(grown.sets);
  out.vector(grown.surrogates);
  out.value(progress_.objective);
}

void BoostedLearner::load(learn::CheckpointReader& in, const Threads& threads) {
  trees::Ensemble grown;
  grown.begin = in.vector<std::uint32_t>();
  grown.output = in.vector<std::uint32_t>();
  grown.nodes = in.vector<trees::Node>();
  grown.sets = in.vector<std::uint64_t>();
  grown.surrogates = in.vector<trees::Surrogate>();
  progress_.objective = in.value<double>();
  try {
    booster_.replay(grown.view(), threads);
  } catch (const InvalidArgument&) {
    in.check(false);
  }
  progress_.boosting = num_rounds() > 0;
  progress_.stochastic = progress_.stochastic && num_rounds() == 0;
  progress_.iteration += num_rounds();
  progress_.evaluations += num_rounds();
}

bool BoostedLearner::iterate(const Threads& threads) {
  if (num_rounds() >= options_.rounds) {
    progress_.stopped = "all rounds are done";
    return false;
  }
  progress_.objective = booster_.round(threads);
  progress_.stochastic = false;
  progress_.boosting = true;
  progress_.gradient_norm = 0;
  ++progress_.iteration;
  ++progress_.evaluations;
  return true;
}

void BoostedLearner::decode(std::span<const float> scores, const chain::LabelLattice* lattice,
                            Decoding decoding, std::vector<std::uint16_t>& labels) const {
  const chain::EdgeShape& shape = booster_.shape();
  if (lattice != nullptr) return decode_lattice(*lattice, scores, shape.labels, decoding, labels);
  if (decoding == Decoding::kViterbi) {
    chain::edge_best_labels(shape, scores, labels);
    return;
  }
  chain::EdgeWorkspace workspace;
  std::vector<float> p(scores.size()), posterior(shape.labels);
  chain::edge_marginals(shape, scores, p, workspace);
  labels.resize(scores.size() / shape.block());
  for (std::size_t t = 0; t < labels.size(); ++t) {
    chain::edge_posterior(shape, p, t, posterior);
    const auto best = std::max_element(posterior.begin(), posterior.end());
    labels[t] = static_cast<std::uint16_t>(best - posterior.begin());
  }
}

void BoostedLearner::labels(std::size_t sentence, Decoding decoding,
                            std::vector<std::uint16_t>& labels) const {
  const chain::LabelLattice* lattice =
      chain_.is_sparse() ? &followed_lattices_.lattices[sentence] : nullptr;
  decode(booster_.scores(0, sentence), lattice, decoding, labels);
}

double BoostedLearner::training_accuracy(Decoding decoding, const Threads& threads) const {
  const std::size_t sentences = data_.num_sentences();
  const std::size_t chunks = (sentences + kDecodedPerChunk - 1) / kDecodedPerChunk;
  std::vector<std::size_t> right(chunks, 0), known(chunks, 0);
  threads.for_chunks(chunks, [&](std::size_t chunk, unsigned) {
    std::vector<std::uint16_t> found;
    const std::size_t end = std::min(sentences, (chunk + 1) * kDecodedPerChunk);
    for (std::size_t i = chunk * kDecodedPerChunk; i < end; ++i) {
      const chain::LabelLattice* lattice =
          chain_.is_sparse() ? &train_lattices_.lattices[i] : nullptr;
      decode(booster_.scores(i), lattice, decoding, found);
      for (std::size_t t = 0; t < found.size(); ++t) {
        const auto gold = data_.gold_of(data_.sentence_begin[i] + t);
        if (gold.size() != 1) continue;
        ++known[chunk];
        right[chunk] += found[t] == gold[0] ? 1 : 0;
      }
    }
  });
  const auto total = std::accumulate(known.begin(), known.end(), std::size_t{0});
  const auto correct = std::accumulate(right.begin(), right.end(), std::size_t{0});
  return total == 0 ? 0 : static_cast<double>(correct) / static_cast<double>(total);
}

trees::EnsembleView BoostedLearner::trees(std::uint64_t rounds) const noexcept {
  trees::EnsembleView view = booster_.trees().view();
  const std::size_t in_round = data_.num_labels * options_.boosting.trees_per_round;
  const std::size_t count = std::min<std::size_t>(rounds * in_round, view.num_trees());
  view.begin = view.begin.first(count + 1);
  view.output = view.output.first(count);
  view.nodes = view.nodes.first(view.begin.back());
  return view;
}

}  // namespace coppice::tag

#include "tag/boosted_learner.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/aligned.h"
#include "coppice/base/error.h"

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

// The scores of a linear potential for tokens of the training data, row by row.
AlignedVector<float> training_rows(const LinearPotential& potential,
                                   std::span<const float> weights) {
  AlignedVector<float> rows(potential.num_tokens() * potential.stride(), 0.0f);
  potential.score(weights, 0, potential.num_tokens(), rows.data());
  return rows;
}

}  // namespace

BoostedLearner::BoostedLearner(const DesignMatrix& design, std::span<const std::uint64_t> keys,
                               std::span<const std::uint32_t> groups,
                               const TreeTrainingOptions& options)
    : options_(options),
      inputs_(design, keys, groups, options.inputs),
      train_(inputs_.encode(design, keys)) {}

learn::Booster& BoostedLearner::start(const BoostingSource& source,
                                      const learn::TrainingObjective& objective,
                                      chain::LossTables loss) {
  data_ = &source.gold;
  if (source.chain.is_sparse()) lay_out(source);
  chain_.emplace(
      inputs_.schema(),
      chain::TreeCorpus{train_.view().rows, data_->sentence_begin, train_lattices_.lattices},
      *data_, source.constraints,
      chain::BoostedChainOptions{source.chain.order, options_.label_depth}, objective,
      std::move(loss));
  if (!source.development.empty()) {
    chain_->follow({source.development.tree_rows(), source.development.sentence_begin(),
                    development_lattices_.lattices});
  }
  if (source.chain.is_sparse()) {
    take_start(train_lattices_, [&](std::size_t i) { return chain_->start_scores(i); });
    take_start(development_lattices_, [&](std::size_t i) { return chain_->start_scores(0, i); });
  } else if (source.linear != nullptr) {
    add_linear(source);
  }
  return booster_.emplace(*chain_, options_.boosting);
}

void BoostedLearner::lay_out(const BoostingSource& source) {
  const chain::PlainChain plain(data_->num_labels, source.constraints);
  std::optional<chain::Transitions> transitions;
  if (source.linear != nullptr) transitions = source.linear->transitions(source.weights);
  const chain::LabelModel model = transitions ? source.linear->model(*transitions, source.weights)
                                              : plain.model(source.chain.order);
  const std::size_t stride = model.transitions.stride();
  AlignedVector<float> rows(data_->num_tokens() * stride, 0.0f);
  if (source.linear != nullptr) rows = training_rows(source.linear->potential(), source.weights);
  chain::Workspace workspace;
  for (std::size_t i = 0; i < data_->num_sentences(); ++i) {
    const std::size_t begin = data_->sentence_begin[i], end = data_->sentence_begin[i + 1];
    const chain::Annotation gold = data_->annotation(i);
    train_lattices_.add(rows.data() + begin * stride, end - begin, model, source.constraints, &gold,
                        workspace);
  }
  for (std::size_t i = 0; i < source.development.num_sentences(); ++i) {
    const std::size_t length = source.development.length(i);
    rows.assign(length * stride, 0.0f);
    if (source.linear != nullptr) source.development.score(*source.linear, source.weights, i, rows);
    development_lattices_.add(rows.data(), length, model, source.constraints, nullptr, workspace);
  }
}

void BoostedLearner::add_linear(const BoostingSource& source) {
  const chain::CorpusObjective& linear = *source.linear;
  const chain::PairPotential* pairs = linear.pair_potential();
  const chain::Transitions transitions = linear.transitions(source.weights);
  const std::size_t stride = linear.potential().stride();
  const auto add_sentence = [&](const float* rows, const float* pair_rows,
                                std::span<float> scores) {
    const std::size_t length = scores.size() / chain_->shape().block();
    for (std::size_t t = 0; t < length; ++t) {
      add_token(chain_->shape(), transitions, rows + t * stride, t, scores);
    }
    if (pairs != nullptr) {
      chain::add_pair_scores(chain_->shape(), pairs->pairs(), pair_rows, pairs->stride(), scores);
    }
  };
  AlignedVector<float> rows = training_rows(linear.potential(), source.weights), pair_rows;
  if (pairs != nullptr)
    pair_rows = training_rows(pairs->linear(), linear.pair_weights(source.weights));
  const std::size_t pair_stride = pairs != nullptr ? pairs->stride() : 0;
  for (std::size_t i = 0; i < data_->num_sentences(); ++i) {
    const std::size_t begin = data_->sentence_begin[i];
    add_sentence(rows.data() + begin * stride, pair_rows.data() + begin * pair_stride,
                 chain_->start_scores(i));
  }
  for (std::size_t i = 0; i < source.development.num_sentences(); ++i) {
    source.development.score(linear, source.weights, i, rows);
    if (pairs != nullptr) source.development.score_pairs(linear, source.weights, i, pair_rows);
    add_sentence(rows.data(), pair_rows.data(), chain_->start_scores(0, i));
  }
}

void BoostedLearner::decode(std::span<const float> scores, const chain::LabelLattice* lattice,
                            Decoding decoding, std::vector<std::uint16_t>& labels) const {
  const chain::EdgeShape& shape = chain_->shape();
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

DevelopmentSet::Labels BoostedLearner::development_labels(Decoding decoding) const {
  DevelopmentSet::Labels found(chain_->num_followed());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool has_lattice = !development_lattices_.lattices.empty();
    decode(chain_->scores(0, i), has_lattice ? &development_lattices_.lattices[i] : nullptr,
           decoding, found[i]);
  }
  return found;
}

double BoostedLearner::training_accuracy(Decoding decoding, const Threads& threads) const {
  const std::size_t sentences = data_->num_sentences();
  const std::size_t chunks = (sentences + kDecodedPerChunk - 1) / kDecodedPerChunk;
  std::vector<std::size_t> right(chunks, 0), known(chunks, 0);
  threads.for_chunks(chunks, [&](std::size_t chunk, unsigned) {
    std::vector<std::uint16_t> found;
    const std::size_t end = std::min(sentences, (chunk + 1) * kDecodedPerChunk);
    for (std::size_t i = chunk * kDecodedPerChunk; i < end; ++i) {
      const bool has_lattice = !train_lattices_.lattices.empty();
      decode(chain_->scores(i), has_lattice ? &train_lattices_.lattices[i] : nullptr, decoding,
             found);
      for (std::size_t t = 0; t < found.size(); ++t) {
        const auto gold = data_->gold_of(data_->sentence_begin[i] + t);
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

}  // namespace coppice::tag

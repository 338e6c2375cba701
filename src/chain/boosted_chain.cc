#include "chain/boosted_chain.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/reduce.h"
#include "chain/boosted_scores.h"
#include "chain/engine.h"
#include "chain/forbidden.h"
#include "coppice/base/error.h"

namespace coppice::chain {

namespace {

constexpr std::size_t kSentencesPerChunk = 16;

// Of the four kinds of places: whether a token is the first, and whether it is the last.
std::size_t place_in_sentence(std::size_t token, std::size_t begin, std::size_t end) {
  return (token == begin ? 1u : 0u) + (token + 1 == end ? 2u : 0u);
}

}  // namespace

void constrained_scores(const EdgeShape& shape, const Constraints& constraints, std::size_t length,
                        std::vector<float>& scores) {
  scores.assign(length * shape.block(), 0.0f);
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t state = shape.first_state(t); state < shape.last_state(t); ++state) {
      for (std::size_t v = 0; v < shape.labels; ++v) {
        const bool pair_allowed =
            !shape.has_pairs() || t == 0 || constraints.allows(state, v, shape.labels);
        const bool allowed = pair_allowed && (t > 0 || constraints.may_begin(v)) &&
                             (t + 1 < length || constraints.may_end(v));
        if (!allowed) scores[shape.place(t, state, v)] = kForbidden;
      }
    }
  }
}

struct BoostedChain::Worker {
  explicit Worker(std::size_t labels) : transitions(labels) {}

  Transitions transitions;    // none
  AlignedVector<float> rows;  // of labels, beside the scores of a lattice's edges
  std::vector<float> derivatives;
  Workspace workspace;
};

BoostedChain::BoostedChain(const trees::Schema& schema, const TreeCorpus& corpus,
                           const Dataset& gold, const Constraints& constraints,
                           const BoostedChainOptions& options,
                           const learn::TrainingObjective& objective, LossTables loss)
    : schema_(schema),
      data_(gold),
      constraints_(constraints),
      objective_(objective),
      loss_(std::move(loss)),
      shape_(EdgeShape::of_order(std::min(options.order, 1u), gold.num_labels)),
      histories_(gold.num_labels, std::min(options.order, options.label_depth)) {
  require(options.label_depth >= 1, "trees see one label before a token at the least");
  require(gold.num_tokens() > 0, "there is no token to learn from");
  require(!objective.of_corpus || gold.weight.empty(),
          "an objective of the whole corpus does not go with weights of sentences");
  require(corpus.rows.size() == gold.num_tokens(), "boosting: ", corpus.rows.size(), " rows for ",
          gold.num_tokens(), " tokens");
  require(corpus.lattices.empty()
              ? options.order <= 1
              : corpus.lattices.size() == corpus.num_sentences() && options.order > 0,
          "boosting: ", corpus.lattices.size(), " lattices of a chain of order ", options.order,
          " for ", corpus.num_sentences(), " sentences");
  train_ = std::make_unique<BoostedScores>(corpus, shape_, constraints_);
  if (!train_->has_lattices()) find_impossible_states();
}

BoostedChain::~BoostedChain() = default;

trees::BinMatrix BoostedChain::rows() const noexcept { return train_->corpus().rows; }

std::size_t BoostedChain::follow(const TreeCorpus& corpus) {
  followed_.emplace_back(corpus, shape_, constraints_);
  return followed_.size() - 1;
}

std::span<float> BoostedChain::start_scores(std::size_t sentence) { return train_->of(sentence); }
std::span<float> BoostedChain::start_scores(std::size_t followed, std::size_t sentence) {
  return followed_[followed].of(sentence);
}
std::size_t BoostedChain::num_followed() const noexcept {
  return followed_.empty() ? 0 : followed_.front().corpus().num_sentences();
}
std::span<const float> BoostedChain::scores(std::size_t sentence) const noexcept {
  return train_->of(sentence);
}
std::span<const float> BoostedChain::scores(std::size_t followed,
                                            std::size_t sentence) const noexcept {
  return followed_[followed].of(sentence);
}

template <class Use>
double BoostedChain::with_engine(std::size_t sentence, Worker& worker, const Use& use) {
  const std::span<const float> scores = train_->of(sentence);
  worker.derivatives.assign(scores.begin(), scores.end());
  const SentenceTarget target{data_.annotation(sentence), &loss_, data_.soft_targets(sentence)};
  if (const LabelLattice* lattice = train_->lattice(sentence)) {
    const std::size_t stride = worker.transitions.stride();
    worker.rows.assign(target.gold.length() * stride, 0.0f);
    LatticeEngine engine(*lattice, {worker.rows.data(), stride, {}, worker.derivatives},
                         worker.transitions, target, nullptr, worker.workspace);
    return use(engine);
  }
  EdgeEngine engine(shape_, worker.derivatives, target, worker.workspace);
  return use(engine);
}

double BoostedChain::evaluate(learn::RoundGoal goal, std::size_t sentence, Worker& worker,
                              std::span<float> descents) {
  if (data_.sentence_begin[sentence] == data_.sentence_begin[sentence + 1]) return 0;
  const double value = with_engine(sentence, worker, [&](SentenceEngine& engine) {
    return goal == learn::RoundGoal::kPseudoLikelihood ? engine.pseudo_likelihood()
                                                       : objective_.evaluate(engine, sentence);
  });
  if (!std::isfinite(value)) {
    throw Error(concat("the objective is not finite at sentence ", sentence + 1), {.code = "E310"});
  }
  if (train_->has_lattices()) {
    descend_edges(worker.derivatives, sentence, descents);
  } else {
    descend_pairs(worker.derivatives, sentence, descents);
  }
  return static_cast<double>(data_.weight_of(sentence)) * value;
}

void BoostedChain::descend_edges(std::span<const float> derivatives, std::size_t sentence,
                                 std::span<float> descents) const {
  const std::size_t begin = data_.sentence_begin[sentence],
                    end = data_.sentence_begin[sentence + 1];
  const float weight = data_.weight_of(sentence);
  for (std::size_t v = 0; v < shape_.labels; ++v) {
    const auto first = descents.begin() + static_cast<std::ptrdiff_t>(place(v, begin));
    std::fill_n(first, (end - begin) * histories_.size(), 0.0f);
  }
  for_edges(*train_->lattice(sentence), histories_,
            [&](std::size_t t, std::size_t edge, std::size_t history, std::size_t label) {
              descents[place(label, begin + t) + history] -= weight * derivatives[edge];
            });
}

void BoostedChain::descend_pairs(std::span<const float> derivatives, std::size_t sentence,
                                 std::span<float> descents) const {
  const std::size_t begin = data_.sentence_begin[sentence],
                    end = data_.sentence_begin[sentence + 1];
  const float weight = data_.weight_of(sentence);
  for (std::size_t token = begin; token < end; ++token) {
    for (std::size_t v = 0; v < shape_.labels; ++v) {
      float* out = descents.data() + place(v, token);
      for (std::size_t state = 0; state < shape_.states; ++state) {
        out[state] = -weight * derivatives[shape_.place(token - begin, state, v)];
      }
    }
  }
}

template <class Visit>
void BoostedChain::for_sentences(const Threads& threads, const Visit& visit) const {
  const std::size_t sentences = data_.num_sentences();
  const std::size_t chunks = (sentences + kSentencesPerChunk - 1) / kSentencesPerChunk;
  threads.for_chunks(chunks, [&](std::size_t chunk, unsigned worker) {
    const std::size_t end = std::min(sentences, (chunk + 1) * kSentencesPerChunk);
    for (std::size_t i = chunk * kSentencesPerChunk; i < end; ++i) visit(i, worker);
  });
}

double BoostedChain::differentiate(learn::RoundGoal goal, std::span<float> descents,
                                   const Threads& threads) {
  std::vector<Worker> workers;
  workers.reserve(threads.size());
  for (unsigned w = 0; w < threads.size(); ++w) workers.emplace_back(shape_.labels);
  if (goal == learn::RoundGoal::kObjective && objective_.looks_ahead()) {
    objective_.begin_look(data_.num_sentences());
    for_sentences(threads, [&](std::size_t sentence, unsigned worker) {
      if (data_.sentence_begin[sentence] == data_.sentence_begin[sentence + 1]) return;
      with_engine(sentence, workers[worker], [&](SentenceEngine& engine) {
        objective_.look(engine, sentence);
        return 0.0;
      });
    });
    objective_.end_look();
  }
  std::vector<double> values(data_.num_sentences());
  for_sentences(threads, [&](std::size_t sentence, unsigned worker) {
    values[sentence] = evaluate(goal, sentence, workers[worker], descents);
  });
  return pairwise_sum(std::move(values));
}

// Cells that cannot be have no curvature, and so do not count.
void BoostedChain::forget_impossible(std::size_t label, std::span<std::int32_t> curvature) const {
  if (train_->has_lattices()) return forget_unlisted(label, curvature);
  for (std::size_t i = 0; i < data_.num_sentences(); ++i) {
    const std::size_t begin = data_.sentence_begin[i], end = data_.sentence_begin[i + 1];
    for (std::size_t token = begin; token < end; ++token) {
      const auto& impossible = impossible_states_[place_in_sentence(token, begin, end)][label];
      for (const std::size_t state : impossible) curvature[token * shape_.states + state] = 0;
    }
  }
}

// The same for cells that no edge of a lattice has.
void BoostedChain::forget_unlisted(std::size_t label, std::span<std::int32_t> curvature) const {
  std::vector<unsigned char> listed(curvature.size(), 0);
  for (std::size_t i = 0; i < data_.num_sentences(); ++i) {
    const std::size_t begin = data_.sentence_begin[i];
    for_edges(*train_->lattice(i), histories_,
              [&](std::size_t t, std::size_t, std::size_t history, std::size_t y) {
                if (y == label) listed[(begin + t) * histories_.size() + history] = 1;
              });
  }
  for (std::size_t k = 0; k < listed.size(); ++k) curvature[k] *= listed[k];
}

void BoostedChain::find_impossible_states() {
  std::vector<float> scores;
  for (const std::size_t length : {std::size_t{1}, std::size_t{3}}) {
    constrained_scores(shape_, constraints_, length, scores);
    for (std::size_t t = 0; t < length; ++t) {
      auto& by_label = impossible_states_[place_in_sentence(t, 0, length)];
      by_label.resize(shape_.labels);
      for (std::size_t v = 0; v < shape_.labels; ++v) {
        for (std::size_t state = 0; state < shape_.states; ++state) {
          const bool exists = state >= shape_.first_state(t) && state < shape_.last_state(t);
          if (!exists || std::isinf(scores[shape_.place(t, state, v)])) {
            by_label[v].push_back(state);
          }
        }
      }
    }
  }
}

void BoostedChain::add(const trees::Predictor& predictor, const Threads& threads,
                       const Said& said) {
  train_->add(predictor, histories_, threads, said);
  for (BoostedScores& scores : followed_) scores.add(predictor, histories_, threads);
}

}  // namespace coppice::chain

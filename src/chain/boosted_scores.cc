#include "chain/boosted_scores.h"

#include <algorithm>

namespace coppice::chain {

namespace {

constexpr std::size_t kScoredPerChunk = 16;  // sentences

}  // namespace

BoostedScores::BoostedScores(const TreeCorpus& corpus, const EdgeShape& shape,
                             const Constraints& constraints)
    : corpus_(corpus) {
  std::vector<float> scores;
  for (std::size_t i = 0; i < corpus.num_sentences(); ++i) {
    const std::size_t length = corpus.sentence_begin[i + 1] - corpus.sentence_begin[i];
    if (has_lattices()) {
      scores.assign(corpus.lattices[i].num_edges(), 0.0f);
    } else {
      constrained_scores(shape, constraints, length, scores);
    }
    scores_.insert(scores_.end(), scores.begin(), scores.end());
    begin_.push_back(scores_.size());
  }
}

void BoostedScores::add(const trees::Predictor& predictor, const LabelHistories& histories,
                        const Threads& threads, const Said& said) {
  const std::size_t sentences = corpus_.num_sentences();
  const std::size_t chunks = (sentences + kScoredPerChunk - 1) / kScoredPerChunk;
  threads.for_chunks(chunks, [&](std::size_t chunk, unsigned) {
    std::vector<double> values(predictor.num_states() * predictor.num_outputs());
    trees::Predictor::Scratch scratch;
    const std::size_t end = std::min(sentences, (chunk + 1) * kScoredPerChunk);
    for (std::size_t i = chunk * kScoredPerChunk; i < end; ++i) {
      add_sentence(i, predictor, histories, said, values, scratch);
    }
  });
}

void BoostedScores::add_sentence(std::size_t sentence, const trees::Predictor& predictor,
                                 const LabelHistories& histories, const Said& said,
                                 std::vector<double>& values, trees::Predictor::Scratch& scratch) {
  const std::size_t begin = corpus_.sentence_begin[sentence];
  const std::size_t length = corpus_.sentence_begin[sentence + 1] - begin;
  const std::span<float> scores = of(sentence);
  const auto score = [&](std::size_t t) {
    predictor.score(corpus_.rows.row(begin + t), values, scratch);
    if (said) said(sentence, begin + t, values);
  };
  if (has_lattices()) {
    std::size_t scored = length;  // the token that `values` are of
    for_edges(corpus_.lattices[sentence], histories,
              [&](std::size_t t, std::size_t edge, std::size_t history, std::size_t label) {
                if (t != scored) score(t);
                scored = t;
                scores[edge] +=
                    static_cast<float>(values[history * predictor.num_outputs() + label]);
              });
    return;
  }
  for (std::size_t t = 0; t < length; ++t) {
    score(t);
    float* block = scores.data() + t * values.size();
    for (std::size_t k = 0; k < values.size(); ++k) block[k] += static_cast<float>(values[k]);
  }
}

}  // namespace coppice::chain

// The development data of a training as numbers: text is extracted once, however often it is
// checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/aligned.h"
#include "chain/corpus_objective.h"
#include "coppice/eval/span_score.h"
#include "coppice/score/tree_inputs.h"
#include "coppice/tag/encode.h"
#include "coppice/text/extractor.h"
#include "coppice/text/sentence.h"
#include "coppice/trees/examples.h"
#include "score/design.h"
#include "score/frozen_linear.h"

namespace coppice::tag {

// What development tokens are encoded by.
struct DevelopmentKeys {
  unsigned hash_bits = 0;
  std::span<const std::uint64_t> states{};  // keys of the training data's attributes
  std::span<const std::uint64_t> pairs{};   // and of those that are conjoined with label pairs
  // Rows of an older model whose attributes the training data lacks: their weights do not change.
  std::span<const FrozenLinear::KeyedRow> retained{};
  std::size_t num_labels = 0;
  const TreeInputs* trees = nullptr;  // null: there are no trees
};

class DevelopmentSet {
 public:
  DevelopmentSet(const text::Extractor& extractor, const EncoderOptions& options)
      : extractor_(extractor),
        cells_(options.feature_columns),
        label_column_(options.label_column) {}

  void add(const text::Sentence& sentence) { sentences_.push_back(sentence); }
  // Extracts what encode() knows of, and forgets the text. Call it once, after the last add().
  void encode(const DevelopmentKeys& keys);

  bool empty() const noexcept { return num_sentences() == 0; }
  std::size_t num_sentences() const noexcept {
    return sentences_.empty() ? sentence_begin_.size() - 1 : sentences_.size();
  }
  // After encode().
  std::span<const std::uint32_t> sentence_begin() const noexcept { return sentence_begin_; }
  std::size_t length(std::size_t sentence) const noexcept {
    return sentence_begin_[sentence + 1] - sentence_begin_[sentence];
  }
  trees::BinMatrix tree_rows() const noexcept { return tree_rows_.view().rows; }

  // Rows of label scores under the weights of the objective's potential; resizes `rows`.
  void score(const chain::CorpusObjective& objective, std::span<const float> weights,
             std::size_t sentence, AlignedVector<float>& rows) const;
  // The same of numbered label pairs. Requires a pair potential.
  void score_pairs(const chain::CorpusObjective& objective, std::span<const float> weights,
                   std::size_t sentence, AlignedVector<float>& rows) const;

  // Labels of all sentences, from a function that finds those of one.
  using Labels = std::vector<std::vector<std::uint16_t>>;
  // Compares them with the annotation.
  void judge(const Labels& found, std::span<const std::string> labels,
             eval::SpanScorer& scorer) const;
  double accuracy(const Labels& found, std::span<const std::string> labels) const;

 private:
  text::Extractor extractor_;
  FeatureCells cells_;
  std::size_t label_column_;
  std::vector<text::Sentence> sentences_;  // until they are encoded
  std::vector<std::uint32_t> sentence_begin_{0};
  std::vector<std::string> gold_;  // by token
  DesignMatrix states_, pairs_;    // of attributes that the training data has
  AlignedVector<float> retained_;  // rows of what does not change; empty: none
  trees::ExampleTable tree_rows_;
};

// The best labels of all development sentences under a linear potential.
DevelopmentSet::Labels best_labels(const DevelopmentSet& set,
                                   const chain::CorpusObjective& objective,
                                   std::span<const float> weights, const Threads& threads);

}  // namespace coppice::tag

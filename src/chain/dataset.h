// Sentences as numbers: what training of a chain reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/aligned.h"
#include "coppice/chain/constraints.h"
#include "score/design.h"
#include "score/linear.h"

namespace coppice::chain {

// The labels that each token of a sentence may have: one where it is known, several or none where
// the annotation is partial (none: any label).
struct Annotation {
  std::span<const std::uint32_t> begin;   // length + 1 places in `labels`
  std::span<const std::uint16_t> labels;  // of the whole corpus
  bool complete = true;                   // every token has one label

  std::size_t length() const noexcept { return begin.size() - 1; }
  // Whether no token is annotated.
  bool none() const noexcept { return begin.front() == begin.back(); }
  std::span<const std::uint16_t> at(std::size_t token) const noexcept {
    return labels.subspan(begin[token], begin[token + 1] - begin[token]);
  }
  bool allows(std::size_t token, std::size_t label) const noexcept {
    const auto allowed = at(token);
    return allowed.empty() || std::find(allowed.begin(), allowed.end(), label) != allowed.end();
  }
  // Rows of scores with -inf for the labels that are not allowed.
  AlignedVector<float> restricted(const float* scores, std::size_t num_labels) const {
    const std::size_t stride = row_stride(num_labels);
    AlignedVector<float> allowed(scores, scores + length() * stride);
    for (std::size_t t = 0; t < length(); ++t) {
      for (std::size_t y = 0; y < num_labels; ++y) {
        if (!allows(t, y)) allowed[t * stride + y] = -std::numeric_limits<float>::infinity();
      }
    }
    return allowed;
  }
};

// What a teacher says of a sentence: its posteriors of labels, and of labels side by side. Without
// the latter, neighbours are taken to be independent.
struct SoftTargets {
  std::size_t labels = 0;
  std::span<const float> tokens{};  // [token][label]
  std::span<const float> pairs{};   // [token][label before][label]; not read at the first token

  bool empty() const noexcept { return tokens.empty(); }
  double of(std::size_t token, std::size_t label) const noexcept {
    return static_cast<double>(tokens[token * labels + label]);
  }
  // Of two labels side by side. Requires token > 0.
  double of(std::size_t token, std::size_t previous, std::size_t label) const noexcept {
    if (pairs.empty()) return of(token - 1, previous) * of(token, label);
    return static_cast<double>(pairs[(token * labels + previous) * labels + label]);
  }
};

// Tokens of all sentences are laid end to end. A token's gold answer is the set of labels that it
// may have: one where it is known, several or none where the annotation is partial (none: any
// label).
struct Dataset {
  std::size_t num_labels = 0;
  std::vector<std::uint32_t> sentence_begin{0};  // sentence i is tokens [begin[i], begin[i + 1])
  DesignMatrix design;
  // Attributes that are conjoined with the label of the token before and that of the token; first
  // tokens have none. Where num_attributes is 0, no template is so conjoined.
  DesignMatrix pair_design;
  std::vector<std::uint32_t> gold_begin{0};
  std::vector<std::uint16_t> gold;
  std::vector<float> weight;  // of each sentence; empty: all 1
  // A teacher's posteriors of all tokens, as in SoftTargets; empty: there is no teacher.
  std::vector<float> soft, soft_pairs;
  // Features that count as seen, whatever the sentences have: an older model's.
  struct Features {
    std::vector<AttributeLabel> states{};
    std::vector<std::pair<std::uint16_t, std::uint16_t>> pairs{};  // of labels
    std::vector<std::uint64_t> ngrams{};  // keys of longer label sequences (chain/ngrams.h)
  };
  Features further{};

  std::size_t num_sentences() const noexcept { return sentence_begin.size() - 1; }
  std::size_t num_tokens() const noexcept { return sentence_begin.back(); }
  TokenLabels labels() const noexcept { return {gold_begin, gold}; }
  std::span<const std::uint16_t> gold_of(std::size_t token) const noexcept {
    return std::span(gold).subspan(gold_begin[token], gold_begin[token + 1] - gold_begin[token]);
  }
  // Views this. O(length).
  Annotation annotation(std::size_t sentence) const noexcept;
  SoftTargets soft_targets(std::size_t sentence) const noexcept;
  float weight_of(std::size_t sentence) const noexcept {
    return weight.empty() ? 1.0f : weight[sentence];
  }
};

// The first token of a sentence that no label sequence which both the annotation and the
// constraints allow can reach; none when there is such a sequence. (The last token, when a sequence
// gets there but may not end so.)
std::optional<std::size_t> first_impossible(const Dataset& data, std::size_t sentence,
                                            const Constraints& constraints);

}  // namespace coppice::chain

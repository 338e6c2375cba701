// Sentences as numbers: what training of a chain reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/score/design.h"
#include "coppice/score/linear.h"

namespace coppice::chain {

// Tokens of all sentences are laid end to end. A token's gold answer is the set of labels that it
// may have: one where it is known, several or none where the annotation is partial (none: any
// label).
struct Dataset {
  std::size_t num_labels = 0;
  std::vector<std::uint32_t> sentence_begin{0};  // sentence i is tokens [begin[i], begin[i + 1])
  DesignMatrix design;
  std::vector<std::uint32_t> gold_begin{0};
  std::vector<std::uint16_t> gold;
  std::vector<float> weight;  // of each sentence; empty: all 1

  std::size_t num_sentences() const noexcept { return sentence_begin.size() - 1; }
  std::size_t num_tokens() const noexcept { return sentence_begin.back(); }
  TokenLabels labels() const noexcept { return {gold_begin, gold}; }
  std::span<const std::uint16_t> gold_of(std::size_t token) const noexcept {
    return std::span(gold).subspan(gold_begin[token], gold_begin[token + 1] - gold_begin[token]);
  }
  float weight_of(std::size_t sentence) const noexcept {
    return weight.empty() ? 1.0f : weight[sentence];
  }
};

// Which label sequences are possible at all.
struct Constraints {
  std::vector<unsigned char> pairs;  // labels x labels; empty: every pair
  std::vector<unsigned char> first;  // by label; empty: any may begin
  std::vector<unsigned char> last;   // by label; empty: any may end

  bool allows(std::size_t previous, std::size_t next, std::size_t labels) const noexcept {
    return pairs.empty() || pairs[previous * labels + next] != 0;
  }
  bool may_begin(std::size_t label) const noexcept { return first.empty() || first[label] != 0; }
  bool may_end(std::size_t label) const noexcept { return last.empty() || last[label] != 0; }
};

}  // namespace coppice::chain

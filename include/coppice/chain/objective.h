// What training minimises for one sentence: the seam between a chain and its objectives.
//
// An objective is told the scores of the sentence's parts (a label at a token, a pair of labels
// side by side) and its annotation; it gives back its value and the derivative by the score of
// every part. It knows neither features nor weights, so every objective works with every
// potential. chain/likelihood.h has the dense fast path of the likelihood;
// chain/forest_objective.h takes any function of forests that has a gradient.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "coppice/base/aligned.h"
#include "coppice/chain/kernel.h"

namespace coppice::chain {

// The labels that each token of a sentence may have: one where it is known, several or none where
// the annotation is partial (none: any label).
struct Annotation {
  std::span<const std::uint32_t> begin;   // length + 1 places in `labels`
  std::span<const std::uint16_t> labels;  // of the whole corpus
  bool complete = true;                   // every token has one label

  std::size_t length() const noexcept { return begin.size() - 1; }
  std::span<const std::uint16_t> at(std::size_t token) const noexcept {
    return labels.subspan(begin[token], begin[token + 1] - begin[token]);
  }
  bool allows(std::size_t token, std::size_t label) const noexcept {
    const auto allowed = at(token);
    return allowed.empty() || std::find(allowed.begin(), allowed.end(), label) != allowed.end();
  }
};

// One sentence with at least one token. Rows of scores are as in chain/kernel.h; what the
// constraints forbid has the score -inf.
struct Example {
  float* scores;  // of labels at tokens; an objective replaces them by its derivatives
  const Transitions& transitions;
  Annotation gold;
  std::size_t sentence = 0;  // its number in the corpus

  std::size_t length() const noexcept { return gold.length(); }
};

// Derivatives by the scores of label pairs, summed over sentences: labels rows of row_stride
// floats, and rows of padding after them. Kernels give derivatives divided by the pair's weight
// exp(score - shift), which is multiplied in once for many sentences.
class PairDerivatives {
 public:
  // Sets all to 0; none for a chain of order 0.
  void reset(const Transitions& transitions);
  bool none() const noexcept { return sums_.empty(); }
  void add(std::size_t previous, std::size_t next, float derivative) noexcept {
    sums_[previous * stride_ + next] += derivative;
  }
  // What kernels add to; null for a chain of order 0.
  float* by_weight() noexcept { return none() ? nullptr : by_weight_.data(); }
  // The sums. Requires the transitions that the kernels had.
  std::span<const float> finish(const Transitions& transitions);
  // Adds factor times the sums of `other`, which must be finished.
  void add(const PairDerivatives& other, float factor);

 private:
  std::size_t stride_ = 0;
  AlignedVector<float> sums_, by_weight_;
};

class SentenceObjective {
 public:
  SentenceObjective() = default;
  SentenceObjective(const SentenceObjective&) = delete;
  SentenceObjective& operator=(const SentenceObjective&) = delete;
  virtual ~SentenceObjective() = default;

  // Replaces the example's scores by the derivatives by them, adds those of label pairs, and
  // returns the value: not finite where the annotation is impossible. Threads: may be called by
  // several at once, with workspaces and sums of their own.
  virtual double evaluate(const Example& example, PairDerivatives& pairs,
                          Workspace& workspace) const = 0;

  // Goes on to the next stage of an objective that changes while it is minimised; false when there
  // is none.
  virtual bool advance() { return false; }

  // An objective of a whole corpus has to know all sentences before it can evaluate one: it is
  // shown each of them, between begin_look() and end_look(), and must leave the scores as they are.
  // Threads: look() may be called by several at once, for different sentences.
  virtual bool looks_ahead() const noexcept { return false; }
  virtual void begin_look(std::size_t /*num_sentences*/) {}
  virtual void look(const Example& /*example*/, Workspace& /*workspace*/) {}
  virtual void end_look() {}

  // What there is to say about the evaluations so far, as one line for people; empty for nothing.
  virtual std::string remarks() const { return {}; }
};

}  // namespace coppice::chain

// What training minimises for one sentence: the seam between a chain and its objectives.
//
// An objective is told the scores of the sentence's parts (a label at a token, labels side by
// side) and its annotation; it gives back its value and the derivative by the score of
// every part. It knows neither features nor weights, so every objective works with every
// potential: scores of labels and pairs (linear), or of pairs that differ from token to token
// (trees). chain/likelihood.h has the dense fast path of the likelihood;
// chain/forest_objective.h takes any function of forests that has a gradient.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "coppice/base/aligned.h"
#include "coppice/chain/dataset.h"
#include "coppice/chain/edge_kernel.h"
#include "coppice/chain/kernel.h"
#include "coppice/chain/label_lattice.h"
#include "coppice/chain/lattice_kernel.h"

namespace coppice::chain {

// One sentence with at least one token. Rows of scores are as in chain/kernel.h; what the
// constraints forbid has the score -inf.
struct Example {
  float* scores;  // of labels at tokens; an objective replaces them by its derivatives
  const Transitions& transitions;
  Annotation gold;
  std::size_t sentence = 0;  // its number in the corpus
  // The label sequences that are looked at, with the scores of pairs and longer sequences; null:
  // all that the transitions allow.
  const LabelLattice* lattice = nullptr;
  std::span<const float> parts{};
  // Scores of label pairs that differ from token to token (chain/edge_kernel.h), in place of all
  // the others, which are not looked at then; an objective replaces them by its derivatives.
  EdgeShape edge_shape{};
  std::span<float> edges{};
  // Scores of the lattice's edges, beside those of their parts, for potentials that look at the
  // token and the labels before it together; an objective replaces them by its derivatives, and
  // then gives none by parts.
  std::span<float> lattice_edges{};

  std::size_t length() const noexcept { return gold.length(); }
  std::size_t stride() const noexcept { return transitions.stride(); }
  LatticeScores lattice_scores() const noexcept {
    const std::size_t pairs = transitions.none() ? 0 : transitions.labels() * stride();
    return {scores, stride(), parts.empty() ? std::span(transitions.scores(), pairs) : parts,
            lattice_edges};
  }
};

// Derivatives by the scores of label pairs and longer sequences, summed over sentences, numbered as
// in chain/label_lattice.h: labels rows of row_stride floats, then longer sequences. The dense
// kernels give those of pairs divided by the pair's weight exp(score - shift), which is multiplied
// in once for many sentences.
class PairDerivatives {
 public:
  // Sets all to 0; there are no pairs in a chain of order 0. Cost: what has been added to.
  void reset(const Transitions& transitions, std::size_t longer_sequences = 0);
  bool none() const noexcept { return sums_.empty(); }
  std::size_t num_longer() const noexcept { return sums_.size() - num_pairs_; }
  void add(std::size_t previous, std::size_t next, float derivative) {
    add_part(previous * stride_ + next, derivative);
  }
  void add_part(std::size_t part, float derivative) {
    if (is_touched_[part] == 0) touched_.push_back(static_cast<std::uint32_t>(part));
    is_touched_[part] = 1;
    sums_[part] += derivative;
  }
  // What the dense kernels add to; null for a chain of order 0.
  float* by_weight();
  // The sums. Requires the transitions that the kernels had.
  std::span<const float> finish(const Transitions& transitions);
  // Adds factor times the sums of `other`, which must be finished.
  void add(const PairDerivatives& other, float factor);
  // Calls visit(part, derivative) for all that have been added to, and perhaps others. Requires
  // that the sums are finished.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t part = 0; part < num_dense_; ++part) visit(part, sums_[part]);
    for (const std::uint32_t part : touched_) {
      if (part >= num_dense_) visit(part, sums_[part]);
    }
  }

 private:
  std::size_t stride_ = 0;
  std::size_t num_pairs_ = 0;
  std::size_t num_dense_ = 0;       // num_pairs_ once by_weight() has been asked for, else 0
  AlignedVector<float> sums_;       // by part
  AlignedVector<float> by_weight_;  // by pair, with rows of padding
  std::vector<unsigned char> is_touched_;
  std::vector<std::uint32_t> touched_;
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

  // Whether it looks at Example::lattice; if not, it is for chains of order 0 and 1 that are not
  // pruned.
  virtual bool takes_lattices() const noexcept { return false; }

  // Goes on to the next stage of an objective that changes while it is minimised; false when there
  // is none.
  virtual bool advance() { return false; }
  // Whether there is one.
  virtual bool has_next_stage() const noexcept { return false; }

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

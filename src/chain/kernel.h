// Dense inference on first-order chains: the same numbers as the generic algorithms give on the
// chain's forest, without laying the forest out.
//
//     p(y | x) = 1/Z  exp( sum over t of  s[t][y_t]  +  sum over t > 0 of  T[y_{t-1}][y_t] )
//
// Scores of a sentence are a table of `length` rows of `stride` floats (row_stride(labels), aligned
// to 32 bytes; the columns past `labels` are padding). A score of -inf forbids.
//
// Forward and backward vectors are kept as probabilities, scaled to sum to one at every position
// and shifted by the position's largest score, so that neither long sentences nor large scores
// overflow. Where scores are so far apart that every path underflows in float, the sentence is done
// again in double and log space.
//
// Cost of a token: 2 L (forward, backward) + L (pairs) vector multiply-adds of L / 8 lanes each,
// and L / 8 vector exponentials; 3 rows of workspace. Threads: a Workspace belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "coppice/forest/split.h"
#include "score/linear.h"

namespace coppice::chain {

// A number that no other call gives.
std::uint64_t new_serial() noexcept;

// The scores of label pairs, the same at every position, made ready for the kernels.
class Transitions {
 public:
  // None: labels at different positions are independent (a chain of order 0).
  explicit Transitions(std::size_t labels) : labels_(labels), stride_(row_stride(labels)) {}
  // scores[previous * row_stride(labels) + next]; -inf forbids the pair.
  Transitions(std::size_t labels, std::span<const float> scores);

  bool none() const noexcept { return scores_.empty(); }
  std::size_t labels() const noexcept { return labels_; }
  std::size_t stride() const noexcept { return stride_; }
  float score(std::size_t previous, std::size_t next) const noexcept {
    return none() ? 0.0f : scores_[previous * stride_ + next];
  }
  const float* scores() const noexcept { return scores_.data(); }
  // exp(score - shift()), by previous label, and transposed.
  const float* weights() const noexcept { return weights_.data(); }
  const float* weights_by_next() const noexcept { return transposed_.data(); }
  float shift() const noexcept { return shift_; }
  // Differs from that of every other table but a copy, so what follows from one can be kept.
  std::uint64_t serial() const noexcept { return serial_; }

 private:
  std::size_t labels_;
  std::size_t stride_;
  std::uint64_t serial_ = new_serial();
  float shift_ = 0;
  AlignedVector<float> scores_, weights_, transposed_;
};

// For chain/lattice_kernel.h.
struct LatticeWorkspace {
  std::vector<double> weight;     // by edge
  std::vector<double> forward;    // by node
  std::vector<double> backward;   // by node
  std::vector<double> scale;      // by token
  std::vector<double> posterior;  // by edge: what marginals() finds
  std::vector<std::uint32_t> from;
};

// For chain/edge_kernel.h.
struct EdgeWorkspace {
  std::vector<double> weights, forward, backward, scale;
};

struct SpanWorkspace;  // for costs of spans, of src/chain/span_kernel.h

// For losses of counts (src/chain/count_kernel.h): the cells of a sentence, of which those of token
// t are [token_begin[t], token_begin[t + 1]).
struct CountWorkspace {
  std::vector<Counts> cells;
  std::vector<std::uint32_t> token_begin;
  AlignedVector<float> large;     // a row a cell: labels that match no gold item
  std::vector<float> matching;    // a short row a cell: labels that do
  AlignedVector<float> emission;  // by token
  std::vector<float> scale;       // by token
  AlignedVector<float> posteriors, derivatives;
  AlignedVector<float> products, ended;  // by cell of one token
  std::vector<float> probability;        // the same
  // The transitions: those that agree with their column on whether an item begins there, and of
  // them those that do not go on with an item.
  AlignedVector<float> weights, weights_by_next, ending;
  AlignedVector<float> begins;  // by label: 1 where its column is of pairs at which an item begins
};

class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  // Rows of the scores, of the forward vectors, of exp(score) and of the backward vectors times it.
  void reserve(std::size_t length, std::size_t stride);
  AlignedVector<float> scores, forward, emission, backward, beta;
  std::vector<float> scale;
  LatticeWorkspace lattice;
  EdgeWorkspace edges;
  std::unique_ptr<SpanWorkspace> spans;  // none until it is needed
  CountWorkspace counts;
};

// Replaces scores by the posterior of each label at each position, and returns ln Z (-inf when
// every path is forbidden; the posteriors are then 0). With `pairs` (labels rows of stride floats),
// adds to it sum over t of p(y_{t-1}, y_t) / weights(y_{t-1}, y_t): multiply by weights() when all
// sentences are in.
double marginals(float* scores, std::size_t length, const Transitions& transitions,
                 Workspace& workspace, float* pairs);

// ln Z alone: one forward pass; the scores stay.
double log_partition(const float* scores, std::size_t length, const Transitions& transitions,
                     Workspace& workspace);

// The best label sequence and its score; of equally good ones the first in order of labels. Returns
// -inf, and label 0 throughout, when every path is forbidden.
double best_labels(const float* scores, std::size_t length, const Transitions& transitions,
                   Workspace& workspace, std::span<std::uint16_t> labels);

}  // namespace coppice::chain

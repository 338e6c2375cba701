// The negative conditional log-likelihood of a corpus under a chain of order 0 or 1 with a linear
// potential, and its gradient.
//
//     value = sum over sentences of  weight * ( ln Z(x) - ln Z(x, gold) )
//
// where Z(x, gold) sums over the label sequences that the annotation allows: one, where it is
// complete. The derivative by the score of a part is its posterior minus its posterior given the
// annotation.
//
// Parameters are one vector: those of the LinearPotential, then row_stride(labels) floats for each
// previous label: the weights of label pairs.
//
// Cost of an evaluation: see LinearPotential and chain/kernel.h. Sentences are cut into chunks of
// tokens, and rows of the gradient into blocks, so that the result does not depend on the threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coppice/base/aligned.h"
#include "coppice/base/threads.h"
#include "coppice/chain/dataset.h"
#include "coppice/chain/kernel.h"
#include "coppice/score/linear.h"
#include "coppice/score/row_adagrad.h"

namespace coppice::chain {

enum class Order : unsigned char { kIndependent, kFirst };

struct LikelihoodOptions {
  Order order = Order::kFirst;
  FeatureSet features = FeatureSet::kObserved;
};

// Step lengths of the weights of label pairs in stochastic passes.
struct PairAdaGrad {
  double step = 0.4;
  std::vector<float> sums{};  // of squares, a pair each; filled by the first pass
};

class Likelihood {
 public:
  // Throws InvalidArgument when a sentence's annotation breaks the constraints, naming it.
  Likelihood(Dataset data, Constraints constraints, LikelihoodOptions options);

  std::size_t num_parameters() const noexcept { return mask_.size(); }
  std::size_t num_labels() const noexcept { return potential_.num_labels(); }
  // Number of features: (attribute, label) and label pairs.
  std::size_t num_features() const noexcept;
  // 1 for a parameter, 0 for padding and for what is no feature.
  std::span<const unsigned char> mask() const noexcept { return mask_; }
  // How many equal attributes a parameter stands for.
  std::span<const float> multiplicity() const noexcept { return multiplicity_; }
  const LinearPotential& potential() const noexcept { return potential_; }
  const Constraints& constraints() const noexcept { return constraints_; }
  // Without its design matrix, which the potential has taken over.
  const Dataset& data() const noexcept { return data_; }

  // Throws Error (E310) naming the sentence where the value is not finite.
  double operator()(std::span<const float> weights, std::span<float> gradient,
                    const Threads& threads);

  // The diagonal of the Hessian, with each part's variance p (1 - p) taken for itself: what scales
  // the parameters for an optimiser. Costs an evaluation.
  void curvature(std::span<const float> weights, std::span<float> diagonal, const Threads& threads);

  // The transition table under `weights`, constraints included.
  Transitions transitions(std::span<const float> weights) const;

  // One stochastic pass over the sentences in `order`, label pairs in small batches. Returns the
  // loss on the way. Sequential: the steps depend on each other.
  double stochastic_pass(std::span<const std::uint32_t> order, RowAdaGrad& rows, PairAdaGrad& pairs,
                         std::span<float> weights);

 private:
  struct Scratch;  // what one worker needs

  void find_partial();
  void check_gold() const;
  void count_gold_pairs();
  void cut_chunks();
  // Scores, inference and derivatives of all sentences; pairs get their expected counts.
  double infer(std::span<const float> weights, const Transitions& transitions,
               const Threads& threads, std::vector<double>& pairs);
  double infer_sentence(std::size_t sentence, const Transitions& transitions, Scratch& scratch);
  double infer_complete(std::size_t sentence, const Transitions& transitions, Scratch& scratch,
                        float* pairs);
  double infer_partial(std::size_t sentence, const Transitions& transitions, Scratch& scratch,
                       float* pairs);
  void forbid_ends(std::size_t sentence);
  void step_pairs(std::span<const std::uint32_t> batch, const Transitions& transitions,
                  const Scratch& scratch, PairAdaGrad& pairs, std::span<float> weights) const;
  std::size_t pairs_size() const noexcept;

  Dataset data_;
  Constraints constraints_;
  LikelihoodOptions options_;
  LinearPotential potential_;
  std::size_t num_pairs_ = 0;
  std::vector<std::uint32_t> chunks_;  // chunk c is sentences [chunks_[c], chunks_[c + 1])
  std::vector<unsigned char> mask_;
  std::vector<float> multiplicity_;
  std::vector<unsigned char> complete_;  // by sentence: every token has one gold label
  std::vector<double> gold_pairs_;       // weighted counts over the complete sentences
  AlignedVector<float> scores_;          // of all tokens; derivatives after an evaluation
};

}  // namespace coppice::chain

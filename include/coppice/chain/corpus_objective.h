// What training minimises over a corpus: the weighted sum of an objective over its sentences, as a
// function of the weights of a chain of order 0 or 1 with a linear potential; and its gradient.
//
//     value = sum over sentences of  weight * objective(scores of the sentence's parts, annotation)
//
// Parameters are one vector: those of the LinearPotential, then row_stride(labels) floats for each
// previous label: the weights of label pairs.
//
// Cost of an evaluation: see LinearPotential and the objective. Sentences are cut into chunks of
// tokens, and rows of the gradient into blocks, so that the result does not depend on the threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coppice/base/aligned.h"
#include "coppice/base/threads.h"
#include "coppice/chain/dataset.h"
#include "coppice/chain/kernel.h"
#include "coppice/chain/likelihood.h"
#include "coppice/chain/objective.h"
#include "coppice/score/linear.h"
#include "coppice/score/row_adagrad.h"

namespace coppice::chain {

enum class Order : unsigned char { kIndependent, kFirst };

struct ChainOptions {
  Order order = Order::kFirst;
  FeatureSet features = FeatureSet::kObserved;
};

// Step lengths of the weights of label pairs in stochastic passes.
struct PairAdaGrad {
  double step = 0.4;
  std::vector<float> sums{};  // of squares, a pair each; filled by the first pass
};

class CorpusObjective {
 public:
  // Stochastic passes minimise `start` instead, where it is not null. Throws InvalidArgument when
  // a sentence's annotation breaks the constraints, naming it, and when sentences have weights but
  // the objective is one of the whole corpus.
  CorpusObjective(Dataset data, Constraints constraints, ChainOptions options,
                  std::unique_ptr<SentenceObjective> objective = std::make_unique<Likelihood>(),
                  std::unique_ptr<SentenceObjective> start = nullptr);

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

  // To the next stage of the objective; false when there is none.
  bool advance() { return objective_->advance(); }
  // What the objective has to say; see SentenceObjective.
  std::string remarks() const { return objective_->remarks(); }

  // The diagonal of the likelihood's Hessian, with each part's variance p (1 - p) taken for itself:
  // what scales the parameters for an optimiser, whatever the objective. Costs an evaluation.
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
  void find_pairs();
  void cut_chunks();
  Annotation annotation(std::size_t sentence) const noexcept;
  float* scores_of(std::size_t sentence) noexcept;
  // Calls infer(sentence, scratch) for all sentences after scoring them, and sums what it returns;
  // pairs get the sums of scratch.pairs.
  template <class Infer>
  double sweep(std::span<const float> weights, const Transitions& transitions,
               const Threads& threads, std::vector<double>& pairs, const Infer& infer);
  double evaluate_sentence(const SentenceObjective& objective, std::size_t sentence,
                           const Transitions& transitions, Scratch& scratch);
  void look_ahead(std::span<const float> weights, const Transitions& transitions,
                  const Threads& threads);
  template <class Infer>
  double weigh(std::size_t sentence, const Transitions& transitions, Scratch& scratch,
               const Infer& infer);
  void forbid_ends(std::size_t sentence);
  void step_pairs(const Transitions& transitions, Scratch& scratch, PairAdaGrad& pairs,
                  std::span<float> weights) const;

  Dataset data_;
  Constraints constraints_;
  ChainOptions options_;
  std::unique_ptr<SentenceObjective> objective_;
  std::unique_ptr<SentenceObjective> start_;
  LinearPotential potential_;
  std::size_t num_pairs_ = 0;
  std::vector<std::uint32_t> chunks_;  // chunk c is sentences [chunks_[c], chunks_[c + 1])
  std::vector<unsigned char> mask_;
  std::vector<float> multiplicity_;
  std::vector<unsigned char> complete_;  // by sentence: every token has one gold label
  AlignedVector<float> scores_;          // of all tokens; derivatives after an evaluation
};

}  // namespace coppice::chain

// What training minimises over a corpus: the weighted sum of an objective over its sentences, as a
// function of the weights of a chain with a linear potential; and its gradient.
//
//     value = sum over sentences of  weight * objective(scores of the sentence's parts, annotation)
//
// plus, where label sequences are pruned, the likelihood of the dense chain that does it
// (chain/coarse_to_fine.h).
//
// Parameters are one vector: those of the LinearPotential, then those of the PairPotential where
// templates are conjoined with pairs of labels, then the weights of the labels' parts:
// row_stride(labels) floats for each previous label, the weights of label pairs; then one for each
// longer label sequence, up to order + 1, that the annotation has. (Where a token has a set of
// labels, sequences through up to kMaxCombinations combinations of them count.)
//
// Chains of order 0 and 1 are exact and dense. Of higher ones, and of order 1 with `prune`, each
// sentence's label sequences are a lattice, found by the current weights (chain/coarse_to_fine.h)
// until freeze() holds them fast: only then is the value a smooth function of the weights.
// Features of the data that are conjoined with pairs of labels need a dense chain of order 1.
//
// Cost of an evaluation: see LinearPotential and the objective. Sentences are cut into chunks of
// tokens, and rows of the gradient into blocks, so that the result does not depend on the threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "chain/coarse_to_fine.h"
#include "chain/dataset.h"
#include "chain/engine.h"
#include "chain/kernel.h"
#include "chain/label_lattice.h"
#include "chain/ngrams.h"
#include "chain/pair_derivatives.h"
#include "chain/pair_potential.h"
#include "coppice/base/threads.h"
#include "coppice/chain/options.h"
#include "coppice/learn/learnable.h"
#include "score/linear.h"
#include "score/row_adagrad.h"

namespace coppice::chain {

// Step lengths of the weights of label sequences in stochastic passes.
struct PairAdaGrad {
  double step = 0.4;
  bool adaptive = true;       // else steps of plain gradient descent
  std::vector<float> sums{};  // of squares, a part each
};

class CorpusObjective final : public learn::Learnable {
 public:
  // Throws InvalidArgument when a sentence's annotation breaks the constraints, naming it, when
  // sentences have weights but the objective is one of the whole corpus, and for an order or
  // pruning that is out of range.
  CorpusObjective(Dataset data, Constraints constraints, ChainOptions options,
                  const learn::TrainingObjective& objective, LossTables loss);

  std::size_t num_examples() const noexcept override { return data_.num_sentences(); }
  std::size_t num_parameters() const noexcept override { return mask_.size(); }
  std::size_t num_labels() const noexcept { return potential_.num_labels(); }
  // Number of features: (attribute, label), label pairs and longer sequences.
  std::size_t num_features() const noexcept override;
  // 1 for a parameter, 0 for padding and for what is no feature.
  std::span<const unsigned char> mask() const noexcept { return mask_; }
  // How many equal attributes a parameter stands for.
  std::span<const float> multiplicity() const noexcept override { return multiplicity_; }
  const LinearPotential& potential() const noexcept { return potential_; }
  // Null where no template is conjoined with pairs of labels.
  const PairPotential* pair_potential() const noexcept {
    return pair_potential_ ? &*pair_potential_ : nullptr;
  }
  // Where among the parameters those of the PairPotential begin, and the weights of the labels'
  // parts.
  std::size_t first_pair_parameter() const noexcept { return first_pair_parameter_; }
  std::size_t first_part() const noexcept { return first_pair_parameter_ + num_pair_parameters(); }
  const Constraints& constraints() const noexcept { return constraints_; }
  // Without its design matrix, which the potential has taken over.
  const Dataset& data() const noexcept { return data_; }

  double evaluate(std::span<const float> weights, std::span<float> gradient,
                  const Threads& threads) override;
  void curvature(std::span<const float> weights, std::span<float> diagonal,
                 const Threads& threads) override;

  learn::StagedObjective& objective() noexcept override { return objective_; }
  const learn::StagedObjective& objective() const noexcept override { return objective_; }

  // The transition table under `weights`, constraints included.
  Transitions transitions(std::span<const float> weights) const;
  // Scores of label pairs and longer sequences under `weights`, of which `transitions` are the
  // table. Views both.
  LabelModel model(const Transitions& transitions, std::span<const float> weights) const noexcept;
  // The weights of the PairPotential. Requires one.
  std::span<const float> pair_weights(std::span<const float> weights) const noexcept {
    return of_pairs(weights);
  }
  const ChainOptions& options() const noexcept { return options_; }
  // The label sequences of more than two labels that are features.
  const LabelNgrams& ngrams() const noexcept { return ngrams_; }

  // Prunes by these weights, from now on. Does nothing where there are no lattices.
  void prune(std::span<const float> weights, const Threads& threads) override;
  bool prunes() const noexcept override { return options_.is_sparse(); }
  // All 0 before.
  const KeptCounts& kept() const noexcept { return kept_; }

  // Label sequences step in small batches. Sequential: the steps depend on each other.
  void begin_passes(const learn::StepOptions& options) override;
  double pass(std::span<const std::uint32_t> order, double step, std::span<float> weights,
              const Threads& threads) override;
  std::vector<std::span<float>> step_state() override;

 private:
  struct Scratch;  // what one worker needs

  void check_options() const;
  void add_pair_features();
  void find_partial();
  void check_gold() const;
  void find_pairs();
  void find_ngrams();
  void cut_chunks();
  Annotation annotation(std::size_t sentence) const noexcept;
  float* scores_of(std::size_t sentence) noexcept;
  std::size_t num_pair_parameters() const noexcept {
    return pair_potential_ ? pair_potential_->linear().num_parameters() : 0;
  }
  template <class Float>
  std::span<Float> of_pairs(std::span<Float> parameters) const noexcept {
    return parameters.subspan(first_pair_parameter_, num_pair_parameters());
  }
  float* pair_scores_of(std::size_t sentence) noexcept;
  // Scores tokens [first, last).
  void score(std::span<const float> weights, std::size_t first, std::size_t last);
  // Both potentials' part of a gradient, from the derivatives by their scores.
  void gather(std::span<float> gradient, const Threads& threads) const;
  // The sentence's lattice, made in scratch unless it is frozen; null where chains are dense.
  const LabelLattice* lattice(std::size_t sentence, const LabelModel& model, Scratch& scratch);
  // Makes the engine of a sentence that has been scored, and calls use(engine).
  template <class Use>
  double with_engine(std::size_t sentence, const LabelModel& model, Scratch& scratch,
                     PairDerivatives& parts, const Use& use);
  SentenceTarget target(std::size_t sentence) const noexcept;
  // Scores all sentences, lets infer(sentence, scratch) replace the scores, and sums what it
  // returns; parts get the sums of scratch.parts.
  template <class Infer>
  double sweep(std::span<const float> weights, const LabelModel& model, const Threads& threads,
               std::vector<double>& parts, const Infer& infer);
  // Lets `infer` replace the sentence's scores and add to parts, and multiplies both by its weight.
  template <class Infer>
  double weigh(std::size_t sentence, const LabelModel& model, Scratch& scratch, const Infer& infer);
  enum class Phase : unsigned char { kPass, kBatch };
  double evaluate_sentence(Phase phase, std::size_t sentence, const LabelModel& model,
                           Scratch& scratch);
  bool is_pruned() const noexcept { return options_.is_sparse() && options_.prune > 0; }
  double evaluate_coarse(std::size_t sentence, const LabelModel& model, PairDerivatives& parts,
                         Scratch& scratch) const;
  // Hands the derivatives by scratch's edges to those whose sum their scores are.
  void take_back(std::size_t sentence, Scratch& scratch, PairDerivatives& parts);
  void look_ahead(std::span<const float> weights, const LabelModel& model, const Threads& threads);
  void forbid_ends(std::size_t sentence);
  void step_parts(const LabelModel& model, Scratch& scratch, std::span<float> weights);
  void part_curvature(std::span<const double> parts, std::span<const double> share,
                      std::span<float> diagonal) const;

  Dataset data_;
  Constraints constraints_;
  ChainOptions options_;
  learn::StagedObjective objective_;
  LossTables loss_;
  LinearPotential potential_;
  std::optional<PairPotential> pair_potential_;
  std::size_t first_pair_parameter_ = 0;
  std::size_t num_pairs_ = 0;
  LabelNgrams ngrams_;
  std::vector<std::uint32_t> chunks_;  // chunk c is sentences [chunks_[c], chunks_[c + 1])
  std::vector<unsigned char> mask_;
  std::vector<float> multiplicity_;
  std::vector<unsigned char> complete_;  // by sentence: every token has one gold label
  std::vector<LabelLattice> lattices_;   // by sentence, once they are frozen
  KeptCounts kept_;
  AlignedVector<float> scores_;       // of all tokens; derivatives after an evaluation
  AlignedVector<float> pair_scores_;  // the same, of the PairPotential
  // Of stochastic passes.
  std::optional<RowAdaGrad> row_steps_, pair_row_steps_;
  PairAdaGrad part_steps_;
};

}  // namespace coppice::chain

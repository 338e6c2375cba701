// What boosting of a chain minimises for one sentence: objectives over scores of label pairs that
// differ from token to token (chain/edge_kernel.h).
//
//     EdgeLikelihood         ln Z(x) - ln Z(x, gold): derivative p(u, v | x) - p(u, v | x, gold)
//     EdgePseudoLikelihood   - sum over t of ln p(y_t | y_{t-1}, y_{t+1}, x); a sentence whose
//                            annotation is partial counts by its likelihood
//     SentenceEdgeObjective  any objective of chain/training_objective.h: softmax-margin, risk,
//                            annealed risk, entropy, losses of the whole corpus ...
//     ForestEdgeObjective    any function of forests that has a gradient, such as softmax-margin or
//                            risk
//
// In chains of order 2 and more, and pruned ones, the scores are those of the edges of a lattice
// (chain/label_lattice.h): label sequences instead of pairs; p(y_t | all other labels, x) is the
// pseudo-likelihood then.
//
// Dietterich, Hao and Ashenfelter (2004), "Gradient Tree Boosting for Training Conditional Random
// Fields", JMLR 9.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "coppice/chain/edge_kernel.h"
#include "coppice/chain/forest_objective.h"
#include "coppice/chain/objective.h"

namespace coppice::chain {

struct EdgeExample {
  EdgeShape shape;
  std::span<const float> scores;
  Annotation gold;
  std::size_t sentence = 0;  // its number in the corpus
  // What the scores are of, by edge: a lattice whose edges have no parts but these. Null: pairs in
  // the layout of `shape`.
  const LabelLattice* lattice = nullptr;
};

struct EdgeObjectiveWorkspace {
  std::vector<float> scores;
  AlignedVector<float> rows;  // of labels, beside the scores of a lattice's edges
  Workspace sentence;
  PairDerivatives pairs;
};

class EdgeObjective {
 public:
  EdgeObjective() = default;
  EdgeObjective(const EdgeObjective&) = delete;
  EdgeObjective& operator=(const EdgeObjective&) = delete;
  virtual ~EdgeObjective() = default;

  // Writes the derivative by every score, in the layout of the scores, and returns the value: not
  // finite where the annotation is impossible. Threads: may be called by several at once, with
  // workspaces of their own.
  virtual double evaluate(const EdgeExample& example, std::span<float> derivatives,
                          EdgeObjectiveWorkspace& workspace) const = 0;

  // As those of SentenceObjective: the next stage of an objective that changes, and what an
  // objective of the whole corpus is shown before it evaluates a sentence.
  virtual bool advance() { return false; }
  virtual bool looks_ahead() const noexcept { return false; }
  virtual void begin_look(std::size_t /*num_sentences*/) {}
  virtual void look(const EdgeExample& /*example*/, EdgeObjectiveWorkspace& /*workspace*/) {}
  virtual void end_look() {}
};

// What EdgeLikelihood is; the derivatives may take the place of the scores.
double edge_likelihood(const EdgeExample& example, std::span<float> derivatives,
                       EdgeWorkspace& workspace);

class EdgeLikelihood final : public EdgeObjective {
 public:
  double evaluate(const EdgeExample& example, std::span<float> derivatives,
                  EdgeObjectiveWorkspace& workspace) const override;
};

class EdgePseudoLikelihood final : public EdgeObjective {
 public:
  double evaluate(const EdgeExample& example, std::span<float> derivatives,
                  EdgeObjectiveWorkspace& workspace) const override;
};

class SentenceEdgeObjective final : public EdgeObjective {
 public:
  explicit SentenceEdgeObjective(std::unique_ptr<SentenceObjective> objective)
      : objective_(std::move(objective)) {}
  // Throws what the objective throws.
  double evaluate(const EdgeExample& example, std::span<float> derivatives,
                  EdgeObjectiveWorkspace& workspace) const override;

  bool advance() override { return objective_->advance(); }
  bool looks_ahead() const noexcept override { return objective_->looks_ahead(); }
  void begin_look(std::size_t num_sentences) override { objective_->begin_look(num_sentences); }
  void look(const EdgeExample& example, EdgeObjectiveWorkspace& workspace) override;
  void end_look() override { objective_->end_look(); }

 private:
  std::unique_ptr<SentenceObjective> objective_;
};

class ForestEdgeObjective final : public EdgeObjective {
 public:
  // The function may be called by several threads at once.
  explicit ForestEdgeObjective(ForestFunction function) : function_(std::move(function)) {}
  // Throws what the function throws.
  double evaluate(const EdgeExample& example, std::span<float> derivatives,
                  EdgeObjectiveWorkspace& workspace) const override;

 private:
  ForestFunction function_;
};

}  // namespace coppice::chain

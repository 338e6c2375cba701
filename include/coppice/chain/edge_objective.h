// What boosting of a chain minimises for one sentence: objectives over scores of label pairs that
// differ from token to token (chain/edge_kernel.h).
//
//     EdgeLikelihood         ln Z(x) - ln Z(x, gold): derivative p(u, v | x) - p(u, v | x, gold)
//     EdgePseudoLikelihood   - sum over t of ln p(y_t | y_{t-1}, y_{t+1}, x); a sentence whose
//                            annotation is partial counts by its likelihood
//     SentenceEdgeObjective  any objective of chain/training_objective.h that looks at single
//                            sentences: softmax-margin, risk, entropy ...
//     ForestEdgeObjective    any function of forests that has a gradient, such as softmax-margin or
//                            risk
//
// Dietterich, Hao and Ashenfelter (2004), "Gradient Tree Boosting for Training Conditional Random
// Fields", JMLR 9.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "coppice/chain/edge_kernel.h"
#include "coppice/chain/forest_objective.h"
#include "coppice/chain/objective.h"

namespace coppice::chain {

struct EdgeExample {
  EdgeShape shape;
  std::span<const float> scores;
  Annotation gold;
};

struct EdgeObjectiveWorkspace {
  EdgeWorkspace kernel;
  std::vector<float> scores, p;
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
};

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
  // Throws InvalidArgument for an objective of the whole corpus, which looks ahead.
  explicit SentenceEdgeObjective(std::unique_ptr<const SentenceObjective> objective);
  // Throws what the objective throws.
  double evaluate(const EdgeExample& example, std::span<float> derivatives,
                  EdgeObjectiveWorkspace& workspace) const override;

 private:
  std::unique_ptr<const SentenceObjective> objective_;
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
